import type { Day } from '../../counting/calendar.ts';
import type { AnalyticsStore } from '../../store/counts/analytics.ts';
import type { Mark } from '../../store/marks.ts';
import { type BoundedRange, dateOf } from '../days.ts';
import { estimateEffect } from './estimate.ts';
import type { PageViews } from './pages.ts';
import { type ReaderGroup, readCounted, readerGroups, readViews, type ViewsOfPages } from './reader-group.ts';
import { touchedPaths } from './touched.ts';

/** Of each side: whole weeks, so that each has as many of every weekday. */
const mostWeeks = 4;
/** How often one change that did nothing may be told to have done something, over all of them together. */
const leftOutOfAll = 0.04;
/** A measure that holds fewer views of touched pages takes part in nothing. */
const minTouchedViews = 20;
const mostShown = 100;

type EffectVerdict = 'more' | 'less' | 'none' | 'moved_before' | 'too_little' | 'not_measured';

export interface EffectMeasure {
  of: ReaderGroup;
  verdict: EffectVerdict;
  /** 0.3: by 30 % more. */
  change: number | null;
  low: number | null;
  high: number | null;
  touchedBefore: number;
  touchedAfter: number;
  untouchedBefore: number;
  untouchedAfter: number;
}

export interface Effect {
  date: string;
  text: string;
  days: number;
  before: { from: string; to: string } | null;
  after: { from: string; to: string } | null;
  touched: string[];
  touchedPages: number;
  untouchedPages: number;
  measures: EffectMeasure[];
}

/** The same length before the change, after it, and before that: the day of the change is in none. */
interface Windows {
  earlier: BoundedRange;
  before: BoundedRange;
  after: BoundedRange;
}

type Sums = ReadonlyMap<ReaderGroup, ViewsOfPages>;

/** @param today is not over, and left out */
export async function readEffect(store: AnalyticsStore, mark: Mark, today: Day): Promise<Effect> {
  const weeks = Math.min(mostWeeks, Math.floor((today - mark.day - 1) / 7));
  const head = { date: dateOf(mark.day), text: mark.text };
  const nothing = { touched: [], touchedPages: 0, untouchedPages: 0, measures: [] };
  if (weeks < 1) return { ...head, ...nothing, days: 0, before: null, after: null };
  const windows = windowsOf(mark.day, weeks * 7);
  const { projectId } = mark;
  const before = await readViews(store, { projectId, ...windows.before });
  const after = await readViews(store, { projectId, ...windows.after });
  const earlier = await readViews(store, { projectId, ...windows.earlier });
  const counted = [
    await readCounted(store, { projectId, ...windows.before }),
    await readCounted(store, { projectId, ...windows.after }),
  ];
  const isCounted = (of: ReaderGroup) => counted.every((side) => side[of === 'people' ? of : 'ai']);
  // A page that was not there before has nothing that it could be held against.
  const paths = pathsOf(before);
  const touched = new Set(touchedPaths(mark, paths));
  return {
    ...head,
    days: weeks * 7,
    before: datesOf(windows.before),
    after: datesOf(windows.after),
    touched: [...touched].slice(0, mostShown),
    touchedPages: touched.size,
    untouchedPages: paths.length - touched.size,
    measures: measure({ earlier, before, after, isCounted }, paths, touched, seedOf(mark.id)),
  };
}

function windowsOf(day: Day, length: number): Windows {
  return {
    earlier: { from: day - 2 * length, to: day - length },
    before: { from: day - length, to: day },
    after: { from: day + 1, to: day + 1 + length },
  };
}

function datesOf({ from, to }: BoundedRange): { from: string; to: string } {
  return { from: dateOf(from), to: dateOf(to) };
}

function pathsOf(sums: Sums): string[] {
  return [...(sums.get('people')?.keys() ?? [])];
}

/** What is asked of many is more often wrong by chance, so each of them is asked to be surer. */
function measure(
  sums: { earlier: Sums; before: Sums; after: Sums; isCounted(of: ReaderGroup): boolean },
  paths: readonly string[],
  touched: ReadonlySet<string>,
  seed: number,
): EffectMeasure[] {
  const sidesOf = (group: ReaderGroup, first: Sums, second: Sums) =>
    split(paths, touched, first.get(group), second.get(group));
  const asked = readerGroups.map((of) => ({ of, ...sidesOf(of, sums.before, sums.after) }));
  const known = asked.filter(({ of }) => sums.before.has(of) || sums.after.has(of));
  const isLarge = ({ of, changed }: (typeof asked)[number]) =>
    sums.isCounted(of) && viewsOf(changed) >= minTouchedViews;
  const leftOut = leftOutOfAll / Math.max(1, known.filter(isLarge).length);
  return known.map((one) => {
    const { of, changed, others } = one;
    const totals = totalsOf(changed, others);
    const estimate = isLarge(one) ? estimateEffect(changed, others, leftOut, seed) : null;
    if (estimate === null) {
      const verdict = sums.isCounted(of) ? 'too_little' : 'not_measured';
      return { of, verdict, change: null, low: null, high: null, ...totals };
    }
    const earlier = sidesOf(of, sums.earlier, sums.before);
    const trend = estimateEffect(earlier.changed, earlier.others, leftOut, seed);
    const verdict = verdictOf(estimate);
    const wasMoving = trend !== null && isMeasured(trend);
    return {
      of,
      verdict: wasMoving && verdict !== 'none' ? 'moved_before' : verdict,
      change: toChange(estimate.middle),
      low: toChange(estimate.low),
      high: toChange(estimate.high),
      ...totals,
    };
  });
}

type Bounds = { low: number | null; high: number | null };

function isMeasured({ low, high }: Bounds): boolean {
  return (low !== null && low > 0) || (high !== null && high < 0);
}

function verdictOf(bounds: Bounds): EffectVerdict {
  if (!isMeasured(bounds)) return bounds.low === null ? 'too_little' : 'none';
  return (bounds.low ?? 0) > 0 ? 'more' : 'less';
}

/** Of a logarithm: 0.3 stands for 30 % more. */
function toChange(log: number | null): number | null {
  return log === null ? log : Math.round((Math.exp(log) - 1) * 1000) / 1000;
}

function split(
  paths: readonly string[],
  touched: ReadonlySet<string>,
  first: ViewsOfPages | undefined,
  second: ViewsOfPages | undefined,
): { changed: PageViews[]; others: PageViews[] } {
  const changed: PageViews[] = [];
  const others: PageViews[] = [];
  for (const path of paths) {
    const views = { before: first?.get(path) ?? 0, after: second?.get(path) ?? 0 };
    (touched.has(path) ? changed : others).push(views);
  }
  return { changed, others };
}

function viewsOf(pages: readonly PageViews[]): number {
  return pages.reduce((sum, { before, after }) => sum + before + after, 0);
}

function totalsOf(changed: readonly PageViews[], others: readonly PageViews[]) {
  const sum = (pages: readonly PageViews[], side: keyof PageViews) =>
    pages.reduce((total, page) => total + page[side], 0);
  return {
    touchedBefore: sum(changed, 'before'),
    touchedAfter: sum(changed, 'after'),
    untouchedBefore: sum(others, 'before'),
    untouchedAfter: sum(others, 'after'),
  };
}

/** The same answer whenever it is asked. */
function seedOf(id: string): number {
  let seed = 0;
  for (const letter of id) seed = (Math.imul(seed, 31) + letter.charCodeAt(0)) | 0;
  return seed;
}
