import type { Measure, UnmeasuredDays } from '../../shared/reports/analytics.ts';
import { countColumns } from '../../shared/reports/cells.ts';
import type { Condition } from '../../shared/reports/pairs.ts';
import type { BoundedCount, CombinedCount } from '../../shared/reports/replies.ts';
import type { Report } from '../../shared/reports/report.ts';
import { type CountedPath, reports } from '../../shared/reports/reports.ts';
import { type Day, fromDay } from '../counting/calendar.ts';
import { factsOf } from '../identity/client-facts.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { CombinedQuery, CombinedReport } from '../store/counts/reports/combined.ts';
import type { ReportQuery, ReportRows, Row } from './reports.ts';

/** What else a file has with filters together: the most there can be. */
export const mostColumns = countColumns.map((name) => `${name}AtMost`);

export function mostOf({ visitors, views }: CombinedCount): Record<string, number> {
  const all = [visitors, views].flatMap((count) => {
    const { human, ai, total } = boundsOf(count);
    return [human.to, ai.to, total.to];
  });
  return Object.fromEntries(mostColumns.map((name, i) => [name, all[i] as number]));
}

export function boundColumns(path: CountedPath): readonly string[] {
  if (path === 'goals/:goal/channels') return ['peopleAtMost', 'conversionsAtMost'];
  if (path === 'ai-clients/:client/paths') return ['visitorsAtMost', 'viewsAtMost', 'humanViewsAtMost'];
  return path === 'ai-clients' || path === 'assistant-landings'
    ? ['visitorsAtMost', 'viewsAtMost']
    : ['humanAtMost', 'aiAtMost', 'totalAtMost'];
}

function boundsOf(count: BoundedCount): NonNullable<BoundedCount['bounds']> {
  const only = (number: number) => ({ from: number, to: number });
  return count.bounds ?? { human: only(count.human), ai: only(count.ai), total: only(count.total) };
}

/** Rows of a report that takes any filters together. */
export async function readCombinedRows(
  store: AnalyticsStore,
  { order, names: _, ...query }: ReportQuery,
  path: CountedPath,
  conditions: readonly Condition[],
): Promise<ReportRows> {
  const measure = path === 'views' ? 'views' : 'visitors';
  const [by = 'path']: readonly string[] =
    path === 'views' || path === 'visitors' ? ['path'] : ((reports[path] as Report).columns ?? []);
  const { filter: __, ...asked } = query;
  const [only] = conditions;
  if (by === 'path' && only?.name === 'path' && !only.isNot && conditions.length === 1)
    return readPagesOf(store, { ...query, order }, measure, only);
  const { totals, rows, hasMore, days } = await store.readCombined({
    ...{ ...asked, conditions, measure, order },
    by: by as CombinedQuery['by'],
  });
  const unmeasured = unmeasuredIn(days, measure);
  // What was left out when a day was closed may be of any value, an excluded one too.
  const shown = rows.filter(({ name }) => !conditions.some((one) => one.name === by && isWithout(one, name)));
  if (by === 'client') return { head: { unmeasured }, rows: shown.map(toClient), hasMore };
  return {
    head: { totals: totals[measure], unmeasured },
    rows: shown.map((row) => toRow(by, row.name, row[measure])),
    hasMore,
  };
}

const isWithout = ({ isNot, how, values }: Condition, name: string) =>
  isNot && how === 'is' && values.includes(name);

/** Pages that are one section or are asked for as several: each has its sum. */
async function readPagesOf(
  store: AnalyticsStore,
  { filter: _, ...query }: ReportQuery,
  measure: Measure,
  condition: Condition,
): Promise<ReportRows> {
  const names = await store.listPaths(query.projectId, condition);
  const [{ totals, days }, { rows, hasMore }] = await Promise.all([
    store.readCombined({ ...query, conditions: [condition], measure, by: null }),
    store.readCounts({ ...query, dimension: 'path', measure, names }),
  ]);
  return {
    head: { totals: totals[measure], unmeasured: unmeasuredIn(days, measure) },
    rows: rows.map(({ name, ...count }) => toRow('path', name, count)),
    hasMore,
  };
}

/** A run of the days that are not known; null: there are none. */
export function unmeasuredIn(days: CombinedReport['days'], measure: Measure): UnmeasuredRun | null {
  const unknown = days.filter(
    ({ isMeasured, lacksVisitors }) => !isMeasured || (lacksVisitors && measure === 'visitors'),
  );
  const [first, last] = [unknown[0], unknown.at(-1)];
  if (first === undefined || last === undefined) return null;
  const run = { days: unknown.length, first: dateOf(first.day), last: dateOf(last.day) };
  const isOfSection = unknown.every(({ isMeasured, lacksVisitors }) => isMeasured && lacksVisitors);
  return { ...run, message: messageOf(run, isOfSection), isOfSection };
}

type UnmeasuredRun = Required<UnmeasuredDays>;

const dateOf = (day: Day) => String(fromDay(day));

function messageOf(
  { days, first, last }: { days: number; first: string; last: string },
  isSection: boolean,
): string {
  const when = days === 1 ? first : `${days} days from ${first} to ${last}`;
  if (isSection)
    return `Visitors of a section are counted from the day on which it is declared: add its glob and a name to "sections" of the project, such as "/docs/** Documentation". Those of ${when} are null; views are exact.`;
  return `Filters together are not known of ${when}, as groups of visitors were not kept. The counts leave out what is not known, or are null; bounds include it.`;
}

/** A count may have bounds beside it, which a file has as columns. */
const toRow = (by: string, name: string, count: BoundedCount) => ({ [by]: name, ...count }) as unknown as Row;

function toClient({ name, visitors, views }: CombinedReport['rows'][number]): Row {
  const { operator, purpose } = factsOf(name);
  const bounds = { visitors: boundsOf(visitors).ai, views: boundsOf(views).ai };
  const isExact = Object.values(bounds).every(({ from, to }) => from === to);
  const row = {
    ...{ client: name, operator, purpose, proof: null, check: null, visitors: visitors.ai, views: views.ai },
    ...(!isExact && { bounds }),
  };
  return row as unknown as Row;
}

/** A row of a file. */
export function withMost(row: Row): Row {
  const { bounds, ...counts } = row as unknown as Record<string, number | null> & {
    bounds?: BoundedCount['bounds'];
  };
  const most = Object.entries(counts).map(([name, count]) => {
    const { to } = (bounds as Record<string, { to: number }> | undefined)?.[name] ?? { to: count };
    return [`${name}AtMost`, to];
  });
  return { ...counts, ...Object.fromEntries(most) };
}
