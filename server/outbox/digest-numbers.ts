import type { Count, Measure, Measured } from '../../shared/reports/analytics.ts';
import type { BoundedCount, CombinedCount, UnmeasuredDays } from '../../shared/reports/replies.ts';
import type { CountedPath } from '../../shared/reports/reports.ts';
import { readCombinedRows } from '../analytics/combined.ts';
import { type AskedProject, readFilter } from '../analytics/filters.ts';
import { isUnmeasured, readMeasured, readUnmeasuredDays, runOf } from '../analytics/measured.ts';
import { type ReportRows, readOf } from '../analytics/reports.ts';
import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import type { DigestPeriod } from './digest-period.ts';
import { type NotificationRow, writeNumber } from './notification.ts';

/** Of each list. */
const maxRows = 5;

interface Days {
  from: Day;
  to: Day;
}

type Query = Readonly<Record<string, string>>;

/** As the report has them with these filters. @throws ApiError `invalid` */
export async function readRows(
  asked: AskedProject,
  path: CountedPath,
  { from, to }: Days,
  query: Query = {},
): Promise<ReportRows> {
  const { store, projectId } = asked;
  const { filter, conditions } = await readFilter(query, path, { ...asked, days: { from, to } });
  const range = { projectId, from, to, filter, limit: maxRows, offset: 0 };
  return conditions
    ? readCombinedRows(store, range, path, conditions)
    : readOf(path)(store, range, {}, () => 'not_listed');
}

interface Head {
  totals: BoundedCount;
  unmeasured?: UnmeasuredDays | null;
}

export type PageCount = BoundedCount & { path: string };

/** Of a period and of the one before. */
export interface DigestNumbers {
  totals: CombinedCount;
  before: CombinedCount;
  pages: PageCount[];
  /** What is not known of them. */
  message: string | null;
}

/** @throws ApiError `invalid` */
export async function readNumbers(
  asked: AskedProject,
  { before, from, to }: DigestPeriod,
  query?: Query,
): Promise<DigestNumbers> {
  const read = async (days: Days) => {
    const visitors = await readRows(asked, 'visitors', days, query);
    const views = await readRows(asked, 'views', days, query);
    const [ofVisitors, ofViews] = [visitors.head as Head, views.head as Head];
    return {
      totals: { visitors: ofVisitors.totals, views: ofViews.totals },
      pages: [...views.rows] as unknown as PageCount[],
      message: ofVisitors.unmeasured?.message ?? ofViews.unmeasured?.message ?? null,
    };
  };
  const [now, then] = [await read({ from, to }), await read({ from: before, to: from })];
  return { ...now, before: then.totals, message: now.message ?? then.message };
}

/** What was measured in a period. */
export interface PeriodMeasured extends Measured {
  /** Days with hits on which these were not measured, where they were on others; null: none. */
  missing: Record<Who, Pick<UnmeasuredDays, 'days' | 'first' | 'last'> | null>;
}

/** The same of the period before, too. */
export interface DigestMeasured {
  measured: PeriodMeasured;
  measuredBefore: PeriodMeasured;
}

export type Who = 'human' | 'ai';

export async function readPeriods(
  { store, projectId }: AskedProject,
  { before, from, to }: DigestPeriod,
): Promise<DigestMeasured> {
  const read = async (days: Days): Promise<PeriodMeasured> => {
    const measured = await readMeasured(store, { projectId, ...days });
    const { human, ai } = await readUnmeasuredDays(store, { projectId, ...days });
    return {
      ...measured,
      missing: { human: measured.people ? runOf(human) : null, ai: measured.ai ? runOf(ai) : null },
    };
  };
  return { measured: await read({ from, to }), measuredBefore: await read({ from: before, to: from }) };
}

/** A number that was not measured is not zero. */
export function isMissing(who: Who, count: BoundedCount, measured: Measured): boolean {
  return isUnmeasured(mostOf(count, who), wasMeasured(who, measured));
}

const mostOf = (count: BoundedCount, who: keyof Count): number =>
  count.bounds === undefined ? count[who] : count.bounds[who].to;

