import { type Block, coverDays } from './blocks.ts';
import type { Day } from './calendar.ts';

/** When a page was read. */
export interface ReadDays {
  first: Day | null;
  last: Day | null;
  /** The first on or after the day that was asked about. */
  since: Day | null;
}

export const neverRead: Readonly<ReadDays> = { first: null, last: null, since: null };

/** The days that hold counts. */
export interface CountedDays {
  from: Day;
  /** Exclusive. */
  to: Day;
  sealedThrough: Day | null;
}

/** Whether the page at this place of the list was read in the block. */
export interface Question extends Block {
  page: number;
}

type Asking<Answer> = Generator<Question[], Answer, boolean[]>;

/** A block in which a page was read, of which the day is looked for. */
interface Trace extends Question {
  end: 'first' | 'last';
}

/**
 * Finds when pages were read by asking whether they were in a block of days, and then in its quarters: some forty questions
 * for each page of a year, however often it was read. An engine answers each list of questions with a list of answers, all of
 * one moment.
 *
 * @param pages for each page the day after which a read counts as `since`; null: none does
 */
export function* findReadDays(pages: readonly (Day | null)[], days: CountedDays): Asking<ReadDays[]> {
  const { from, to, sealedThrough } = days;
  const whole = coverDays(from, to, sealedThrough);
  const ends = yield* findEnds(
    pages.map(() => whole),
    ['first', 'last'],
  );
  const found = ends.map(({ first, last }): ReadDays => ({ first, last, since: null }));
  const later = pages.map((since, i): Block[] => {
    const { first, last } = found[i] as ReadDays;
    if (since === null || first === null || last === null || last < since) return [];
    return first >= since ? [{ span: 1, day: first }] : coverDays(since, last + 1, sealedThrough);
  });
  const sinces = yield* findEnds(later, ['first']);
  return found.map((read, i) => ({ ...read, since: sinces[i]?.first ?? null }));
}

/** The first and the last day in the blocks of each page on which it was read. */
function* findEnds(
  blocks: readonly (readonly Block[])[],
  ends: readonly Trace['end'][],
): Asking<Pick<ReadDays, 'first' | 'last'>[]> {
  let traces = yield* follow(
    blocks.flatMap((list, page) => ends.map((end) => ({ page, end, blocks: list }))),
  );
  while (traces.some(({ span }) => span > 1)) {
    traces = yield* follow(
      traces.map((trace) => ({ ...trace, blocks: trace.span === 1 ? [trace] : quartersOf(trace) })),
    );
  }
  const found = blocks.map((): Pick<ReadDays, 'first' | 'last'> => ({ first: null, last: null }));
  for (const { page, end, day } of traces) (found[page] as (typeof found)[number])[end] = day;
  return found;
}

/** The first or last of the blocks, which are in order, in which the page was read. */
function* follow(
  searches: readonly (Pick<Trace, 'page' | 'end'> & { blocks: readonly Block[] })[],
): Asking<Trace[]> {
  const questions = new Map<string, Question>();
  const keyOf = (page: number, { span, day }: Block) => `${page} ${span} ${day}`;
  for (const { page, blocks } of searches) {
    for (const { span, day } of blocks) questions.set(keyOf(page, { span, day }), { page, span, day });
  }
  const keys = [...questions.keys()];
  const answers = questions.size === 0 ? [] : yield [...questions.values()];
  const hits = new Set(keys.filter((_, i) => answers[i]));
  return searches.flatMap(({ page, end, blocks }) => {
    const isHit = (block: Block) => hits.has(keyOf(page, block));
    const block = end === 'first' ? blocks.find(isHit) : blocks.findLast(isHit);
    return block ? [{ page, end, span: block.span, day: block.day }] : [];
  });
}

function quartersOf({ span, day }: Block): Block[] {
  const quarter = span / 4;
  return [0, 1, 2, 3].map((i) => ({ span: quarter, day: day + i * quarter }));
}
