import { createGuardedFetch } from '../../net/guarded-fetch.ts';

const timeoutMs = 10_000;
/** Some twenty times as much as documents, keys and tokens have. */
const maxBytes = 256 * 1024;

/** There was no answer, or none that is one. */
export class ProviderUnreachable extends Error {}

type Fetch = typeof globalThis.fetch;

/** To the provider that the settings name, wherever it is: bounded in time and size, and following no redirect. */
export function createProviderFetch(): Fetch {
  const send = createGuardedFetch(() => true);
  return async (url, { body, ...init } = {}) => {
    try {
      const response = await send(url, {
        ...init,
        ...(body && { body: String(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await readText(response);
      if (response.status >= 500) throw new Error(`It answered with status ${response.status}.`);
      return new Response(text, { status: response.status, headers: response.headers });
    } catch (error) {
      throw new ProviderUnreachable((error as Error).message, { cause: error });
    }
  };
}

async function readText(response: Response): Promise<string | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error('The answer was too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
