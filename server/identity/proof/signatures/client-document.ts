import { z } from 'zod';
import type { HttpsAnswer } from '../../../net/https-get.ts';
import { type DirectoryKeys, mediaTypeOf, parseJson, parseKeys } from './key-directory.ts';
import { parseHttps } from './signature-agent.ts';

/** What is needed of an OAuth client ID metadata document, which draft-meunier-webbotauth-registry calls a card. */
const document = z.object({
  client_id: z.string(),
  jwks: z.unknown().optional(),
  jwks_uri: z.string().optional(),
});

/** The keys themselves, or the address of a list of them. */
type KeysOfClient = { keys: DirectoryKeys } | { keysUrl: string };

/**
 * @param url that was asked: the document has to say that it is this client's
 * @throws Error that says what is wrong with it
 */
export function parseClientDocument({ status, headers, body }: HttpsAnswer, url: string): KeysOfClient {
  if (status !== 200) throw new Error(`It answered with status ${status}.`);
  if (!/^application\/(?:json|[^/]+\+json)$/.test(mediaTypeOf(headers)))
    throw new Error('It answered with something that is not a document of a client.');
  const parsed = document.safeParse(parseJson(body));
  if (!parsed.success) throw new Error('It is not a document of a client.');
  const { client_id: id, jwks, jwks_uri: address } = parsed.data;
  if (id !== url) throw new Error('Its document is that of another client.');
  if ((jwks === undefined) === (address === undefined))
    throw new Error('Its document must hold keys or name where they are, and not both.');
  if (address === undefined) return { keys: parseKeys(jwks) };
  const keysUrl = parseHttps(address);
  if (!keysUrl) throw new Error('Its document names no https address of keys.');
  return { keysUrl: keysUrl.href };
}
