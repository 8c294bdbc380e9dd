import { type ApiError, tooMany } from '../errors.ts';
import { networksOf } from '../net/address.ts';

interface Failures {
  count: number;
  /** Milliseconds since 1970. */
  lastAt: number;
}

/**
 * Wrong passwords that cost no wait, from then on each doubles it: from an IPv4 address or a /64 of IPv6, from its /56,
 * and from its /48, all of which one customer may have (RFC 6177).
 */
const freeFailures = [4, 16, 64];
const maxWaitMs = 15 * 60_000;
/** After so long without an attempt the earlier ones are forgotten. */
const memoryMs = 60 * 60_000;
/** Wrong passwords from all networks together, and how long they count. */
const maxTogether = 100;
const togetherMs = 10 * 60_000;
/** Networks that are remembered; further ones push out those that were silent longest. */
const maxNetworks = 10_000;
const maxKnown = 200;

/** A network that somebody guesses from, and how many wrong passwords cost it no wait. */
interface Guesser {
  network: string;
  free: number;
}

/** How long to wait, and the bound that says so. */
interface Wait {
  waitMs: number;
  limit: number;
  windowMs: number;
}

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
    const guessers = guessersOf(address);
    const now = this.#now();
    const longest = this.#waits(guessers, now).reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
    if (longest.waitMs > 0) throw refusal(longest);
    this.#record(guessers, now);
    return () => this.#forgive(address, guessers);
  }

  /** Somebody is signed in from there: wider networks and all together no longer count. */
  know(address: string): void {
    // A /48 is too wide: strangers may share it.
    for (const network of networksOf(address).slice(0, 2)) {
      this.#known.delete(network);
      this.#known.add(network);
      dropOldest(this.#known, maxKnown);
    }
  }

  #waits(guessers: Guesser[], now: number): Wait[] {
    const known = guessers.findIndex(({ network }) => this.#known.has(network));
    if (known >= 0) return guessers.slice(0, known + 1).map((guesser) => this.#waitOf(guesser, now));
    return [...guessers.map((guesser) => this.#waitOf(guesser, now)), this.#waitTogether(now)];
  }

  #waitOf({ network, free }: Guesser, now: number): Wait {
    const bound = { limit: free, windowMs: memoryMs };
    const failures = this.#failures.get(network);
    if (!failures || now - failures.lastAt >= memoryMs) return { ...bound, waitMs: 0 };
    const over = failures.count - free;
    const waitMs = over < 0 ? 0 : failures.lastAt + Math.min(1000 * 2 ** over, maxWaitMs) - now;
    return { ...bound, waitMs };
  }

  #waitTogether(now: number): Wait {
    const { count, since } = this.#together;
    const waitMs = count < maxTogether ? 0 : since + togetherMs - now;
    return { waitMs, limit: maxTogether, windowMs: togetherMs };
  }

  #record(guessers: Guesser[], now: number): void {
    for (const { network } of guessers) {
      const before = this.#failures.get(network);
      const count = before && now - before.lastAt < memoryMs ? before.count : 0;
      // Written anew, so that the oldest stand first.
      this.#failures.delete(network);
      this.#failures.set(network, { count: count + 1, lastAt: now });
      dropOldest(this.#failures, maxNetworks);
    }
    if (now - this.#together.since >= togetherMs) this.#together = { count: 0, since: now };
    this.#together.count++;
  }

  /** The narrowest network starts anew; in the others, what was wrong before stays so. */
  #forgive(address: string, [own, ...wider]: Guesser[]): void {
    if (own) this.#failures.delete(own.network);
    for (const { network } of wider) {
      const failures = this.#failures.get(network);
      if (failures) failures.count--;
    }
    this.#together.count = Math.max(0, this.#together.count - 1);
    this.know(address);
  }
}

function guessersOf(address: string): Guesser[] {
  return networksOf(address).map((network, i) => ({ network, free: freeFailures[i] as number }));
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  entries.delete(oldest as string);
}

function refusal({ waitMs, limit, windowMs }: Wait): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  return tooMany(`There were too many wrong passwords: try again in ${seconds} s.`, {
    name: 'sign-in',
    limit,
    windowMs,
    retryAfterMs: waitMs,
  });
}
