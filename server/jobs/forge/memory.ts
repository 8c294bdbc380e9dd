import { hash } from 'node:crypto';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { type Fetch, readBounded } from './call.ts';

interface Kept {
  etag: string;
  headers: [string, string][];
  body: Buffer<ArrayBuffer>;
}

const maxBytes = 16_000_000;

/**
 * What code hosts that are asked again and again have answered: where nothing has changed, they say only that, and many do
 * not count it against their limits (RFC 9110, If-None-Match).
 */
export class ForgeMemory {
  readonly #kept = new Map<string, Kept>();
  readonly #kinds = new Map<string, ForgeKind>();
  #bytes = 0;

  /** What kind of code host is at an address, found out once. */
  async kindAt(origin: string, detect: () => Promise<ForgeKind | undefined>): Promise<ForgeKind | undefined> {
    const kind = this.#kinds.get(origin) ?? (await detect());
    if (kind !== undefined) this.#kinds.set(origin, kind);
    return kind;
  }

  remembering(fetch: Fetch): Fetch {
    return async (input, init = {}) => {
      if ((init.method ?? 'GET') !== 'GET') return await fetch(input, init);
      const headers = new Headers(init.headers);
      const who = [headers.get('authorization'), headers.get('private-token')];
      const key = hash('sha256', JSON.stringify([String(input), ...who]));
      const kept = this.#kept.get(key);
      if (kept) headers.set('if-none-match', kept.etag);
      const response = await fetch(input, { ...init, headers });
      if (response.status === 304 && kept) {
        return new Response(kept.body, { status: 200, headers: kept.headers });
      }
      const etag = response.headers.get('etag');
      if (response.status !== 200 || etag === null) return response;
      const body = await readBounded(response);
      const answered = [...response.headers];
      this.#keep(key, { etag, headers: answered, body });
      return new Response(body, { status: 200, headers: answered });
    };
  }

  /** The least recently kept go first. */
  #keep(key: string, kept: Kept): void {
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#bytes += kept.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.body.length ?? 0;
    this.#kept.delete(key);
  }
}
