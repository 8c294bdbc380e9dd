import { type Kind, kinds, type Versions } from '../database/versions.ts';

export interface VersionSource {
  readVersions(): Promise<Versions>;
  /** How often it is polled, as not every change of another process sends a notice. */
  pollMs: number;
  /** Calls back with notices; some may be missed, and null says so. Returns a function that ends it. */
  onNotice(listener: (notice: string | null) => void): () => void;
}

/** Calls back the holders of the directory and of the sessions in memory. */
export class Changes {
  readonly #source: VersionSource;
  readonly #listeners: Record<Kind, Set<() => void>> = { directory: new Set(), sessions: new Set() };
  readonly #seen: Versions;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  /** @param seen the versions at this moment */
  constructor(source: VersionSource, seen: Versions) {
    this.#source = source;
    this.#seen = { ...seen };
  }

  /** Returns a function that ends it. */
  listen(kind: Kind, changed: () => void): () => void {
    const listener = () => changed();
    this.#listeners[kind].add(listener);
    if (!this.#timer) this.#begin();
    return () => {
      this.#listeners[kind].delete(listener);
      if (kinds.every((kind) => this.#listeners[kind].size === 0)) this.close();
    };
  }

  close(): void {
    for (const kind of kinds) this.#listeners[kind].clear();
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#unsubscribe = this.#source.onNotice((notice) => {
      if (notice === null || kinds.some((kind) => kind === notice)) void this.#poll();
    });
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      await this.#poll();
      if (this.#timer) this.#schedule();
    }, this.#source.pollMs).unref();
  }

  async #poll(): Promise<void> {
    const now = await this.#source.readVersions().catch(() => undefined);
    // Why they cannot be read is in the log.
    if (!now) return;
    for (const kind of kinds) {
      // Of two polls at once the later may finish first.
      if (now[kind] <= this.#seen[kind]) continue;
      this.#seen[kind] = now[kind];
      for (const changed of this.#listeners[kind]) changed();
    }
  }
}

/** Functions to be called when something happens. */
export class Listeners<News> {
  readonly #listeners = new Set<(news: News) => void>();

  /** Returns a function that removes the listener. */
  readonly add = (listener: (news: News) => void): (() => void) => {
    const added = (news: News) => listener(news);
    this.#listeners.add(added);
    return () => this.#listeners.delete(added);
  };

  clear(): void {
    this.#listeners.clear();
  }

  readonly notify = (news: News): void => {
    for (const listener of this.#listeners) listener(news);
  };
}
