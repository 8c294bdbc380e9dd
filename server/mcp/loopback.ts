import type { Operation } from '../description/openapi.ts';
import type { Called } from './described-tools.ts';

/** Where this server answers, and who asks. */
export interface Caller {
  url: string;
  /** The key of the caller, and where it is used from. */
  fields: Readonly<Record<string, string>>;
}

export type ApiResult = { body: Record<string, unknown> } | { refusal: string };

/**
 * Asks the API over its own front door, with the caller's key: rights, limits and sentences are those of the API because they
 * are the API's.
 */
export async function askApi(
  { url, fields }: Caller,
  { method, path, operation }: Called,
  given: Record<string, unknown>,
): Promise<ApiResult> {
  const { address, headers, body } = sort(path, operation, given);
  const response = await fetch(url + address, {
    method: method.toUpperCase(),
    headers: { ...fields, ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const reply = (await response.json()) as Record<string, unknown>;
  return response.ok ? { body: reply } : { refusal: sentenceOf(response, reply) };
}

interface Sorted {
  address: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

/**
 * What is given, by where it goes. What no parameter takes belongs to the body; where there is none, the API itself says that
 * its report cannot be limited to it.
 */
function sort(path: string, operation: Operation, given: Record<string, unknown>): Sorted {
  const rest = { ...given };
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let address = path;
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = rest[name];
    delete rest[name];
    if (value === undefined) continue;
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query') query.set(name, String(value));
    else headers[name] = String(value);
  }
  if (!operation.requestBody)
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  const search = query.toString();
  return {
    address: search === '' ? address : `${address}?${search}`,
    headers,
    body: operation.requestBody ? rest : undefined,
  };
}

function sentenceOf({ status, headers }: Response, { error }: Record<string, unknown>): string {
  const sentence = typeof error === 'string' ? error : `The server answered ${status}.`;
  const seconds = headers.get('retry-after');
  // Whoever asks too often is told in the sentence itself when to ask again.
  return seconds === null || status === 429 ? sentence : `${sentence} Try again in ${seconds} s.`;
}
