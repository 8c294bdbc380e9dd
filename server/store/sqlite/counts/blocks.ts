import type { Day } from '../../../counting/calendar.ts';

/** Days that a row of counts sums up. Each is four of the one before, and begins at a multiple of itself. */
export const spans = [1, 4, 16, 64, 256] as const;

export interface Block {
  span: number;
  day: Day;
}

/** The first day of the block of this span that holds the day. */
export function blockStart(day: Day, span: number): Day {
  return Math.floor(day / span) * span;
}

/**
 * The fewest blocks that make up the days from `from` to before `to`. Only days up to `sealedThrough` are in
 * larger blocks: a year is about 23 blocks instead of 365 days.
 */
export function coverDays(from: Day, to: Day, sealedThrough: Day | null): Block[] {
  const sealedEnd = Math.min(to, sealedThrough === null ? from : sealedThrough + 1);
  const blocks: Block[] = [];
  let day = from;
  while (day < to) {
    const span = spans.findLast((size) => day % size === 0 && day + size <= sealedEnd) ?? 1;
    blocks.push({ span, day });
    day += span;
  }
  return blocks;
}
