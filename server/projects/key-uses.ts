import type { Log } from '../log.ts';
import type { Key } from '../store/projects.ts';
import type { Store } from '../store/store.ts';

const flushMs = 1000;
const dayMs = 24 * 60 * 60 * 1000;

interface KeyUsesOptions {
  store: Pick<Store, 'admin'>;
  log: Log;
  now: () => number;
}

/** Notes on which day (UTC) each key was last used: written once a day and key, after the answer. */
export class KeyUses {
  readonly #options: KeyUsesOptions;
  /** Days since 1970 by the id of the key. */
  readonly #known = new Map<string, number>();
  #waiting = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyUsesOptions) {
    this.#options = options;
  }

  note({ id }: Key): void {
    const day = this.#today();
    if (this.#known.get(id) === day) return;
    this.#known.set(id, day);
    this.#waiting.set(id, day);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Day by the id of the key, as of now. */
  async list(): Promise<Record<string, string>> {
    await this.flush();
    return this.#options.store.admin.keyUses();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = [...this.#waiting];
    if (uses.length === 0) return;
    this.#waiting = new Map();
    try {
      await this.#options.store.admin.markKeys(uses.map(([keyId, day]) => ({ keyId, day: toDate(day) })));
    } catch (error) {
      this.#options.log.error('The last use of keys could not be stored:', error);
      for (const [id] of uses) this.#known.delete(id);
    }
  }

  #today(): number {
    return Math.floor(this.#options.now() / dayMs);
  }
}

function toDate(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
