import type { Day } from './calendar.ts';

/** Days that a row of counts sums up. Each is four of the one before, and begins at a multiple of itself. */
const spans = [1, 4, 16, 64, 256] as const;

/** Those of more than a day. */
export const largerSpans: readonly number[] = spans.slice(1);

export interface Block {
  span: number;
  day: Day;
}

/**
 * The blocks that a day's counts belong to: before it is sealed itself alone, as its counts still change, and after it
 * one of each span.
 */
export function blocksOf(day: Day, { isSealed }: { isSealed: boolean }): Block[] {
  return isSealed ? spans.map((span) => blockHolding(day, span)) : [{ span: 1, day }];
}

/** The blocks to which closing adds a day's counts. */
export function largerBlocksOf(day: Day): Block[] {
  return largerSpans.map((span) => blockHolding(day, span));
}

function blockHolding(day: Day, span: number): Block {
  return { span, day: Math.floor(day / span) * span };
}

/**
 * The fewest blocks that make up the days from `from` to before `to`. Only days up to `sealedThrough` are in
 * larger blocks: a year is some fourteen blocks instead of 365 days.
 *
 * @param sealsAtOnce sealing adds days to the larger blocks and raises `sealedThrough` in one step, so that these hold no day
 * after it. A range that goes further then has the block that is being filled: a year up to today is some nine blocks.
 */
export function coverDays(
  from: Day,
  to: Day,
  sealedThrough: Day | null,
  { sealsAtOnce = false } = {},
): Block[] {
  const sealedEnd = Math.min(to, sealedThrough === null ? from : sealedThrough + 1);
  const isFilling = sealsAtOnce && sealedThrough !== null && to > sealedThrough;
  const blocks: Block[] = [];
  let day = from;
  while (day < to) {
    const isSealed = day < sealedEnd;
    const mayHave = (size: number) => day % size === 0 && (isFilling || day + size <= sealedEnd);
    const span = (isSealed && spans.findLast(mayHave)) || 1;
    blocks.push({ span, day });
    day = isSealed ? Math.min(day + span, sealedEnd) : day + 1;
  }
  return blocks;
}
