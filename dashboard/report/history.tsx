import { useMemo } from 'preact/hooks';
import type { SeriesReply } from '../../shared/analytics.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { type Measure, sizeOf, toBins } from '../chart/bins.ts';
import { Chart } from '../chart/chart.tsx';
import { isRefused, ReadFailure } from '../components/notice.tsx';
import { countDays } from '../formats/day.ts';
import { formatDays } from '../formats/number.ts';
import { chartRange, type Range, rangeBefore } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { useChanges } from './changes.ts';
import { Coverage } from './coverage.tsx';
import { Figures } from './figures.tsx';
import type { Filter } from './filter.ts';
import { Now } from './now.tsx';

interface HistoryProps {
  base: string;
  range: Range;
  measure: Measure;
  filter: Filter;
  /** Null: it is seen through a share link. */
  projectId: string | null;
}

/** The large numbers and the chart. */
export function History(props: HistoryProps) {
  const { base, range, measure, filter } = props;
  const now = useResource<SeriesReply>(seriesPath(props, range), { isLive: true });
  const before = rangeBefore(range);
  const earlier = useResource<SeriesReply>(before && seriesPath(props, before));
  return (
    <>
      <div class="figures" aria-busy={now.isBusy}>
        <Figures
          now={now.data?.totals}
          before={before === null ? undefined : earlier.data?.totals}
          period={before === null ? '' : describePeriod(range, before)}
          measure={measure}
          isClient={filter.client !== undefined}
          install={now.data?.measured.ai === false ? installOf(props) : undefined}
        />
        <Now base={base} isFiltered={Object.keys(filter).length > 0} />
      </div>
      <ChartPanel {...props} now={now} />
    </>
  );
}

/** Where one connects a server; null: whoever looks on may not. */
const installOf = ({ projectId }: HistoryProps) => projectId && `/p/${projectId}/install`;

type Days = Pick<Range, 'from' | 'to'>;

function seriesPath({ base, filter }: HistoryProps, { from, to }: Days): string {
  return withQuery(`${base}/series`, { dateFrom: from, dateTo: to, ...filter });
}

function ChartPanel(props: HistoryProps & { now: Resource<SeriesReply> }) {
  const { range, measure, filter, now } = props;
  const { navigate, hrefWith } = useRouter();
  const shown = chartRange(range);
  const around = useResource<SeriesReply>(shown === range ? null : seriesPath(props, shown), {
    isLive: true,
  });
  const read = shown === range ? now : around;
  const series = read.data;
  const marks = useChanges(props.projectId && props.base, shown);
  const bins = useMemo(() => toBins(series?.days ?? [], measure), [series, measure]);
  return (
    <section class="panel panel-chart" aria-label="Over time" aria-busy={read.isBusy}>
      {isRefused(read) ? <p class="empty">{read.failure?.message}</p> : <ReadFailure resource={read} />}
      <Chart
        bins={bins}
        marks={marks}
        title={titleOf(series, measure)}
        hasPeople={filter.client === undefined}
        hasAi={series === undefined || series.measured.ai !== false || series.totals.visitors.ai > 0}
        isLoading={series === undefined}
        csv={`${seriesPath(props, shown)}&format=csv`}
        onSelectRange={(first, last) => navigate(hrefWith({ range: `${first}..${last}`, page: null }))}
      />
      {series && <Coverage measured={series.measured} />}
    </section>
  );
}

function titleOf(series: SeriesReply | undefined, measure: Measure): string {
  return `${measure === 'visitors' ? 'Visitors' : 'Views'} per ${sizeOf(series?.days.length ?? 0)}`;
}

function describePeriod({ key }: Range, before: { from: string; to: string }): string {
  if (key === 'last-month') return 'in the month before';
  const days = countDays(before.from, before.to);
  return days === 1 ? 'on the day before' : `in the ${formatDays(days)} before`;
}
