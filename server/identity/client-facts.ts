import { findClient } from './catalogue.ts';
import type { Purpose } from './identity.ts';
import { productTokens } from './product-token.ts';
import { parseUnlisted } from './unlisted/unlisted-name.ts';

/** Facts about a client, by the name that it is counted under. */
interface ClientFacts {
  /** Null: the client has left the catalogue, and keeps its counts. */
  readonly operator: string | null;
  readonly purpose: Purpose | null;
  /** How a robots.txt may name it. */
  readonly robotsNames: readonly string[];
}

const none: ClientFacts = { operator: null, purpose: null, robotsNames: [] };

export function factsOf(name: string): ClientFacts {
  const client = findClient(name);
  if (client) return { ...client, robotsNames: productTokens(client) };
  const unlisted = parseUnlisted(name);
  if (!unlisted) return none;
  const { token, operator, purpose } = unlisted;
  return { operator, purpose: purpose === 'unknown' ? null : purpose, robotsNames: [token] };
}
