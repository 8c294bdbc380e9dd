/** Wrong passwords from a network. */
export interface Failures {
  count: number;
  /** Milliseconds since 1970. */
  lastAt: number;
}

/** What is known of some networks, by their names, and of all of them together. */
export interface LoginAttempts {
  failures: Map<string, Failures>;
  /** Somebody signed in from there; the newest stands last. */
  known: Set<string>;
  together: { count: number; since: number };
}

/** Remembers who guesses passwords. */
export interface LoginAttemptStore {
  /**
   * Has what is known of these networks changed, while nobody else changes it, on whichever node. `now`: milliseconds since
   * 1970, by a clock that all nodes share.
   */
  changeAttempts<T>(networks: string[], change: (attempts: LoginAttempts, now: number) => T): Promise<T>;
}

/** After so long without an attempt the earlier ones are forgotten. */
export const attemptMemoryMs = 60 * 60_000;
/** Networks from which somebody signed in. */
export const maxKnownNetworks = 200;
