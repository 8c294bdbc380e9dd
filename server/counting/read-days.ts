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

type End = 'first' | 'last';

/** The first or last read of a page, searched in blocks, the likeliest first. */
interface Search {
  page: number;
  end: End;
  blocks: readonly Block[];
  /** The page was read in one of them. */
  isCertain: boolean;
}

/** A block in which a page was read; the search continues for the day. */
interface Trace extends Question {
  end: End;
}

/** Blocks that are asked about at once; then twice as many, and so on. Most pages are read again and again. */
const blocksAtFirst = 4;

/**
 * Finds when pages were read by asking whether they were in a block of days, and then in its quarters: some thirty questions
 * for each page of a year, however often it was read. An engine answers each list of questions with a list of answers, all of
 * one moment.
 *
 * @param pages for each page the day from which on a read counts as `since`; null: none does
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
    if (since === null || first === null || last === null || last < since || first >= since) return [];
    return coverDays(since, last + 1, sealedThrough);
  });
  const sinces = yield* findEnds(later, ['first']);
  return found.map((read, i) => ({
    ...read,
    since: sinceOf(read, pages[i] ?? null) ?? sinces[i]?.first ?? null,
  }));
}

/** Where no question is needed. */
function sinceOf({ first }: ReadDays, since: Day | null): Day | null {
  return since !== null && first !== null && first >= since ? first : null;
}

/** The first and the last day in the blocks of each page on which it was read. */
function* findEnds(
  blocks: readonly (readonly Block[])[],
  ends: readonly End[],
): Asking<Pick<ReadDays, 'first' | 'last'>[]> {
  const searches = blocks.flatMap((list, page) =>
    ends.map((end): Search => ({ page, end, blocks: inOrder(list, end), isCertain: false })),
  );
  let traces = yield* follow(searches);
  while (traces.some(({ span }) => span > 1)) {
    const finer = yield* follow(
      traces
        .filter(({ span }) => span > 1)
        .map(
          (trace): Search => ({ ...trace, blocks: inOrder(quartersOf(trace), trace.end), isCertain: true }),
        ),
    );
    traces = [...traces.filter(({ span }) => span === 1), ...finer];
  }
  const found = blocks.map((): Pick<ReadDays, 'first' | 'last'> => ({ first: null, last: null }));
  for (const { page, end, day } of traces) (found[page] as (typeof found)[number])[end] = day;
  return found;
}

function inOrder(blocks: readonly Block[], end: End): readonly Block[] {
  return end === 'first' ? blocks : blocks.toReversed();
}

/** The first of the blocks of each search in which its page was read. */
function* follow(searches: readonly Search[]): Asking<Trace[]> {
  const found: Trace[] = [];
  let open = searches;
  for (let from = 0, count = blocksAtFirst; open.length > 0; from += count, count *= 2) {
    const hits = yield* ask(
      open.flatMap((search) =>
        askedOf(search)
          .slice(from, from + count)
          .map(toQuestion(search)),
      ),
    );
    const missed: Search[] = [];
    for (const search of open) {
      const asked = askedOf(search);
      const hit = asked.slice(from, from + count).find((block) => hits.has(keyOf(toQuestion(search)(block))));
      const sure = search.isCertain && from + count >= asked.length ? search.blocks.at(-1) : undefined;
      const block = hit ?? sure;
      if (block) found.push({ page: search.page, end: search.end, span: block.span, day: block.day });
      else if (from + count < asked.length) missed.push(search);
    }
    open = missed;
  }
  return found;
}

/** Where a read is certain, the last block needs no question once all others were asked about. */
function askedOf({ blocks, isCertain }: Search): readonly Block[] {
  return isCertain ? blocks.slice(0, -1) : blocks;
}

const toQuestion =
  ({ page }: Search) =>
  ({ span, day }: Block): Question => ({ page, span, day });

/** A number, which is compared faster than a text: days lie within 2²⁰, and blocks have fewer than 32 sizes. */
const keyOf = ({ page, span, day }: Question) => (page * 32 + Math.log2(span)) * 2 ** 20 + day;

/** Each question once; answers the keys of those to which the answer is yes. */
function* ask(questions: readonly Question[]): Asking<ReadonlySet<number>> {
  const unique = new Map(questions.map((question) => [keyOf(question), question]));
  const answers = unique.size === 0 ? [] : yield [...unique.values()];
  return new Set([...unique.keys()].filter((_, i) => answers[i]));
}

function quartersOf({ span, day }: Block): Block[] {
  const quarter = span / 4;
  return [0, 1, 2, 3].map((i) => ({ span: quarter, day: day + i * quarter }));
}
