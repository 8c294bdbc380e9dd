import { useMemo, useState } from 'preact/hooks';
import type { CombinedSeriesReply, HoursReply, Measure } from '../../shared/reports/analytics.ts';
import type { ChangesReply } from '../../shared/reports/insights.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { sizeOf, toBins } from '../chart/bins.ts';
import { Chart } from '../chart/chart.tsx';
import { lazy } from '../components/lazy.tsx';
import { isRefused, ReadFailure } from '../components/notice.tsx';
import { addDays, countDays, formatSpan } from '../formats/day.ts';
import { chartRange, daysOver, maxDays, type Range, rangeBefore, readComparison } from '../formats/range.ts';
import { useMayOpen } from '../router/project-pages.ts';
import { useRouter } from '../router/router.tsx';
import { fill, plural } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { ChartChoices } from './comparison.tsx';
import { Coverage, comparable, compareDays, daysOf } from './coverage.tsx';
import type { Earlier } from './earlier.tsx';
import { Figures } from './figures.tsx';
import { isOfClients } from './filter.ts';
import { type Compared, compareHours, hasHours, toHourBins } from './hours.ts';
import { Notes } from './notes.tsx';
import { Now } from './now.tsx';
import { Included } from './panel.tsx';

const EarlierDays = lazy(async () => (await import('./earlier.tsx')).EarlierDays, null);

interface HistoryProps {
  base: string;
  range: Range;
  /** In the project's zone. */
  today: string;
  measure: Measure;
  filter: Filter;
  /** Of the range. */
  now: CombinedSeriesReply | undefined;
  /** Of the range, and of the days around it that are shown beside it. */
  read: Resource<CombinedSeriesReply>;
  /** Null: it is seen through a share link. */
  projectId: string | null;
  /** Whether the user may note on the chart what happened. */
  mayNote: boolean;
}

/** The large numbers and the chart. */
export function History(props: HistoryProps) {
  const { base, range, today, measure, filter, now, read } = props;
  // Where one connects a server.
  const mayInstall = useMayOpen('/install');
  const isFiltered = Object.keys(filter).length > 0;
  const isToday = range.key === 'today';
  // The hours of yesterday and today are one report.
  const isLately = isToday || range.key === '2d';
  const day = isFiltered ? null : isLately ? today : dayOf(range);
  const path = isLately ? `${base}/hours` : withQuery(`${base}/hours`, { dateFrom: day, dateTo: range.to });
  const hours = useResource<HoursReply>(day && path, { isLive: isLately });
  const { data } = read;
  const earlier = useMemo(() => data && earlierThan(data, range, today), [data, range.key, today]);
  const [chosen, setChosen] = useState<Earlier>();
  const asYesterday = isToday && !isFiltered && data && hours.data && asOfYesterday(data, hours.data, today);
  if (isRefused(read)) {
    return (
      <section class="panel" aria-label={t.overTime}>
        <p class="empty" dir="auto">
          {read.failure?.message}
        </p>
      </section>
    );
  }
  return (
    <>
      <div class="figures" aria-busy={read.isBusy}>
        <Figures
          now={now?.totals}
          compared={isToday ? asYesterday || undefined : (chosen?.compared ?? earlier)}
          measure={measure}
          isClient={isOfClients(filter)}
          isSoFar={range.to > today}
          measured={now?.measured}
          install={mayInstall ? `/p/${props.projectId}/install` : null}
        />
        <Now base={base} isFiltered={isFiltered} projectId={props.projectId} />
      </div>
      {day !== null && (hours.data ? hasHours(hours.data, day) : isLately) ? (
        <HoursPanel {...props} path={path} hours={hours} series={now} />
      ) : (
        <ChartPanel {...props} chosen={chosen} onChosen={setChosen} />
      )}
    </>
  );
}

/** Of a range that is one; null: it is longer. */
function dayOf({ from, to }: Range): string | null {
  return from !== null && countDays(from, to) === 1 ? from : null;
}

/** The first day that is needed: of the range, of its chart, and of the period before. */
export function firstDayOf(range: Range, today: string): string | null {
  const over = daysOver(range, today);
  const { from } = (over && rangeBefore(over)) ?? range;
  const chart = chartRange(range).from;
  const first = from !== null && chart !== null && chart < from ? chart : from;
  // The server answers for no more days at once. Then there are none to compare with.
  return first !== null && countDays(first, range.to) > maxDays ? range.from : first;
}

