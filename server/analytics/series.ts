import type { Count, DayCount, SeriesQuery, SeriesReply } from '../../shared/reports/analytics.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { DayCounts } from '../store/counts/analytics-store.ts';
import { coverageOf, type MeasuredKinds, measuredBy, measuredDays } from './measured.ts';
import { parseRange, requireDays } from './range.ts';

/** Some 27 years. */
const maxDays = 10_000;

type SeriesQuestion = Pick<SeriesQuery, 'dateFrom' | 'dateTo'> & { filter: Filter };

/** Every day of the range, of the site or of what the query names. @throws ApiError `invalid` */
export async function readSeries(
  context: Context,
  project: LiveProject,
  { filter, ...dates }: SeriesQuestion,
): Promise<SeriesReply> {
  const { timeZone } = project.settings;
  const range = parseRange(dates, timeZone);
  const to = range.to ?? context.ingest.dayOf(timeZone, context.now()) + 1;
  const first = range.from ?? Math.min((await context.store.firstDay(project.id)) ?? to, to);
  const from = range.from ?? Math.max(first, to - maxDays);
  requireDays({ from, to }, maxDays);
  const asked = { projectId: project.id, from, to };
  const [rows, ways] = await Promise.all([
    context.store.readSeries({ ...asked, filter }),
    context.store.readTallyDays({ ...asked, tally: 'ways-in' }),
  ]);
  return {
    totals: sumOf(rows),
    days: fill(rows, from, to, measuredDays(ways)),
    measured: measuredBy(ways),
    coverage: coverageOf(ways),
    ...(first < from && { omitted: { first: String(fromDay(first)), last: String(fromDay(from - 1)) } }),
  };
}

const nothing = (): Count => ({ human: 0, ai: 0, total: 0 });

/** Days without a view stand there too. */
function fill(
  rows: readonly DayCounts[],
  from: Day,
  to: Day,
  measuredOn: (day: Day) => MeasuredKinds,
): SeriesReply['days'] {
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
