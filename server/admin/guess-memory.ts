import { type Failures, type Guesses, type GuessStore, maxKnownNetworks } from '../store/guess-store.ts';

/** Networks that are remembered; further ones push out those that were silent longest. */
const maxNetworks = 10_000;

/** What one process remembers of all networks, where it is the only one. */
export class GuessMemory implements GuessStore {
  readonly #guesses: Guesses = {
    failures: new Map<string, Failures>(),
    known: new Set<string>(),
    together: { count: 0, since: 0 },
  };

  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async changeGuesses<T>(_networks: string[], change: (guesses: Guesses, now: number) => T): Promise<T> {
    const result = change(this.#guesses, this.#now());
    dropOldest(this.#guesses.failures, maxNetworks);
    dropOldest(this.#guesses.known, maxKnownNetworks);
    return result;
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
