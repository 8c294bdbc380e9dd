import type { HttpsAnswer } from '../../../net/https-get.ts';
import { parseClientDocument } from './client-document.ts';
import { type DirectoryKeys, freshness, keyMediaTypes, parseDirectory } from './key-directory.ts';
import type { Signer } from './signature-agent.ts';

interface FetchedKeys {
  keys: DirectoryKeys;
  /** How long they may be used without asking again. */
  freshForMs: number;
}

/** @throws Error that says in a sentence why there is no answer. */
type Ask = (url: string, accept: string) => Promise<HttpsAnswer>;

/** Fetches the keys of a signer, from where it says they are. @throws Error that says why there are none */
export function fetchKeys({ type, url }: Signer, ask: Ask): Promise<FetchedKeys> {
  return type === 'cimd' ? fetchThroughDocument(url, ask) : fetchList(url, ask);
}

async function fetchList(url: string, ask: Ask): Promise<FetchedKeys> {
  const answer = await ask(url, keyMediaTypes.join(', '));
  return { keys: parseDirectory(answer), freshForMs: freshness(answer.headers) };
}

async function fetchThroughDocument(url: string, ask: Ask): Promise<FetchedKeys> {
  const answer = await ask(url, 'application/json');
  const found = parseClientDocument(answer, url);
  const freshForMs = freshness(answer.headers);
  if ('keys' in found) return { keys: found.keys, freshForMs };
  const list = await fetchList(found.keysUrl, ask);
  return { keys: list.keys, freshForMs: Math.min(list.freshForMs, freshForMs) };
}
