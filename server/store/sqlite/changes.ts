import type { Versions } from './projects/versions.ts';

/** SQLite tells nobody what another process changed, such as the command line beside a server, so it is asked. */
const pollMs = 250;

type Kind = keyof Versions;

/** Calls back whoever holds the directory or the sessions in memory. */
export class Changes {
  readonly #read: () => Promise<Versions>;
  readonly #listeners: Record<Kind, Set<() => void>> = { directory: new Set(), sessions: new Set() };
  #seen: Versions;
  #timer: NodeJS.Timeout | undefined;

  /** @param seen the versions at this moment */
  constructor(read: () => Promise<Versions>, seen: Versions) {
    this.#read = read;
    this.#seen = seen;
  }

  /** Answers how to end it. */
  listen(kind: Kind, changed: () => void): () => void {
    const listener = () => changed();
    this.#listeners[kind].add(listener);
    if (!this.#timer) this.#poll();
    return () => {
      this.#listeners[kind].delete(listener);
      if (Object.values(this.#listeners).every(({ size }) => size === 0)) this.close();
    };
  }

  /** The same calls, after each of which it is looked at once what they changed. */
  after<Calls extends object>(calls: Calls): Calls {
    const looking = Object.entries(calls).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        const result = await call(...args);
        void this.#look();
        return result;
      },
    ]);
    return Object.fromEntries(looking);
  }

  close(): void {
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    this.#timer = setTimeout(async () => {
      await this.#look();
      if (this.#timer) this.#poll();
    }, pollMs).unref();
  }

  async #look(): Promise<void> {
    const now = await this.#read().catch(() => undefined);
    // Why they cannot be read is in the log.
    if (!now) return;
    const before = this.#seen;
    this.#seen = now;
    for (const kind of ['directory', 'sessions'] as const) {
      if (now[kind] <= before[kind]) continue;
      for (const changed of this.#listeners[kind]) changed();
    }
  }
}
