import { type Kind, kinds, type Versions } from '../database/versions.ts';

export interface VersionSource {
  readVersions(): Promise<Versions>;
  /** How often it is asked, as nobody tells of all that other processes change. */
  pollMs: number;
  /** Calls back with each notice that is heard of, though not surely with all; null: some may be lost. Answers how to end it. */
  onNotice(heard: (notice: string | null) => void): () => void;
}

/** Calls back whoever holds the directory or the sessions in memory. */
export class Changes {
  readonly #source: VersionSource;
  readonly #listeners: Record<Kind, Set<() => void>> = { directory: new Set(), sessions: new Set() };
  readonly #seen: Versions;
  #timer: NodeJS.Timeout | undefined;
  #unhear: (() => void) | undefined;

  /** @param seen the versions at this moment */
  constructor(source: VersionSource, seen: Versions) {
    this.#source = source;
    this.#seen = { ...seen };
  }

  /** Answers how to end it. */
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
    this.#unhear?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#unhear = this.#source.onNotice((notice) => {
      if (notice === null || kinds.some((kind) => kind === notice)) void this.#look();
    });
    this.#poll();
  }

  #poll(): void {
    this.#timer = setTimeout(async () => {
      await this.#look();
      if (this.#timer) this.#poll();
    }, this.#source.pollMs).unref();
  }

  async #look(): Promise<void> {
    const now = await this.#source.readVersions().catch(() => undefined);
    // Why they cannot be read is in the log.
    if (!now) return;
    for (const kind of kinds) {
      // Of two looks at once the later may answer first.
      if (now[kind] <= this.#seen[kind]) continue;
      this.#seen[kind] = now[kind];
      for (const changed of this.#listeners[kind]) changed();
    }
  }
}
