import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { DnsResolver } from '../../net/dns-resolver.ts';

export type DnsAnswer = 'confirmed' | 'refused' | 'unknown';

export interface ReverseDns {
  /**
   * Whether the address has a name under one of the suffixes that leads back to the address. Never waits: what is
   * not known yet is `unknown`, and a look-up in the background makes the next answer better.
   */
  peek(ip: string, suffixes: readonly string[]): DnsAnswer;
  /** The same after the look-up, if one is under way. */
  settle(ip: string, suffixes: readonly string[]): Promise<DnsAnswer>;
  stop(): void;
}

export interface ReverseDnsSettings {
  resolver: DnsResolver;
  now: () => number;
  timeoutMs?: number;
  /** Look-ups at a time. */
  concurrency?: number;
  maxEntries?: number;
}

interface Entry {
  /** Names that lead back to the address; undefined: it could not be found out. */
  names: readonly string[] | undefined;
  until: number;
}

const hourMs = 3_600_000;
/** A client keeps its name for long; a missing one may be a moment's mistake, an error is one. */
const keepMs = { names: 24 * hourMs, none: hourMs, error: 5 * 60_000 };
const maxWaiting = 1_000;
/** An honest address has one or two. */
const maxNames = 4;

export function createReverseDns(settings: ReverseDnsSettings): ReverseDns {
  const { resolver, now, timeoutMs = 5_000, concurrency = 8, maxEntries = 10_000 } = settings;
  const cache = new Map<string, Entry>();
  const underWay = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let free = concurrency;
  let stopped = false;

  async function lookUp(ip: string): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const names = stopped ? undefined : await withTimeout(confirmedNames(resolver, ip), timeoutMs);
    const next = waiting.shift();
    if (next) next();
    else free++;
    underWay.delete(ip);
    cache.delete(ip);
    cache.set(ip, {
      names,
      until: now() + keepMs[names === undefined ? 'error' : names.length > 0 ? 'names' : 'none'],
    });
    for (const oldest of cache.keys()) {
      if (cache.size <= maxEntries) break;
      cache.delete(oldest);
    }
  }

  function peek(ip: string, suffixes: readonly string[]): DnsAnswer {
    if (isIP(ip) === 0 || suffixes.length === 0) return 'unknown';
    const entry = cache.get(ip);
    const fresh = entry !== undefined && entry.until > now();
    if (!fresh && !stopped && !underWay.has(ip) && waiting.length < maxWaiting) underWay.set(ip, lookUp(ip));
    // An old answer is better than none while the new one is on its way.
    if (!entry?.names) return 'unknown';
    return entry.names.some((name) => suffixes.some((suffix) => isUnder(name, suffix)))
      ? 'confirmed'
      : 'refused';
  }

  return {
    peek,
    async settle(ip, suffixes) {
      const answer = peek(ip, suffixes);
      await underWay.get(ip);
      return answer === 'unknown' ? peek(ip, suffixes) : answer;
    },
    stop() {
      stopped = true;
      resolver.cancel?.();
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

/** The name itself or one below it, never one that merely ends alike. */
export function isUnder(name: string, suffix: string): boolean {
  const domain = suffix.toLowerCase().replace(/^\./, '');
  return name === domain || name.endsWith(`.${domain}`);
}

/** @returns the names of the address that lead back to it. @throws Error if the name servers did not say */
async function confirmedNames(resolver: DnsResolver, ip: string): Promise<string[]> {
  const names = (await orNone(resolver.resolvePtr(reverseName(ip)))).slice(0, maxNames);
  const tidy = names.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const resolve = (name: string) =>
    ipaddr.process(ip).kind() === 'ipv4' ? resolver.resolve4(name) : resolver.resolve6(name);
  const found = await Promise.allSettled(tidy.map((name) => orNone(resolve(name))));
  const confirmed = tidy.filter((_, index) => {
    const answer = found[index];
    return answer?.status === 'fulfilled' && answer.value.some((address) => isSame(address, ip));
  });
  const failed = found.find((answer) => answer.status === 'rejected');
  if (confirmed.length === 0 && failed) throw failed.reason;
  return confirmed;
}

/** The name under which the names of an address are found (RFC 1035 section 3.5, RFC 3596 section 2.5). */
function reverseName(ip: string): string {
  const bytes = ipaddr.process(ip).toByteArray();
  if (bytes.length === 4) return `${bytes.reverse().join('.')}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString('hex');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** That there is no such name or record is an answer too. */
async function orNone(answer: Promise<string[]>): Promise<string[]> {
  try {
    return await answer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw error;
  }
}

/** An IPv6 address can be written in many ways. */
const isSame = (a: string, b: string) =>
  isIP(a) !== 0 && ipaddr.process(a).toString() === ipaddr.process(b).toString();

async function withTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, undefined).unref();
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    // After any failure nothing is known; the next look-up is minutes away.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
