import type { AiClient } from './catalogue.ts';
import { findClient } from './catalogue.ts';

/** What a robots.txt can name: RFC 9309 allows letters, `_` and `-`; files in use have digits and dots too. */
const nameable = /^[a-z0-9._-]+$/i;

/**
 * How a robots.txt names a client, its own name first: what its user agent says without version. A client that carries the
 * token of another answers to that one too. None for what shows itself by its behaviour alone.
 */
export function productTokens({
  tokens,
  refines,
}: Pick<AiClient, 'tokens'> & { refines?: string | undefined }): string[] {
  const own = tokens.map(bareToken).filter((token) => nameable.test(token));
  const finer = refines === undefined ? undefined : findClient(refines);
  return [...new Set([...own, ...(finer ? productTokens(finer) : [])])];
}

/** Without what ties a token of the catalogue to a place, and without the slash before a version. */
function bareToken(token: string): string {
  return token.replace(/^\^|[$/]$/g, '');
}