/** Such as `12 to 15`, where more than the least is not known. @param isPart there were days without */
export function writeBounds(least: number | null, most: number, isPart: boolean): string {
  if (isPart) return least === null ? 'not known' : `at least ${writeNumber(least)}`;
  if (least === null) return `at most ${writeNumber(most)}`;
  return least === most ? writeNumber(most) : `${writeNumber(least)} to ${writeNumber(most)}`;
}

export function writeBounded(count: BoundedCount, who: Who, { missing }: PeriodMeasured): string {
  return writeBounds(count[who], mostOf(count, who), missing[who] !== null);
}

/** Such as `1 view`. */
export function writeViews(count: BoundedCount, who: Who, measured: PeriodMeasured): string {
  return `${writeBounded(count, who, measured)} view${mostOf(count, who) === 1 ? '' : 's'}`;
}

function wasMeasured(who: Who, { people, ai }: Measured): boolean | null {
  return who === 'human' ? people : ai;
}

export const nounOf = ({ term }: Pick<DigestPeriod, 'term'>): string =>
  term === 'weekly' ? 'week' : 'month';

/** From the first day to the last, as in the dashboard's address. */
export const rangeOf = ({ from, to }: DigestPeriod): string => `${dateOf(from)}..${dateOf(to - 1)}`;

export function rowsOfNumbers(
  numbers: Pick<DigestNumbers, 'totals' | 'before'> & DigestMeasured,
  period: DigestPeriod,
): NotificationRow[] {
  const sum = (measure: Measure, who: Who) => sumOf(numbers, measure, who, nounOf(period));
  return [
    { name: 'Visitors, people', value: sum('visitors', 'human') },
    { name: 'Visitors, AI', value: sum('visitors', 'ai') },
    { name: 'Views by people', value: sum('views', 'human') },
    { name: 'Views by AI', value: sum('views', 'ai') },
  ];
}

export function rowsOfPages(pages: readonly PageCount[], measured: PeriodMeasured): NotificationRow[] {
  return pages.map((page) => ({ name: page.path, value: viewsOf(page, measured) }));
}

/** With how it changed, where both were counted alike: of AI some is seen by the script, too. */
function sumOf(
  { totals, before, ...measured }: Pick<DigestNumbers, 'totals' | 'before'> & DigestMeasured,
  measure: Measure,
  who: Who,
  noun: string,
): string {
  const count = totals[measure];
  if (isMissing(who, count, measured.measured)) return 'not measured';
  return `${writeBounded(count, who, measured.measured)} (${changeOf(count, before[measure], { ...measured, who, noun })})`;
}

function viewsOf(page: PageCount, measured: PeriodMeasured): string {
  const measuredKinds = (['human', 'ai'] as const).filter((who) => !isMissing(who, page, measured));
  return measuredKinds
    .map((who) => `${writeBounded(page, who, measured)} by ${who === 'human' ? 'people' : 'AI'}`)
    .join(', ');
}

function changeOf(
  count: BoundedCount,
  before: BoundedCount,
  { who, noun, measured, measuredBefore }: DigestMeasured & { who: Who; noun: string },
): string {
  const [most, mostBefore] = [mostOf(count, who), mostOf(before, who)];
  const [now, then] = [wasMeasured(who, measured), wasMeasured(who, measuredBefore)];
  if (isUnmeasured(mostBefore, then) || (then === false && now === true))
    return `not measured the ${noun} before`;
  if (now === false && then === true) return `measured in another way the ${noun} before`;
  const isPart = measured.missing[who] !== null || measuredBefore.missing[who] !== null;
  if (isPart || count[who] !== most || before[who] !== mostBefore)
    return `${writeBounded(before, who, measuredBefore)} the ${noun} before`;
  if (mostBefore === 0) return most === 0 ? 'as before' : `none the ${noun} before`;
  const percent = Math.round((most / mostBefore - 1) * 100);
  if (percent === 0) return 'as before';
  return `${percent > 0 ? '+' : '−'}${writeNumber(Math.abs(percent))} %`;
}
