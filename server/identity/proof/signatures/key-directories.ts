import type { HttpsGet } from '../../../net/https-get.ts';
import type { SigningKey } from './algorithm.ts';
import { type DirectoryKeys, freshness, keyMediaTypes, parseDirectory } from './key-directory.ts';
import { keysUrl } from './signature-agent.ts';

export interface KeyDirectories {
  /**
   * The key of this host with this id that is good at this time (milliseconds). Never waits: what is not known or
   * too old is fetched in the background, and the reason says so until then.
   */
  find(host: string, keyid: string, at: number): SigningKey | { why: string };
  /** Waits for the fetch from this host, if one is under way. */
  settle(host: string): Promise<void>;
  stop(): void;
}

export interface KeyDirectorySettings {
  get: HttpsGet;
  now: () => number;
  /** Hosts whose directories are fetched before those that strangers name. */
  isKnown: (host: string) => boolean;
  /** Strangers' directories fetched at a time. */
  concurrency?: number;
  maxPerMinute?: number;
  maxHosts?: number;
}

interface Entry {
  keys: DirectoryKeys | undefined;
  freshUntil: number;
  /** When it was last asked for. */
  askedAt: number;
  /** Why asking for it failed the last time; undefined: it did not. */
  failure: string | undefined;
}

const limits = { timeoutMs: 5_000, maxBytes: 65_536 };
/** Also how long a failure is remembered: the draft allows five minutes. */
const askAgainAfterMs = 5 * 60_000;
/** How long old keys serve while new ones are on their way. */
const graceMs = 3_600_000;

/** Key directories by host, and sets of keys by their address, as draft-ietf-webbotauth-httpsig-protocol describes; in memory only. */
export function createKeyDirectories(settings: KeyDirectorySettings): KeyDirectories {
  const { get, now, isKnown, concurrency = 2, maxPerMinute = 30, maxHosts = 200 } = settings;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, Promise<void>>();
  const stopped = new AbortController();
  const budget = createBudget(now, concurrency, maxPerMinute);

  async function ask(host: string, release: () => void): Promise<void> {
    const before = entries.get(host);
    const askedAt = now();
    try {
      const answer = await get(keysUrl(host), {
        ...limits,
        headers: { accept: keyMediaTypes.join(', ') },
        signal: stopped.signal,
      });
      const keys = parseDirectory(answer);
      remember(host, { keys, freshUntil: now() + freshness(answer.headers), askedAt, failure: undefined });
    } catch (error) {
      // That a directory cannot be read says nothing about the keys it had.
      const failure = error instanceof Error ? error.message : String(error);
      remember(host, { keys: before?.keys, freshUntil: before?.freshUntil ?? 0, askedAt, failure });
    } finally {
      underWay.delete(host);
      release();
    }
  }

  function remember(host: string, entry: Entry): void {
    entries.delete(host);
    entries.set(host, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxHosts) break;
      if (!isKnown(oldest)) entries.delete(oldest);
    }
  }

  function askFor(host: string, entry: Entry | undefined): void {
    if (stopped.signal.aborted || underWay.has(host)) return;
    if (entry && now() - entry.askedAt < askAgainAfterMs) return;
    const release = isKnown(host) ? () => undefined : budget.take();
    if (release) underWay.set(host, ask(host, release));
  }

  return {
    find(host, keyid, at) {
      const entry = entries.get(host);
      const isFresh = entry !== undefined && now() < entry.freshUntil;
      if (!isFresh || !entry.keys?.has(keyid)) askFor(host, entry);
      return keyOf(host, entry, keyid, { at, now: now() });
    },
    settle: async (host) => underWay.get(host),
    stop: () => stopped.abort(),
  };
}

function keyOf(
  host: string,
  entry: Entry | undefined,
  keyid: string,
  { at, now }: { at: number; now: number },
): SigningKey | { why: string } {
  if (!entry?.keys) return { why: `The key directory of ${host} is not known${because(entry?.failure)}.` };
  if (entry.failure === undefined && now >= entry.freshUntil + graceMs) {
    return { why: `The key directory of ${host} is being fetched anew.` };
  }
  const found = entry.keys.get(keyid);
  if (!found) return { why: `The key directory of ${host} lists no key with this id.` };
  if (at < found.notBefore || at >= found.notAfter) {
    return { why: `The key of ${host} is not good at this time.` };
  }
  return found.alg === undefined ? { key: found.key } : { key: found.key, alg: found.alg };
}

const because = (failure: string | undefined) =>
  failure === undefined ? ' yet' : `: ${failure.replace(/\.$/, '')}`;

/** Keeps strangers from making this server ask many hosts at once or all the time. */
function createBudget(now: () => number, concurrency: number, maxPerMinute: number) {
  let running = 0;
  let started: number[] = [];
  return {
    /** @returns what gives the place back, or undefined if there is none */
    take(): (() => void) | undefined {
      started = started.filter((at) => now() - at < 60_000);
      if (running >= concurrency || started.length >= maxPerMinute) return undefined;
      running++;
      started.push(now());
      return () => {
        running--;
      };
    },
  };
}
