import { type ApiError, tooMany } from '../errors.ts';
import { networksOf } from '../net/address.ts';
import {
  attemptMemoryMs,
  type LoginAttemptStore,
  type LoginAttempts,
  maxKnownNetworks,
} from '../store/login-attempt-store.ts';

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
interface LimitedNetwork {
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
  store: LoginAttemptStore;
  /** What a network is called where it is kept: nothing that tells its address. */
  nameOf: (network: string) => string;
  /** Of this process; how long who has to wait goes by the clock of the store. */
  now: () => number;
}

/** What somebody tried to sign in with; it counts as wrong until one of both is called. */
export interface Attempt {
  /** It was right. */
  forgive(): Promise<void>;
  /** It was neither: what was wrong before stays so. */
  takeBack(): Promise<void>;
}

/**
 * Slows down whoever guesses passwords and codes. Where many networks guess together, all wait but those from which somebody
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
   * Lets one attempt through, which counts as wrong at once: many at a time are as slow as one after the other.
   *
   * @throws ApiError `too_many`
   */
  async take(address: string): Promise<Attempt> {
    const networks = this.#networksOf(address);
    const longest = await this.#change(networks, (attempts, now) => {
      const wait = waits(attempts, networks, now).reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
      if (wait.waitMs <= 0) record(attempts, networks, now);
      return wait;
    });
    if (longest.waitMs > 0) throw refusal(longest);
    return {
      forgive: () => this.#change(networks, (attempts) => forgive(attempts, networks)),
      takeBack: () => this.#change(networks, (attempts) => takeBack(attempts, networks)),
    };
  }

  /** Somebody is signed in from there: wider networks and all together no longer count. */
  async know(address: string): Promise<void> {
    const networks = this.#networksOf(address);
    const [own] = networks;
    const now = this.#parts.now();
    if (!own || now - (this.#known.get(own.network) ?? Number.NEGATIVE_INFINITY) < knownAgainMs) return;
    if (this.#known.size >= maxKnownNetworks) this.#known.clear();
    this.#known.set(own.network, now);
    await this.#change(networks, (attempts) => note(attempts, networks));
  }

  #change<T>(networks: LimitedNetwork[], change: (attempts: LoginAttempts, now: number) => T): Promise<T> {
    return this.#parts.store.changeAttempts(
      networks.map(({ network }) => network),
      change,
    );
  }

  #networksOf(address: string): LimitedNetwork[] {
    return networksOf(address).map((network, i) => ({
      network: this.#parts.nameOf(network),
      free: freeFailures[i] as number,
    }));
  }
}

function waits(attempts: LoginAttempts, networks: LimitedNetwork[], now: number): Wait[] {
  const known = networks.findIndex(({ network }) => attempts.known.has(network));
  if (known >= 0) return networks.slice(0, known + 1).map((network) => waitOf(attempts, network, now));
  return [...networks.map((network) => waitOf(attempts, network, now)), waitTogether(attempts, now)];
}

function waitOf({ failures }: LoginAttempts, { network, free }: LimitedNetwork, now: number): Wait {
  const bound = { limit: free, windowMs: attemptMemoryMs };
  const wrong = failures.get(network);
  if (!wrong || now - wrong.lastAt >= attemptMemoryMs) return { ...bound, waitMs: 0 };
  const over = wrong.count - free;
  const waitMs = over < 0 ? 0 : wrong.lastAt + Math.min(1000 * 2 ** over, maxWaitMs) - now;
  return { ...bound, waitMs };
}

function waitTogether({ together: { count, since } }: LoginAttempts, now: number): Wait {
  const waitMs = count < maxTogether ? 0 : since + togetherMs - now;
  return { waitMs, limit: maxTogether, windowMs: togetherMs };
}

function record(attempts: LoginAttempts, networks: LimitedNetwork[], now: number): void {
  for (const { network } of networks) {
    const before = attempts.failures.get(network);
    const count = before && now - before.lastAt < attemptMemoryMs ? before.count : 0;
    // Written anew, so that the oldest stand first.
    attempts.failures.delete(network);
    attempts.failures.set(network, { count: count + 1, lastAt: now });
  }
  if (now - attempts.together.since >= togetherMs) attempts.together = { count: 0, since: now };
  attempts.together.count++;
}

/** The narrowest network starts anew; in the others, what was wrong before stays so. */
function forgive(attempts: LoginAttempts, networks: LimitedNetwork[]): void {
  takeBack(attempts, networks);
  const [own] = networks;
  if (own) attempts.failures.delete(own.network);
  note(attempts, networks);
}

function takeBack(attempts: LoginAttempts, networks: LimitedNetwork[]): void {
  for (const { network } of networks) {
    const failures = attempts.failures.get(network);
    if (failures) failures.count--;
  }
  attempts.together.count = Math.max(0, attempts.together.count - 1);
}

/** A /48 is too wide to be known: strangers may share it. */
function note({ known }: LoginAttempts, networks: LimitedNetwork[]): void {
  for (const { network } of networks.slice(0, 2)) {
    known.delete(network);
    known.add(network);
  }
}

function refusal({ waitMs, limit, windowMs }: Wait): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  return tooMany(`There were too many wrong passwords or codes: try again in ${seconds} s.`, {
    name: 'sign-in',
    limit,
    windowMs,
    retryAfterMs: waitMs,
  });
}
