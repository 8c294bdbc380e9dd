import type {
  CombinedCount,
  CombinedSeriesReply,
  Count,
  DayCount,
  SeriesQuery,
} from '../../shared/reports/analytics.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { Call } from '../http/route.ts';
import type { DayCounts } from '../store/counts/analytics-store.ts';
import { mostColumns, mostOf, unmeasuredIn } from './combined.ts';
import { countCells } from './csv.ts';
import type { Found } from './declared-route.ts';
import { askedOf, readFilter, sayIncluded } from './filters.ts';
import { coverageOf, type MeasuredKinds, measuredBy, measuredDays } from './measured.ts';
import { parseRange, requireDays } from './range.ts';
import type { Audience } from './report-limits.ts';

/** Some 27 years. */
const maxDays = 10_000;

/** Every day of the range, of the site or with the filters of the query. @throws ApiError `invalid` */
export async function readSeries(
  context: Context,
  { project, query, req }: Call<Audience, SeriesQuery>,
): Promise<Found<CombinedSeriesReply>> {
  const { store } = context;
  const { timeZone } = project.settings;
  const named = askedOf(store, project.id, project.settings);
  const range = parseRange(query, timeZone);
  const to = range.to ?? project.calendar.dayOf(context.now()) + 1;
  const first = range.from ?? Math.min((await store.firstDay(project.id)) ?? to, to);
  const from = range.from ?? Math.max(first, to - maxDays);
  requireDays({ from, to }, maxDays);
  const { filter, conditions } = await readFilter(req.query, 'series', { ...named, days: { from, to } });
  const asked = { projectId: project.id, from, to };
  const [counts, dataSources] = await Promise.all([
    conditions
      ? store.readCombined({ ...asked, ...noRows, conditions })
      : store.readSeries({ ...asked, filter }),
    store.readCounterDays({ ...asked, counter: 'data-sources' }),
  ]);
  const combined = Array.isArray(counts) ? undefined : counts;
  const rows = Array.isArray(counts) ? counts : counts.days;
  const unknown = new Set(combined?.days.flatMap(({ day, isMeasured }) => (isMeasured ? [] : [day])));
  const isKnown = measuredDays(dataSources);
  const measuredOn = (day: Day) => (unknown.has(day) ? { people: false, ai: false } : isKnown(day));
  const days = fill(rows, from, to, measuredOn);
  return {
    answer: () => ({
      totals: Array.isArray(counts) ? sumOf(counts) : counts.totals,
      days,
      measured: measuredBy(dataSources),
      ...(combined && { unmeasured: unmeasuredIn(combined.days, 'visitors') }),
      coverage: coverageOf(dataSources),
      ...(first < from && { omitted: { first: String(fromDay(first)), last: String(fromDay(from - 1)) } }),
    }),
    ...(!conditions && { included: sayIncluded(project.settings) }),
    ...(combined && { moreColumns: mostColumns }),
    rows: days.values().map(({ date, measured, ...count }) => ({
      ...{ date, ...countCells(count, measured) },
      ...(combined && mostOf(count)),
    })),
  };
}

const noRows = { by: null, measure: 'visitors', limit: 0, offset: 0 } as const;

const nothing = (): Count => ({ human: 0, ai: 0, total: 0 });

/** Days without a view are included. */
function fill(
  rows: readonly (CombinedCount & { day: Day })[],
  from: Day,
  to: Day,
  measuredOn: (day: Day) => MeasuredKinds,
): CombinedSeriesReply['days'] {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const start = fromDay(from);
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const { visitors = nothing(), views = nothing() } = byDay.get(from + i) ?? {};
    const date = start.add({ days: i }).toString();
    return { date, visitors, views, measured: measuredOn(from + i) };
  });
}

export function sumOf(rows: readonly DayCounts[]): DayCount {
  const totals = { visitors: nothing(), views: nothing() };
  for (const { visitors, views } of rows) {
    add(totals.visitors, visitors);
    add(totals.views, views);
  }
  return totals;
}

function add(sum: Count, count: Count): void {
  sum.human += count.human;
  sum.ai += count.ai;
  sum.total += count.total;
}
