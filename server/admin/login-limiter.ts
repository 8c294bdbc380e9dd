import { ApiError } from '../errors.ts';
import { visitorNetwork } from '../net/address.ts';

interface Failures {
  count: number;
  /** Milliseconds since 1970. */
  lastAt: number;
}

/** Wrong passwords from one network (IPv6: a /64) that cost no wait; from then on each doubles it. */
const freeFailures = 4;
const maxWaitMs = 15 * 60_000;
/** After so long without an attempt the earlier ones are forgotten. */
const memoryMs = 60 * 60_000;
/** Wrong passwords from all networks together, and how long they count. */
const maxTogether = 100;
const togetherMs = 10 * 60_000;
/** Networks that are remembered; further ones push out those that were silent longest. */
const maxNetworks = 10_000;
const maxKnown = 100;

/**
 * Slows down whoever guesses passwords. Where many networks guess together, all wait but those from which somebody
 * signed in before, so that nobody can lock the administrator out.
 */
export class LoginLimiter {
  readonly #now: () => number;
  readonly #failures = new Map<string, Failures>();
  readonly #known = new Set<string>();
  #together = { count: 0, since: 0 };

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Lets one attempt through, which counts as wrong until the returned function is called: many at once are as slow as one
   * after the other.
   *
   * @throws ApiError `too_many`
   */
  take(address: string): () => void {
    const network = visitorNetwork(address);
    const now = this.#now();
    const waitMs = Math.max(this.#waitOf(network, now), this.#waitTogether(network, now));
    if (waitMs > 0) throw tooMany(waitMs);
    this.#record(network, now);
    return () => this.#forgive(network);
  }

  #waitOf(network: string, now: number): number {
    const failures = this.#failures.get(network);
    if (!failures || now - failures.lastAt >= memoryMs) return 0;
    const over = failures.count - freeFailures;
    return over < 0 ? 0 : failures.lastAt + Math.min(1000 * 2 ** over, maxWaitMs) - now;
  }

  #waitTogether(network: string, now: number): number {
    const { count, since } = this.#together;
    return count < maxTogether || this.#known.has(network) ? 0 : since + togetherMs - now;
  }

  #record(network: string, now: number): void {
    const before = this.#failures.get(network);
    const count = before && now - before.lastAt < memoryMs ? before.count : 0;
    // Written anew, so that the oldest stand first.
    this.#failures.delete(network);
    this.#failures.set(network, { count: count + 1, lastAt: now });
    dropOldest(this.#failures, maxNetworks);
    if (now - this.#together.since >= togetherMs) this.#together = { count: 0, since: now };
    this.#together.count++;
  }

  #forgive(network: string): void {
    this.#failures.delete(network);
    this.#together.count = Math.max(0, this.#together.count - 1);
    this.#known.delete(network);
    this.#known.add(network);
    dropOldest(this.#known, maxKnown);
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  entries.delete(oldest as string);
}

function tooMany(waitMs: number): ApiError {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new ApiError('too_many', `There were too many wrong passwords: try again in ${seconds} s.`, {
    headers: { 'Retry-After': seconds },
  });
}
