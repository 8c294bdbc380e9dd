import { ApiError, tooMany } from '../../errors.ts';
import { networksOf } from '../../net/address.ts';
import {
  attemptMemoryMs,
  type Failures,
  type LoginAttemptStore,
  type LoginAttempts,
  maxKnownNetworks,
} from '../../store/nodes.ts';

/**
 * Wrong passwords that cost no wait, from then on each doubles it: from an IPv4 address or a /64 of IPv6, from its /56,
 * and from its /48, all of which one customer may have (RFC 6177).
 */
const freeFailures = [4, 16, 64];
/** A /48 is too wide to be known: strangers may share it. */
const maxKnownWidth = 2;
const maxWaitMs = 15 * 60_000;
/** Wrong passwords from all networks together, and how long they count. */
const maxTogether = 100;
const togetherMs = 10 * 60_000;
/** A network that is known stays so for longer. */
const knownAgainMs = 60 * 60_000;

/** Wrong codes of an account from all networks that cost no wait. */
const freeCodes = 16;

/** A network or an account for which guesses are counted, and how many wrong ones cost no wait. */
interface Limited {
  name: string;
  free: number;
  /** Not where strangers may share it. */
  canBeKnown: boolean;
  /** A correct attempt resets its count; otherwise only that attempt no longer counts. */
  startsAnew: boolean;
}

/** The narrowest network first. */
interface Bounds {
  limited: Limited[];
  /** Whether it is among all that are wrong together. */
  together: boolean;
}

/** An attempt as it was counted, and the wrong ones before. */
interface RecordedFailure {
  name: string;
  before: Failures | undefined;
  after: Failures;
}

interface Recorded {
  failures: RecordedFailure[];
  /** When counting all together had begun; null: it is not among them. */
  since: number | null;
}

/** How long to wait, and the limit that was exceeded. */
interface Wait {
  waitMs: number;
  limit: number;
  windowMs: number;
}

interface Parts {
  store: LoginAttemptStore;
  /** The stored name of a network or an account, which reveals no address. */
  nameOf: (text: string) => string;
  /** Of this process; waiting times are calculated by the clock of the store. */
  now: () => number;
}

/** An attempt to sign in; it counts as wrong until one of its methods is called. */
export interface Attempt {
  /** It was right. */
  forgive(): Promise<void>;
  /** It was neither right nor wrong: earlier wrong attempts still count. */
  takeBack(): Promise<void>;
}

/**
 * Slows down guesses of passwords and codes. Where many networks guess together, all wait but those from which somebody
 * signed in before, so that nobody can lock the administrator out. Guesses also count by account, and only a right
 * password or code of that account resets its count: otherwise a guesser could reset it with an account of their own.
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
   * @param userId null: the administrator's; empty: there is no such user
   * @throws ApiError `too_many`
   */
  take(userId: string | null, address: string): Promise<Attempt> {
    return this.#take(this.#passwordsOf(userId, address));
  }

  /**
   * The same for the code of an account, once its password was right: the networks that know a code of it wait for no others.
   *
   * @param userId null: the administrator's
   * @throws ApiError `too_many`
   */
  takeCode(userId: string | null, address: string): Promise<Attempt> {
    return this.#take(this.#codesOf(userId, address));
  }

  /** Somebody is signed in from there: wider networks and all together no longer count. */
  async know(address: string): Promise<void> {
    const bounds = this.#networksOf(address);
    const [own] = bounds.limited;
    const now = this.#parts.now();
    if (!own || now - (this.#known.get(own.name) ?? Number.NEGATIVE_INFINITY) < knownAgainMs) return;
    if (this.#known.size >= maxKnownNetworks) this.#known.clear();
    this.#known.set(own.name, now);
    await this.#change(bounds, (attempts) => note(attempts, bounds));
  }

  async #take(bounds: Bounds): Promise<Attempt> {
    const taken = await this.#change(bounds, (attempts, now) => {
      const wait = waits(attempts, bounds, now).reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
      return wait.waitMs > 0 ? refusal(wait) : record(attempts, bounds, now);
    });
    if (taken instanceof ApiError) throw taken;
    return {
      forgive: () => this.#change(bounds, (attempts) => forgive(attempts, bounds, taken)),
      takeBack: () => this.#change(bounds, (attempts) => takeBack(attempts, taken)),
    };
  }

  #change<T>({ limited }: Bounds, change: (attempts: LoginAttempts, now: number) => T): Promise<T> {
    return this.#parts.store.changeAttempts(
      limited.map(({ name }) => name),
      change,
    );
  }

  #networksOf(address: string): Bounds {
    const limited = networksOf(address).map((network, i) => ({
      name: this.#parts.nameOf(network),
      free: freeFailures[i] as number,
      canBeKnown: i < maxKnownWidth,
      startsAnew: i === 0,
    }));
    return { limited, together: true };
  }

  /** A stranger can slow down the account from that network only, where the network itself is slowed down, too. */
  #passwordsOf(userId: string | null, address: string): Bounds {
    const { limited, together } = this.#networksOf(address);
    const fromThere = {
      name: this.#parts.nameOf(`passwords of ${called(userId)} from ${networksOf(address)[0]}`),
      free: freeFailures[0] as number,
      canBeKnown: false,
      startsAnew: true,
    };
    return { limited: [fromThere, ...limited], together };
  }

  #codesOf(userId: string | null, address: string): Bounds {
    const account = `codes of ${called(userId)}`;
    const from = networksOf(address)
      .slice(0, maxKnownWidth)
      .map((network, i) => ({
        name: this.#parts.nameOf(`${account} from ${network}`),
        free: freeFailures[i] as number,
        canBeKnown: true,
        startsAnew: i === 0,
      }));
    const all = {
      name: this.#parts.nameOf(account),
      free: freeCodes,
      ...{ canBeKnown: false, startsAnew: false },
    };
    return { limited: [...from, all], together: false };
  }
}

