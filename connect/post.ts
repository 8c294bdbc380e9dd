import type { Options } from './types/options.d.ts';

export const timeoutMs = 20_000;

/**
 * Sends a batch of hits, each as JSON, and answers what went wrong; an empty text if nothing did. Under one key it counts
 * once.
 */
export type Post = (hits: string[], batchKey: string) => Promise<string>;

export function createPost(options: Options): Post {
  const { server, key, project, countPeople, trustedProxies = 'loopback' } = options;
  const batch = { project, people: countPeople ? 'count' : 'skip', trustedProxies };
  return async (hits, batchKey) => {
    try {
      const response = await fetch(server.replace(/\/*$/, '/v1/hits'), {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': batchKey,
        },
        body: `${JSON.stringify(batch).slice(0, -1)},"hits":[${hits}]}`,
        // Another address is another server, which the key is not meant for.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return response.ok ? '' : `${response.status} ${text}`;
    } catch (error) {
      return `${(error as Error).cause ?? error}`;
    }
  };
}
