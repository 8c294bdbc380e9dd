import { useMemo } from 'preact/hooks';
import type { SeriesReply } from '../../shared/analytics.ts';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { type Measure, sizeOf, toBins } from '../chart/bins.ts';
import { Chart } from '../chart/chart.tsx';
import { Failure } from '../components/notice.tsx';
import { countDays, today as dayIn } from '../formats/day.ts';
import { chartRange, describeRange, parseRange, type Range, rangeBefore } from '../formats/range.ts';
import { Link, useRouter } from '../router/router.tsx';
import { Clients } from './clients.tsx';
import { Dropped } from './dropped.tsx';
import { Figures } from './figures.tsx';
import { Filters } from './filters.tsx';
import { Now } from './now.tsx';
import { Pages } from './pages.tsx';
import { RangePicker } from './range-picker.tsx';
import { AllTraits } from './traits.tsx';

interface ReportProps {
  /** Where its reports are, without a slash at the end. */
  base: string;
  timeZone: string;
  /** Read by who has the link only. */
  isShared: boolean;
}

/** All numbers of a project. What is looked at is in the address, so that a link shows the same. */
export function Report({ base, timeZone, isShared }: ReportProps) {
  const { query, hrefWith } = useRouter();
  const { tick } = useApi();
  // At midnight the days move on.
  const today = useMemo(() => dayIn(timeZone), [timeZone, tick]);
  const range = parseRange(query.get('range'), today);
  const measure: Measure = query.get('measure') === 'views' ? 'views' : 'visitors';
  const client = query.get('client');
  const path = query.get('path');
  const request = { dateFrom: range.from, dateTo: range.to };
  const isFiltered = client !== null || path !== null;
  return (
    <>
      <div class="report-tools">
        <RangePicker range={range} today={today} />
        <nav class="switch" aria-label="What is counted">
          {(['visitors', 'views'] as const).map((name) => (
            <Link
              key={name}
              href={hrefWith({ measure: name === 'visitors' ? null : name })}
              aria-current={name === measure ? 'true' : undefined}
            >
              {name === 'visitors' ? 'Visitors' : 'Views'}
            </Link>
          ))}
        </nav>
      </div>
      <p class="report-days">
        {describeRange(range)}, days of <bdi>{timeZone}</bdi>. A visitor counts once a day.
      </p>
      <Filters path={path} client={client} />
      <History {...{ base, range, measure, path, client }} />
      <div class="panels">
        <Pages {...{ request, base, measure, client }} />
        <Clients title={isFiltered ? 'AI clients of the site' : 'AI clients'} {...{ request, base }} />
        {!isFiltered && (
          <>
            <AllTraits {...{ request, base }} />
            {!isShared && <Dropped {...{ request, base }} />}
          </>
        )}
      </div>
      {isFiltered && (
        <p class="aside">
          Sources, countries and devices are counted for the whole site only, so that they are not shown for a
          single page or client.
        </p>
      )}
    </>
  );
}

interface HistoryProps {
  base: string;
  range: Range;
  measure: Measure;
  path: string | null;
  client: string | null;
}

/** The large numbers and the chart. */
function History({ base, range, measure, path, client }: HistoryProps) {
  const { navigate, hrefWith } = useRouter();
  const seriesOf = (from: string | null, to: string) =>
    withQuery(`${base}/series`, { dateFrom: from, dateTo: to, path, client });
  const { from, to } = range;
  const before = rangeBefore(range);
  const shown = chartRange(range);
  const now = useResource<SeriesReply>(seriesOf(from, to), { isLive: true });
  const earlier = useResource<SeriesReply>(before && seriesOf(before.from, before.to));
  const around = useResource<SeriesReply>(shown === range ? null : seriesOf(shown.from, shown.to), {
    isLive: true,
  });
  const charted = shown === range ? now.data : around.data;
  const bins = useMemo(() => toBins(charted?.days ?? [], measure), [charted, measure]);
  const stretch = (first: string, last: string) =>
    navigate(hrefWith({ range: `${first}..${last}`, page: null }));
  return (
    <>
      <div class="figures" aria-busy={now.isBusy}>
        <Figures
          now={now.data?.totals}
          before={before === null ? undefined : earlier.data?.totals}
          period={before === null ? '' : periodBefore(range, before)}
          measure={measure}
          isClient={client !== null}
        />
        <Now base={base} isFiltered={client !== null || path !== null} />
      </div>
      <section class="panel panel-chart" aria-label="Over time" aria-busy={now.isBusy}>
        <Failure failure={now.isBusy ? undefined : now.failure} retry={now.reload} />
        <Chart
          bins={bins}
          title={titleOf(charted, measure)}
          hasPeople={client === null}
          csv={`${seriesOf(shown.from, shown.to)}&format=csv`}
          onSelectRange={stretch}
        />
      </section>
    </>
  );
}

function titleOf(series: SeriesReply | undefined, measure: Measure): string {
  return `${measure === 'visitors' ? 'Visitors' : 'Views'} a ${sizeOf(series?.days.length ?? 0)}`;
}

function periodBefore(range: Range, before: { from: string; to: string }): string {
  if (range.key === 'last-month') return 'the month before';
  const days = countDays(before.from, before.to);
  return days === 1 ? 'the day before' : `the ${days} days before`;
}
