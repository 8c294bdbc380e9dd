import { BlockList, isIP } from 'node:net';
import type { RangeCopy } from './range-copy.ts';
import { parseRange } from './range-file.ts';

export type RangeAnswer = 'inside' | 'outside' | 'unknown';

export interface RangeBook {
  /**
   * Whether the operator of the feed publishes this address as its own. `unknown`: there is no copy of about that time.
   *
   * @param at when the request was made, in milliseconds since 1970
   */
  lookup(feed: string, ip: string, at?: number): RangeAnswer;
  /** Adds a copy if it is newer than the current one. @throws Error if a range in it is none */
  put(feed: string, copy: RangeCopy): void;
  /** The same with a copy that came with this version: its list is made on first use, as most are never used. */
  ship(feed: string, copy: RangeCopy): void;
  find(feed: string): RangeCopy | undefined;
}

interface Page {
  copy: RangeCopy;
  asOf: number;
  list: BlockList | undefined;
}

const dayMs = 86_400_000;

/**
 * Operators add ranges as they use them. A copy that has not been confirmed for a month may lack some, and
 * one made a month after a request those of its time: it can still confirm an address, but no longer report one as spoofed.
 */
export const accusesForMs = 31 * dayMs;

/** net.BlockList answers in less than a microsecond, also for the thousand single addresses of Amazon. */
export function createRangeBook(now: () => number): RangeBook {
  const pages = new Map<string, Page>();
  return {
    lookup(feed, ip, at = now()) {
      const page = pages.get(feed);
      const version = isIP(ip);
      if (!page || version === 0) return 'unknown';
      page.list ??= toBlockList(page.copy.ranges);
      if (page.list.check(ip, version === 4 ? 'ipv4' : 'ipv6')) return 'inside';
      const ageMs = now() - at > dayMs ? Math.abs(at - page.asOf) : now() - page.asOf;
      return ageMs < accusesForMs ? 'outside' : 'unknown';
    },
    put(feed, copy) {
      const asOf = Date.parse(copy.asOf);
      const held = pages.get(feed);
      if (held && held.asOf > asOf) return;
      const list = held && sameRanges(held.copy, copy) ? held.list : toBlockList(copy.ranges);
      pages.set(feed, { copy, asOf, list });
    },
    ship: (feed, copy) => void pages.set(feed, { copy, asOf: Date.parse(copy.asOf), list: undefined }),
    find: (feed) => pages.get(feed)?.copy,
  };
}

const sameRanges = (a: RangeCopy, b: RangeCopy) => a.ranges.join() === b.ranges.join();

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.map(parseRange)) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
