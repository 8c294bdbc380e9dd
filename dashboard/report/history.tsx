import { useMemo } from 'preact/hooks';
import type { HoursReply, Measure, SeriesReply } from '../../shared/reports/analytics.ts';
import type { ChangesReply } from '../../shared/reports/insights.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { sizeOf, toBins } from '../chart/bins.ts';
import { Chart } from '../chart/chart.tsx';
import { isRefused, ReadFailure } from '../components/notice.tsx';
import { addDays, countDays } from '../formats/day.ts';
import { chartRange, daysOver, type Range, rangeBefore } from '../formats/range.ts';
import { useMayOpen } from '../router/project-pages.ts';
import { useRouter } from '../router/router.tsx';
import { plural } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { CompareWith, useEarlierDays } from './comparison.tsx';
import { Coverage, comparable } from './coverage.tsx';
import { Figures } from './figures.tsx';
import { type Compared, compareHours, hasHours, sumOf, toHourBins } from './hours.ts';
import { Notes } from './notes.tsx';
import { Now } from './now.tsx';

interface HistoryProps {
  base: string;
  range: Range;
  /** In the project's zone. */
  today: string;
  measure: Measure;
  filter: Filter;
  /** Of the range. */
  now: Resource<SeriesReply>;
  /** Null: it is seen through a share link. */
  projectId: string | null;
  /** Whether whoever looks may note on the chart what happened. */
  mayNote: boolean;
}

/** The large numbers and the chart. */
export function History(props: HistoryProps) {
  const { base, range, today, measure, filter, now } = props;
  // Where one connects a server.
  const mayInstall = useMayOpen('/install');
  const isFiltered = Object.keys(filter).length > 0;
  const isToday = range.key === 'today';
  const day = isFiltered ? null : dayOf(range);
  const path = isToday ? `${base}/hours` : withQuery(`${base}/hours`, { dateFrom: day, dateTo: range.to });
  const hours = useResource<HoursReply>(day && path, { isLive: isToday });
  const earlier = useEarlier(props);
  const asYesterday = useAsYesterday(props, isToday && !isFiltered ? hours.data : undefined);
  if (isRefused(now)) {
    return (
      <section class="panel" aria-label={t.overTime}>
        <p class="empty" dir="auto">
          {now.failure?.message}
        </p>
      </section>
    );
  }
  return (
    <>
      <div class="figures" aria-busy={now.isBusy}>
        <Figures
          now={now.data?.totals}
          compared={isToday ? asYesterday : earlier}
          measure={measure}
          isClient={filter.client !== undefined}
          isSoFar={range.to > today}
          measured={now.data?.measured}
          install={mayInstall ? `/p/${props.projectId}/install` : null}
        />
        <Now base={base} isFiltered={isFiltered} />
      </div>
      {day !== null && (hours.data ? hasHours(hours.data, day) : isToday) ? (
        <HoursPanel {...props} path={path} hours={hours} series={now.data} />
      ) : (
        <ChartPanel {...props} />
      )}
    </>
  );
}

/** Of a range that is one; null: it is longer. */
function dayOf({ from, to }: Range): string | null {
  return from !== null && countDays(from, to) === 1 ? from : null;
}

/** The period before, with which the days are compared that are over. */
function useEarlier(props: HistoryProps): Compared | undefined {
  const { range, today, now } = props;
  const over = daysOver(range, today);
  const before = over && rangeBefore(over);
  const earlier = useResource<SeriesReply>(before && seriesPath(props, before)).data;
  if (!before || !earlier || !now.data) return undefined;
  const [first, second] = [comparable(earlier), comparable(now.data, over.to)];
  return {
    now: sumOf(now.data.days.filter(({ date }) => date < over.to)),
    before: earlier.totals,
    has: { human: first.human && second.human, ai: first.ai && second.ai },
    period: describePeriod(range, before),
    without: over.to < range.to ? t.todayIsLeftOut : undefined,
  };
}

/** The same hours of yesterday, with which those of today are compared. */
function useAsYesterday(props: HistoryProps, hours: HoursReply | undefined): Compared | undefined {
  const { today } = props;
  const both = { from: addDays(today, -1), to: addDays(today, 1) };
  const series = useResource<SeriesReply>(hours ? seriesPath(props, both) : null, { isLive: true }).data;
  return hours && series && compareHours(hours, comparable(series));
}

interface HoursPanelProps extends HistoryProps {
  path: string;
  hours: Resource<HoursReply>;
  series: SeriesReply | undefined;
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
      {series && <Coverage series={series} />}
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

function ChartPanel(props: HistoryProps) {
  const { range, today, measure, filter, now } = props;
  const { navigate, hrefWith } = useRouter();
  const shown = chartRange(range);
  const around = useResource<SeriesReply>(shown === range ? null : seriesPath(props, shown), {
    isLive: true,
  });
  const read = shown === range ? now : around;
  const series = read.data;
  const changes = useChanges(props.projectId && props.base, shown);
  const marks = changes.data?.changes ?? noMarks;
  const bins = useMemo(() => toBins(series?.days ?? [], measure, today), [series, measure, today]);
  const earlier = useEarlierDays(shown, measure, (days) => seriesPath(props, days));
  return (
    <section class="panel panel-chart" aria-label={t.overTime} aria-busy={read.isBusy}>
      <ReadFailure resource={read} />
      <Chart
        bins={bins}
        marks={marks}
        title={titleOf(series, measure)}
        isClient={filter.client !== undefined}
        measured={series?.measured}
        isLoading={series === undefined}
        earlier={earlier}
        tools={
          <>
            <CompareWith range={shown} />
            {props.mayNote && <Notes base={props.base} today={props.today} changes={changes} />}
          </>
        }
        csv={`${seriesPath(props, shown)}&format=csv`}
        onSelectRange={(first, last) => navigate(hrefWith({ range: `${first}..${last}`, page: null }))}
      />
      {series && <Coverage series={series} />}
    </section>
  );
}

function titleOf(series: SeriesReply | undefined, measure: Measure): string {
  return t.perSize[measure][sizeOf(series?.days.length ?? 0)];
}

function describePeriod({ key }: Range, before: { from: string; to: string }): string {
  if (key === 'last-month') return t.inTheMonthBefore;
  const days = countDays(before.from, before.to);
  return days === 1 ? t.onTheDayBefore : plural(t.inTheDaysBefore, days);
}

/** Merged pull requests, releases, notes, and new rules that tell AI apart, on the days of the chart. @param base null: nobody is to know */
function useChanges(base: string | null, { from, to }: Pick<Range, 'from' | 'to'>): Resource<ChangesReply> {
  const path = base && withQuery(`${base}/changes`, { dateFrom: from, dateTo: to, limit: 250 });
  return useResource<ChangesReply>(path, { isLive: true });
}