/** The period before, with which the days are compared that are over. */
function earlierThan(series: CombinedSeriesReply, range: Range, today: string): Compared | undefined {
  const over = daysOver(range, today);
  const before = over && rangeBefore(over);
  if (!before || before.from < (series.days[0]?.date ?? '')) return undefined;
  return compareDays(daysOf(series, before), daysOf(series, over), {
    period: describePeriod(range, before),
    without: over.to < range.to ? t.todayIsLeftOut : undefined,
  });
}

/** The same hours of yesterday, with which those of today are compared. */
function asOfYesterday(series: CombinedSeriesReply, hours: HoursReply, today: string): Compared | undefined {
  const both = { from: addDays(today, -1), to: addDays(today, 1) };
  return compareHours(hours, comparable(daysOf(series, both)));
}

interface HoursPanelProps extends HistoryProps {
  path: string;
  hours: Resource<HoursReply>;
  series: CombinedSeriesReply | undefined;
}

/** A day by the hour, and today with yesterday, as a day alone says little. */
function HoursPanel({ path, measure, hours, series }: HoursPanelProps) {
  const bins = useMemo(() => (hours.data ? toHourBins(hours.data, measure) : []), [hours.data, measure]);
  return (
    <section class="panel panel-chart" aria-label={t.overTime} aria-busy={hours.isBusy}>
      <ReadFailure resource={hours} />
      <Chart
        bins={bins}
        marks={noMarks}
        title={t.perSize[measure].hour}
        measured={series?.measured}
        isLoading={hours.data === undefined}
        csv={withQuery(path, { format: 'csv' })}
        onSelectRange={() => undefined}
      />
      <Coverage series={series} />
      <Included {...hours.data} />
    </section>
  );
}

const noMarks: never[] = [];

type Days = Pick<Range, 'from' | 'to'>;

export function seriesPath(
  { base, filter }: Pick<HistoryProps, 'base' | 'filter'>,
  { from, to }: Days,
): string {
  return withQuery(`${base}/series`, { dateFrom: from, dateTo: to, ...filter });
}

interface ChartPanelProps extends HistoryProps {
  chosen: Earlier | undefined;
  onChosen: (earlier: Earlier | undefined) => void;
}

function ChartPanel(props: ChartPanelProps) {
  const { range, today, measure, filter, read } = props;
  const { query, navigate, hrefWith } = useRouter();
  const interval = query.get('interval');
  const shown = chartRange(range);
  const { data } = read;
  const series = useMemo(() => data && daysOf(data, shown), [data, shown.from, shown.to]);
  const changes = useChanges(props.projectId && props.base, shown);
  const marks = changes.data?.changes ?? noMarks;
  const bins = useMemo(
    () => toBins(series?.days ?? [], measure, interval, today),
    [series, measure, interval, today],
  );
  const title = t.perSize[measure][sizeOf(series?.days.length ?? 0, interval)];
  return (
    <section class="panel panel-chart" aria-label={t.overTime} aria-busy={read.isBusy}>
      <ReadFailure resource={read} />
      <Chart
        bins={bins}
        marks={marks}
        title={title}
        isClient={isOfClients(filter)}
        measured={series?.measured}
        isLoading={series === undefined}
        earlier={props.chosen?.bins}
        tools={
          <>
            <ChartChoices range={range} today={today} />
            {props.mayNote && <Notes base={props.base} today={props.today} changes={changes} />}
          </>
        }
        csv={`${seriesPath(props, shown)}&format=csv`}
        onSelectRange={(first, last) => navigate(hrefWith({ range: `${first}..${last}`, page: null }))}
      />
      {readComparison(query) !== 'none' && range.from !== null && (
        <EarlierDays
          {...{ range, today, measure, title, now: props.now, onRead: props.onChosen }}
          pathOf={(days) => seriesPath(props, days)}
        />
      )}
      <Coverage series={series} />
      <Included {...data} />
    </section>
  );
}

function describePeriod({ key, from }: Range, before: { from: string; to: string }): string {
  if (key === 'last-month') return t.inTheMonthBefore;
  const days = countDays(before.from, before.to);
  if (addDays(before.from, days) !== from)
    return fill(t.onDays, { days: formatSpan(before.from, addDays(before.to, -1)) });
  return days === 1 ? t.onTheDayBefore : plural(t.inTheDaysBefore, days);
}

/** Merged pull requests, releases, notes, and new rules that recognise AI, on the days of the chart. @param base null: nobody is to know */
function useChanges(base: string | null, { from, to }: Pick<Range, 'from' | 'to'>): Resource<ChangesReply> {
  const path = base && withQuery(`${base}/changes`, { dateFrom: from, dateTo: to, limit: 250 });
  return useResource<ChangesReply>(path, { isLive: true });
}
