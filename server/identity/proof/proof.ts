import { Resolver } from 'node:dns/promises';
import { join } from 'node:path';
import type { DnsResolver } from '../../net/dns-resolver.ts';
import { createHttpsGet, type HttpsGet } from '../../net/https-get.ts';
import type { RangeStore } from '../../store/nodes.ts';
import { isNamedSignatureHost } from '../catalogue.ts';
import { feeds as allFeeds, type Feed } from './feeds.ts';
import { readCopy, shippedRanges } from './range-copy.ts';
import { scheduleRefresh } from './range-refresh.ts';
import { RangeSharing } from './range-sharing.ts';
import { createRangeBook, type RangeAnswer, type RangeBook } from './ranges.ts';
import { createReverseDns, type DnsAnswer } from './reverse-dns.ts';
import shipped from './shipped-ranges.json' with { type: 'json' };
import { createKeyDirectories } from './signatures/key-directories.ts';
import { createSignatures, type SignatureVerdict } from './signatures/signature.ts';
import type { SignedRequest } from './signatures/signed-request.ts';

/** A claim to be verified: this request comes from the client that it names. */
export interface ProofQuestion {
  ip: string;
  /** When it was made, in milliseconds since 1970; left out: now. */
  at?: number;
  /** Feeds of the claimed client (`feedsOf`). */
  feeds?: readonly string[];
  /** The claimed client is also sent from elsewhere: an address outside of the feeds proves nothing. */
  alsoElsewhere?: boolean;
  /** What the host names of the claimed operator end with. */
  suffixes?: readonly string[];
  /** The request itself, which may be signed. */
  request?: SignedRequest;
}

/** A part is left out if there is nothing to ask: no feed, no suffix, no signature. */
export interface DetailedFindings {
  ranges?: RangeAnswer;
  dns?: DnsAnswer;
  signature?: SignatureVerdict;
}

export interface Proofs {
  /** By what is known now; look-ups run in the background. Call once for each request. */
  check(question: ProofQuestion): DetailedFindings;
  /** The same after these look-ups, some seconds at most: for people who wait. */
  prove(question: ProofQuestion): Promise<DetailedFindings>;
  /** For a request that was checked but not accepted, so that it may come again. */
  release(findings: DetailedFindings): void;
  /** When each list of addresses was last confirmed, in milliseconds since 1970. */
  feedTimes(): Map<string, number>;
  start(): void;
  stop(): Promise<void>;
}

export interface ProofSettings {
  dataDir: string;
  /** No network access: no list of addresses, no host name, no key directory. */
  offline?: boolean;
  /** Where other nodes find the lists that this one fetches. */
  store?: RangeStore | undefined;
  now: () => number;
  log: { info(message: string): void; warn(message: string): void };
  get?: HttpsGet;
  resolver?: DnsResolver;
  feeds?: readonly Feed[];
}

const refuse = () => Promise.reject(new Error('This server is set to ask nobody (HEADCOUNT_OFFLINE).'));
const nobody: DnsResolver = { resolvePtr: refuse, resolve4: refuse, resolve6: refuse };

export function createProofs(settings: ProofSettings): Proofs {
  const { dataDir, store, now, log, feeds = allFeeds } = settings;
  const resolver = settings.offline
    ? nobody
    : (settings.resolver ?? new Resolver({ timeout: 2_000, tries: 2 }));
  const get = settings.offline ? refuse : (settings.get ?? createHttpsGet({ resolver }));
  const folder = join(dataDir, 'ranges');
  const book = fillRangeBook(feeds, folder, settings);
  const sharing = store ? new RangeSharing({ store, feeds, book, folder, log }) : undefined;
  const refresh = scheduleRefresh({ feeds, book, folder, sharing, get, now, log });
  const dns = createReverseDns({ resolver, now });
  const directories = createKeyDirectories({ get, now, isKnown: isNamedSignatureHost });
  const signatures = createSignatures(directories, now);

  return {
    check({ request, ...question }) {
      const ranges = rangesOf(question, book);
      const signature = request && signatures.check(request);
      const { ip, suffixes = [] } = question;
      // A verified claim needs no look-up.
      const proved = ranges === 'inside' || signature?.state === 'valid';
      return assemble(ranges, suffixes.length > 0 && !proved ? dns.peek(ip, suffixes) : undefined, signature);
    },
    async prove({ request, ...question }) {
      const { ip, suffixes = [] } = question;
      const [name, signature] = await Promise.all([
        suffixes.length > 0 ? dns.settle(ip, suffixes) : undefined,
        request && signatures.verify(request),
      ]);
      return assemble(rangesOf(question, book), name, signature);
    },
    release: ({ signature }) => signature && signatures.release(signature),
    feedTimes: () => timesOf(feeds, book),
    start: () => {
      sharing?.start();
      if (!settings.offline) refresh.start();
    },
    async stop() {
      dns.stop();
      directories.stop();
      await refresh.stop();
      await sharing?.stop();
    },
  };
}

/** The feeds of the client with this token, in the form of a question. */
export function feedsOf(token: string): { feeds: string[]; alsoElsewhere: boolean } {
  const found = allFeeds.filter(({ tokens }) => tokens.includes(token));
  return {
    feeds: found.map(({ id }) => id),
    alsoElsewhere: found.some((feed) => feed.alsoElsewhere?.includes(token)),
  };
}

function rangesOf(
  { ip, at, feeds = [], alsoElsewhere = false }: ProofQuestion,
  book: RangeBook,
): RangeAnswer | undefined {
  const answer = together(feeds.map((id) => book.lookup(id, ip, at)));
  return answer === 'outside' && alsoElsewhere ? 'unknown' : answer;
}

/** Inside one is inside; outside needs all of them. */
function together(answers: readonly RangeAnswer[]): RangeAnswer | undefined {
  if (answers.length === 0) return undefined;
  if (answers.includes('inside')) return 'inside';
  return answers.includes('unknown') ? 'unknown' : 'outside';
}

function assemble(
  ranges: RangeAnswer | undefined,
  dns: DnsAnswer | undefined,
  signature: SignatureVerdict | undefined,
): DetailedFindings {
  return { ...(ranges && { ranges }), ...(dns && { dns }), ...(signature && { signature }) };
}

/** With the lists of the package, and those fetched since. */
function fillRangeBook(feeds: readonly Feed[], folder: string, { now, log }: ProofSettings): RangeBook {
  const book = createRangeBook(now);
  const packaged = shippedRanges.parse(shipped).feeds;
  for (const { id } of feeds) {
    if (packaged[id]) book.ship(id, packaged[id]);
    putKept(id, book, folder, log);
  }
  return book;
}

function timesOf(feeds: readonly Feed[], book: RangeBook): Map<string, number> {
  return new Map(
    feeds.flatMap(({ id }) => {
      const copy = book.find(id);
      return copy ? [[id, Date.parse(copy.asOf)]] : [];
    }),
  );
}

/** Loads the data folder's copies that are newer than the package's. */
function putKept(feed: string, book: RangeBook, folder: string, log: ProofSettings['log']): void {
  try {
    const kept = readCopy(folder, feed);
    if (kept) book.put(feed, kept);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    log.warn(
      `The list of addresses "${feed}" in ${folder} cannot be used and will be fetched again: ${reason}`,
    );
  }
}
