import { type AiClient, ofCatalogue } from './catalogue.ts';
import { Words } from './words.ts';

const tokens = ofCatalogue(toWords);

/** By the client whose token they carry too. */
const finer = ofCatalogue(
  (clients) =>
    new Map(
      clients.flatMap((client) => (client.refines ? [[client.refines, toWords([client])] as const] : [])),
    ),
);

function toWords(named: readonly AiClient[]): Words<AiClient> {
  return new Words(named.flatMap((client) => client.tokens.map((token) => [token, client])));
}

/**
 * The AI client that a user agent names first.
 *
 * @param text in lower case
 */
export function findByToken(text: string): AiClient | undefined {
  const client = tokens().find(text);
  return client && (finer().get(client.client)?.find(text) ?? client);
}
