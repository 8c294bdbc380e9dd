import { expect } from 'vitest';
import { googlebot } from '../browsers.ts';
import { chromeUserAgent } from '../headcount.ts';

/** A site's server: its batch is sent again, under the same key, until it is answered. */
export class ReportingSite {
  readonly #name: string;
  readonly #key: string;
  #made = 0;
  #batch;
  /** Sent more often than once. */
  repeated = 0;
  batches = 0;
  /** Whose views it reports. */
  readonly address: string;

  constructor(name: string, key: string) {
    this.#name = name;
    this.address = `203.0.113.${name.replace(/\D/g, '')}`;
    this.#key = key;
    this.#batch = this.#next();
  }

  #next(): { key: string; paths: string[]; tries: number } {
    const paths = Array.from({ length: 5 }, (_, i) => `/${this.#name}-${i}`);
    return { key: `${this.#name}-${this.#made++}`, paths, tries: 0 };
  }

  /** Views by path, of all batches that were answered. */
  get views(): [path: string, views: number][] {
    return this.#batch.paths.map((path) => [path, this.batches]);
  }

  /** Answers false where the server is gone. */
  async send(url: string): Promise<boolean> {
    const { key, paths, tries } = this.#batch;
    const hits = ['/bot', ...paths].map((path, i) => ({
      url: `https://example.com${path}`,
      ip: this.address,
      userAgent: i === 0 ? googlebot : chromeUserAgent,
    }));
    this.#batch.tries++;
    try {
      const response = await fetch(`${url}/v1/hits`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ hits }),
      });
      const reply = await response.json();
      expect([response.status, reply]).toEqual([
        202,
        { accepted: paths.length, dropped: [{ index: 0, reason: 'bot' }] },
      ]);
    } catch (error) {
      // Of the connection, and not of what was expected.
      if (error instanceof TypeError) return false;
      throw error;
    }
    if (tries > 0) this.repeated++;
    this.batches++;
    this.#batch = this.#next();
    return true;
  }
}
