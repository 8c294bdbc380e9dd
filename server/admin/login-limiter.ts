import { type ApiError, tooMany } from '../errors.ts';
import { networksOf } from '../net/address.ts';
import { type Guesses, type GuessStore, guessMemoryMs, maxKnownNetworks } from '../store/guess-store.ts';

/**
 * Wrong passwords that cost no wait, from then on each doubles it: from an IPv4 address or a /64 of IPv6, from its /56,
 * and from its /48, all of which one customer may have (RFC 6177).
 */
const freeFailures = [4, 16, 64];
const maxWaitMs = 15 * 60_000;
/** Wrong passwords from all networks together, and how long they count. */
const maxTogether = 100;
const togetherMs = 10 * 60_000;
/** A network that is known stays so for longer. */
const knownAgainMs = 60 * 60_000;

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

interface Parts {
  store: GuessStore;
  /** What a network is called where it is kept: nothing that tells its address. */
  nameOf: (network: string) => string;
  /** Of this process; how long who has to wait goes by the clock of the store. */
  now: () => number;
}

/**
 * Slows down whoever guesses passwords. Where many networks guess together, all wait but those from which somebody
 * signed in before, so that nobody can lock the administrator out.
 */
export class LoginLimiter {
  readonly #parts: Parts;
  /** When networks were noted as known, by their names. */
  readonly #known = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Lets one attempt through, which counts as wrong until the returned function is called: many at once are as slow as one
   * after the other.
   *
   * @throws ApiError `too_many`
   */
  async take(address: string): Promise<() => Promise<void>> {
    const guessers = this.#guessersOf(address);
    const longest = await this.#change(guessers, (guesses, now) => {
      const wait = waits(guesses, guessers, now).reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
      if (wait.waitMs <= 0) record(guesses, guessers, now);
      return wait;
    });
    if (longest.waitMs > 0) throw refusal(longest);
    return () => this.#change(guessers, (guesses) => forgive(guesses, guessers));
  }

  /** Somebody is signed in from there: wider networks and all together no longer count. */
  async know(address: string): Promise<void> {
    const guessers = this.#guessersOf(address);
    const [own] = guessers;
    const now = this.#parts.now();
    if (!own || now - (this.#known.get(own.network) ?? Number.NEGATIVE_INFINITY) < knownAgainMs) return;
    if (this.#known.size >= maxKnownNetworks) this.#known.clear();
    this.#known.set(own.network, now);
    await this.#change(guessers, (guesses) => note(guesses, guessers));
  }

  #change<T>(guessers: Guesser[], change: (guesses: Guesses, now: number) => T): Promise<T> {
    return this.#parts.store.changeGuesses(
      guessers.map(({ network }) => network),
      change,
    );
  }

  #guessersOf(address: string): Guesser[] {
    return networksOf(address).map((network, i) => ({
      network: this.#parts.nameOf(network),
      free: freeFailures[i] as number,
    }));
  }
}

function waits(guesses: Guesses, guessers: Guesser[], now: number): Wait[] {
  const known = guessers.findIndex(({ network }) => guesses.known.has(network));
  if (known >= 0) return guessers.slice(0, known + 1).map((guesser) => waitOf(guesses, guesser, now));
  return [...guessers.map((guesser) => waitOf(guesses, guesser, now)), waitTogether(guesses, now)];
}

function waitOf({ failures }: Guesses, { network, free }: Guesser, now: number): Wait {
  const bound = { limit: free, windowMs: guessMemoryMs };
  const wrong = failures.get(network);
  if (!wrong || now - wrong.lastAt >= guessMemoryMs) return { ...bound, waitMs: 0 };
  const over = wrong.count - free;
  const waitMs = over < 0 ? 0 : wrong.lastAt + Math.min(1000 * 2 ** over, maxWaitMs) - now;
  return { ...bound, waitMs };
}

function waitTogether({ together: { count, since } }: Guesses, now: number): Wait {
  const waitMs = count < maxTogether ? 0 : since + togetherMs - now;
  return { waitMs, limit: maxTogether, windowMs: togetherMs };
}

function record(guesses: Guesses, guessers: Guesser[], now: number): void {
  for (const { network } of guessers) {
    const before = guesses.failures.get(network);
    const count = before && now - before.lastAt < guessMemoryMs ? before.count : 0;
    // Written anew, so that the oldest stand first.
    guesses.failures.delete(network);
    guesses.failures.set(network, { count: count + 1, lastAt: now });
  }
  if (now - guesses.together.since >= togetherMs) guesses.together = { count: 0, since: now };
  guesses.together.count++;
}

/** The narrowest network starts anew; in the others, what was wrong before stays so. */
function forgive(guesses: Guesses, guessers: Guesser[]): void {
  const [own, ...wider] = guessers;
  if (own) guesses.failures.delete(own.network);
  for (const { network } of wider) {
    const failures = guesses.failures.get(network);
    if (failures) failures.count--;
  }
  guesses.together.count = Math.max(0, guesses.together.count - 1);
  note(guesses, guessers);
}

/** A /48 is too wide to be known: strangers may share it. */
function note({ known }: Guesses, guessers: Guesser[]): void {
  for (const { network } of guessers.slice(0, 2)) {
    known.delete(network);
    known.add(network);
  }
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
