import type { ClientOptions, HeadcountErrorBody } from './client.d.ts';

interface Given {
  path?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

/** What the server refused, in its words. */
export class HeadcountError extends Error {
  readonly status: number;
  readonly details: { message: string; path: string }[];
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, headers }: Response, { error, details = [] }: HeadcountErrorBody) {
    super(error);
    this.name = 'HeadcountError';
    this.status = status;
    this.details = details;
    this.retryAfterSeconds = Number(headers.get('retry-after')) || undefined;
  }
}

export function createClient({ server, key, fetch: send = fetch }: ClientOptions) {
  const base = server.replace(/\/+$/, '');
  return async (
    operation: string,
    { path = {}, query = {}, headers, body }: Given = {},
  ): Promise<unknown> => {
    const [method = '', template = ''] = operation.split(' ');
    const address = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
    const given = (fields: Record<string, unknown> = {}) =>
      Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    const response = await send(`${base}${address}?${new URLSearchParams(given(query))}`, {
      method,
      headers: Object.fromEntries([
        ...given(headers),
        ...(key === undefined ? [] : [['authorization', `Bearer ${key}`]]),
        ...(body === undefined ? [] : [['content-type', 'application/json']]),
      ]),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new HeadcountError(response, read(text, response));
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** A proxy before the server may have words of its own. */
function read(text: string, { status }: Response): HeadcountErrorBody {
  try {
    return JSON.parse(text);
  } catch {
    return { error: `The server answered ${status}.` };
  }
}
