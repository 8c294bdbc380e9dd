import { useMemo } from 'preact/hooks';
import type { Measure, SeriesReply } from '../../shared/reports/analytics.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { lazy } from '../components/lazy.tsx';
import { usePrinting } from '../components/seen.ts';
import { Switch } from '../components/switch.tsx';
import { today as dayIn } from '../formats/day.ts';
import { daysOver, describeRange, parseRange, type Range } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { mix } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { Clients } from './clients.tsx';
import { Dropped } from './dropped.tsx';
import { isAnswered, readFilter } from './filter.ts';
import { Filters, NotCombined } from './filters.tsx';
import { History, seriesPath } from './history.tsx';
import { Pages } from './page-panels/pages.tsx';
import type { SitePanelProps } from './panel.tsx';
import { RangePicker } from './range-picker.tsx';
import { AllTraits } from './traits.tsx';

const DeclaredPanels = lazy(async () => (await import('./declared/declared-panel.tsx')).DeclaredPanels, null);

const LeftOutReports = lazy(async () => (await import('./declared/declared-panel.tsx')).LeftOutReports, null);

const GoalPanel = lazy(async () => (await import('./goal-panels/goals.tsx')).GoalPanel, null);

const Funnels = lazy(async () => (await import('./goal-panels/funnels.tsx')).Funnels, null);

const EventPanel = lazy(async () => (await import('./goal-panels/events.tsx')).EventPanel, null);

interface ReportProps {
  /** Address of the project's reports, without a slash at the end. */
  base: string;
  timeZone: string;
  /** Null: it is seen through a share link. */
  projectId: string | null;
  /** Whether whoever looks may note on the chart what happened. */
  mayNote?: boolean;
}

/** All numbers of a project. Every choice is in the address, so that a link shows the same. */
export function Report({ base, timeZone, projectId, mayNote = false }: ReportProps) {
  const { query } = useRouter();
  const { tick } = useApi();
  usePrinting();
  // At midnight another day begins.
  const today = useMemo(() => dayIn(timeZone), [timeZone, tick]);
  const range = parseRange(query.get('range'), today);
  const measure: Measure = query.get('measure') === 'views' ? 'views' : 'visitors';
  const filter = readFilter(query);
  const days = { dateFrom: range.from, dateTo: range.to };
  const request = { ...days, filter };
  const isFiltered = Object.keys(filter).length > 0;
  const hasSums = isAnswered(null, filter);
  const path = hasSums ? seriesPath({ base, filter }, range) : null;
  const series = useResource<SeriesReply>(path, { isLive: true });
  const measured = series.data?.measured;
  return (
    <>
      <div class="report-tools">
        <RangePicker range={range} today={today} />
        <MeasureSwitch measure={measure} />
      </div>
      <p class="report-days">
        {mix(t.daysAndTimeZone, { days: describeRange(range), timeZone: <bdi>{timeZone}</bdi> })}
        {isComparedInPart(range, today) && ` ${t.comparisonsLeaveOutToday}`}
      </p>
      <Filters filter={filter} />
      {hasSums ? (
        <>
          <History {...{ base, range, today, measure, filter, projectId, mayNote }} now={series} />
          <div class="panels">
            <Pages {...{ request, base, measure, measured }} />
            {isAnswered('client', filter) && <Clients {...{ request, base }} />}
            <AllTraits {...{ request, base, measured }} />
            {projectId !== null && <OwnPanels {...{ request, isFiltered, base, projectId }} />}
          </div>
          {isFiltered && projectId !== null && <LeftOutReports filter={filter} />}
        </>
      ) : (
        <NotCombined filter={filter} />
      )}
    </>
  );
}

/** Whether today is one of several days that have days before them. */
function isComparedInPart(range: Range, today: string): boolean {
  const over = daysOver(range, today);
  return over !== null && over.from !== null && over.to < range.to;
}

function MeasureSwitch({ measure }: { measure: Measure }) {
  const { hrefWith } = useRouter();
  return (
    <Switch
      label={t.whatIsCounted}
      options={{ visitors: t.visitors, views: t.views }}
      value={measure}
      hrefOf={(name) => hrefWith({ measure: name === 'visitors' ? null : name })}
    />
  );
}

interface OwnPanelsProps extends SitePanelProps {
  request: SitePanelProps['request'] & { filter: Filter };
  isFiltered: boolean;
  projectId: string;
}

/** Reports for the site's owner; with a filter those that are kept by it. */
function OwnPanels({ isFiltered, ...props }: OwnPanelsProps) {
  if (isFiltered) return <DeclaredPanels {...props} />;
  return (
    <>
      <GoalPanel {...props} />
      <Funnels {...props} />
      <EventPanel {...props} />
      <DeclaredPanels {...props} />
      <Dropped {...props} />
    </>
  );
}
