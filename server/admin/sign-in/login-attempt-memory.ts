import {
  type Failures,
  type LoginAttemptStore,
  type LoginAttempts,
  maxKnownNetworks,
} from '../../store/admin/login-attempts.ts';

/** Networks that are remembered; further ones push out those that were silent longest. */
const maxNetworks = 10_000;

/** What one process remembers of all networks, where it is the only one. */
export class LoginAttemptMemory implements LoginAttemptStore {
  readonly #attempts: LoginAttempts = {
    failures: new Map<string, Failures>(),
    known: new Set<string>(),
    together: { count: 0, since: 0 },
  };

  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async changeAttempts<T>(
    _networks: string[],
    change: (attempts: LoginAttempts, now: number) => T,
  ): Promise<T> {
    const result = change(this.#attempts, this.#now());
    dropOldest(this.#attempts.failures, maxNetworks);
    dropOldest(this.#attempts.known, maxKnownNetworks);
    return result;
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