function called(userId: string | null): string {
  return userId ?? 'the administrator';
}

function waits(attempts: LoginAttempts, { limited, together }: Bounds, now: number): Wait[] {
  const known = limited.findIndex(({ name }) => attempts.known.has(name));
  if (known >= 0) return limited.slice(0, known + 1).map((one) => waitOf(attempts, one, now));
  const waits = limited.map((one) => waitOf(attempts, one, now));
  return together ? [...waits, waitTogether(attempts, now)] : waits;
}

function waitOf({ failures }: LoginAttempts, { name, free }: Limited, now: number): Wait {
  const bound = { limit: free, windowMs: attemptMemoryMs };
  const wrong = failures.get(name);
  if (!wrong || now - wrong.lastAt >= attemptMemoryMs) return { ...bound, waitMs: 0 };
  const over = wrong.count - free;
  const waitMs = over < 0 ? 0 : wrong.lastAt + Math.min(1000 * 2 ** over, maxWaitMs) - now;
  return { ...bound, waitMs };
}

function waitTogether({ together: { count, since } }: LoginAttempts, now: number): Wait {
  const waitMs = count < maxTogether ? 0 : since + togetherMs - now;
  return { waitMs, limit: maxTogether, windowMs: togetherMs };
}

function record(attempts: LoginAttempts, { limited, together }: Bounds, now: number): Recorded {
  const failures = limited.map(({ name }) => recordFailure(attempts, name, now));
  if (!together) return { failures, since: null };
  if (now - attempts.together.since >= togetherMs) attempts.together = { count: 0, since: now };
  attempts.together.count++;
  return { failures, since: attempts.together.since };
}

function recordFailure({ failures }: LoginAttempts, name: string, now: number): RecordedFailure {
  const found = failures.get(name);
  const before = found && now - found.lastAt < attemptMemoryMs ? found : undefined;
  const after = { count: (before?.count ?? 0) + 1, lastAt: now };
  // Written anew, so that the oldest come first.
  failures.delete(name);
  failures.set(name, after);
  return { name, before, after };
}

/** Resets the counts that a correct attempt resets, except for attempts made since. */
function forgive(attempts: LoginAttempts, bounds: Bounds, { failures, since }: Recorded): void {
  const isAnew = new Set(bounds.limited.filter(({ startsAnew }) => startsAnew).map(({ name }) => name));
  for (const one of failures) if (isAnew.has(one.name)) lessen(attempts, one, one.after.count);
  takeBack(attempts, { failures: failures.filter(({ name }) => !isAnew.has(name)), since });
  note(attempts, bounds);
}

function takeBack(attempts: LoginAttempts, { failures, since }: Recorded): void {
  for (const failure of failures) lessen(attempts, failure, 1);
  const { together } = attempts;
  if (together.since === since && together.count > 0) together.count--;
}

/** Restores the wait as it was, unless somebody failed since. Attempts forgiven meanwhile stay forgiven. */
function lessen({ failures }: LoginAttempts, { name, before, after }: RecordedFailure, by: number): void {
  const found = failures.get(name);
  if (!found) return;
  const count = found.count - by;
  const lastAt = before && found.lastAt === after.lastAt ? before.lastAt : found.lastAt;
  if (count > 0) failures.set(name, { count, lastAt });
  else failures.delete(name);
}

function note({ known }: LoginAttempts, { limited }: Bounds): void {
  for (const { name } of limited.filter(({ canBeKnown }) => canBeKnown)) {
    known.delete(name);
    known.add(name);
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

/** Networks that are remembered; further ones push out those that were silent longest. */
const maxNetworks = 10_000;

/** What one process remembers of all networks, where it is the only one. */
export function attemptMemory(now: () => number): LoginAttemptStore {
  const attempts: LoginAttempts = {
    failures: new Map<string, Failures>(),
    known: new Set<string>(),
    together: { count: 0, since: 0 },
  };
  return {
    async changeAttempts(_networks, change) {
      const result = change(attempts, now());
      dropOldest(attempts.failures, maxNetworks);
      dropOldest(attempts.known, maxKnownNetworks);
      return result;
    },
  };
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
