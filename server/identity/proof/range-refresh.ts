import type { HttpsGet } from '../../net/https-get.ts';
import { refreshMs } from '../../store/nodes.ts';
import { oneLine } from '../../text/one-line.ts';
import type { Feed } from './feeds.ts';
import { collectionUrl, parseCollection } from './range-collection.ts';
import { type RangeCopy, writeCopy } from './range-copy.ts';
import { addressSpace, parseRangeFile } from './range-file.ts';
import type { RangeSharing } from './range-sharing.ts';
import type { RangeBook } from './ranges.ts';

export interface RangeRefreshContext {
  feeds: readonly Feed[];
  /** The fallback for lists that an operator does not give out. */
  collection?: string;
  book: RangeBook;
  /** Where copies are kept. */
  folder: string;
  /** Other nodes do the same. */
  sharing?: RangeSharing | undefined;
  get: HttpsGet;
  now: () => number;
  log: { info(message: string): void; warn(message: string): void };
}

const limits = { timeoutMs: 15_000, maxBytes: 2_000_000, maxRedirects: 3 };

/** A copy younger than this is not asked for again; a bit less than the day between two rounds. */
const freshForMs = 20 * 3_600_000;

/** A list that stays short this long is no accident: it is accepted. */
const believeShrunkenAfterMs = 3 * 86_400_000;

/**
 * Asks for every feed whose copy is not of today, one after the other, and for the collection if an operator gives
 * none. Failures are logged and change nothing.
 * @returns how many feeds could not be brought up to date; null: another node is doing it
 */
export async function refreshRanges(
  context: RangeRefreshContext,
  signal: AbortSignal,
): Promise<number | null> {
  const { sharing } = context;
  if (!sharing) return refreshDue(context, signal);
  await sharing.take();
  if (dueFeeds(context).length === 0) return 0;
  let missed: number | null = null;
  await sharing.alone(async () => {
    // Another node may have done it until now.
    await sharing.take();
    missed = await refreshDue(context, signal);
  });
  return missed;
}

function dueFeeds({ feeds, book, now }: RangeRefreshContext): Feed[] {
  return feeds.filter(({ id }) => now() - Date.parse(book.find(id)?.asOf ?? '1970-01-01') >= freshForMs);
}

async function refreshDue(context: RangeRefreshContext, signal: AbortSignal): Promise<number> {
  const { log } = context;
  const due = dueFeeds(context);
  const missed = new Map<Feed, string>();
  for (const feed of due) {
    if (signal.aborted) return 0;
    await refreshFeed(feed, context, signal).catch((error) => missed.set(feed, causeOf(error)));
  }
  if (missed.size > 0 && !signal.aborted) {
    log.warn(describeMissed(missed, context.feeds.length));
    await refreshFromCollection([...missed.keys()], context, signal).catch((error) =>
      log.warn(`Could not download the public collection of IP lists instead (${causeOf(error)}).`),
    );
  }
  return missed.size;
}

/** Lists that one line of the log names. */
const mostNamed = 3;

/** Without a network all fail alike, so that one cause is enough. */
function describeMissed(missed: ReadonlyMap<Feed, string>, all: number): string {
  const causes = [...new Set(missed.values())];
  const cause =
    causes.length === 1 && missed.size > 1
      ? causes[0]
      : [...missed]
          .slice(0, mostNamed)
          .map(([{ id }, why]) => `${id}: ${why}`)
          .join('; ');
  return `Could not refresh ${missed.size} of ${all} IP lists (${cause}); using cached copies. HEADCOUNT_OFFLINE=1 turns this off.`;
}

/** @throws Error if there is no list to be had or it cannot be believed */
async function refreshFeed(feed: Feed, context: RangeRefreshContext, signal: AbortSignal): Promise<void> {
  const { book, get, now } = context;
  const held = book.find(feed.id);
  const asOf = new Date(now()).toISOString();
  const headers = {
    accept: 'application/json, */*;q=0.1',
    ...(held?.etag ? { 'if-none-match': held.etag } : {}),
  };
  const answer = await get(feed.url, { ...limits, headers, signal });
  const { host } = new URL(feed.url);
  if (answer.status === 304 && held?.etag) {
    await accept(feed, { source: feed.url, asOf, etag: held.etag, ranges: held.ranges }, context);
    return;
  }
  if (answer.status !== 200) throw new Error(`${host} answered with status ${answer.status}.`);
  const { etag } = answer.headers;
  const ranges = await parseRangeFile(answer.body);
  await accept(feed, { source: feed.url, asOf, ...(etag ? { etag } : {}), ranges }, context);
}

async function refreshFromCollection(
  missed: readonly Feed[],
  context: RangeRefreshContext,
  signal: AbortSignal,
): Promise<void> {
  const { book, get, collection = collectionUrl } = context;
  const answer = await get(collection, { ...limits, signal });
  if (answer.status !== 200)
    throw new Error(`${new URL(collection).host} answered with status ${answer.status}.`);
  const { asOf, rangesBySource } = await parseCollection(answer.body);
  for (const feed of missed) {
    const ranges = rangesBySource.get(feed.url);
    const held = book.find(feed.id);
    if (!ranges || (held && Date.parse(held.asOf) >= Date.parse(asOf))) continue;
    await accept(feed, { source: collection, asOf, ranges }, context);
  }
}

/** @throws Error if the list has lost so much that it may be an accident */
async function accept(feed: Feed, copy: RangeCopy, context: RangeRefreshContext): Promise<void> {
  const { book, folder, sharing, now, log } = context;
  const keep = async (kept: RangeCopy) => {
    book.put(feed.id, kept);
    writeCopy(folder, feed.id, kept);
    await sharing?.keep(feed.id, kept);
  };
  const held = book.find(feed.id);
  if (held && hasShrunken(held.ranges, copy.ranges)) {
    const shrunkenSince = held.shrunkenSince ?? new Date(now()).toISOString();
    if (now() - Date.parse(shrunkenSince) < believeShrunkenAfterMs) {
      await keep({ ...held, shrunkenSince });
      throw new Error(
        `${copy.source} gives less than half of the addresses it gave before; it will be believed if it does so for three days.`,
      );
    }
    log.info(`${copy.source} has given less than half of the addresses for three days and is now believed.`);
  }
  await keep(copy);
}

/** By addresses, not by lines: operators join and split ranges without meaning anything by it. */
function hasShrunken(before: readonly string[], after: readonly string[]): boolean {
  const old = addressSpace(before);
  const fresh = addressSpace(after);
  return fresh.ipv4 < old.ipv4 / 2 || fresh.ipv6 < old.ipv6 / 2;
}

function causeOf(error: unknown): string {
  if (/^(EAI_AGAIN|ENOTFOUND)$/.test(String((error as NodeJS.ErrnoException).code))) return 'no DNS?';
  return oneLine(error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

const hourMs = 3_600_000;

function waitMs(failed: number | null): number {
  // Another node may have no way to where the lists are.
  if (failed === null) return refreshMs;
  return (failed > 0 ? 6 : 24) * hourMs;
}

/** Within a minute of the start, then daily, sooner after a failure; never on the minute, lest all installations ask at once. */
export function scheduleRefresh(context: RangeRefreshContext, random: () => number = Math.random) {
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const wait = (ms: number) => {
    if (!stopped.signal.aborted) timer = setTimeout(run, ms).unref();
  };
  const run = () => {
    running = refreshRanges(context, stopped.signal).then((failed) =>
      wait(waitMs(failed) * (0.9 + random() * 0.2)),
    );
  };
  return {
    start: () => wait(random() * 60_000),
    async stop() {
      stopped.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
