import type { Database } from '../database.ts';
import { type Kind, readVersions, type Versions } from './versions.ts';

/** Notices get lost with a connection. */
const pollMs = 1_000;
const kinds = ['directory', 'sessions'] as const;

/** Calls back whoever holds the directory or the sessions in memory. */
export class Changes {
  readonly #database: Database;
  readonly #listeners: Record<Kind, Set<() => void>> = { directory: new Set(), sessions: new Set() };
  readonly #seen: Versions;
  #timer: NodeJS.Timeout | undefined;
  #unhear: (() => void) | undefined;

  /** @param seen the versions at this moment */
  constructor(database: Database, seen: Versions) {
    this.#database = database;
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

  /** After a change that was made here: whoever listens hears of it at once. */
  look(): void {
    if (this.#timer) void this.#look();
  }

  close(): void {
    for (const kind of kinds) this.#listeners[kind].clear();
    this.#unhear?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#unhear = this.#database.onNotice((notice) => {
      if (notice === null || kinds.some((kind) => kind === notice)) void this.#look();
    });
    this.#poll();
  }

  #poll(): void {
    this.#timer = setTimeout(async () => {
      await this.#look();
      if (this.#timer) this.#poll();
    }, pollMs).unref();
  }

  async #look(): Promise<void> {
    const now = await readVersions(this.#database).catch(() => undefined);
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
