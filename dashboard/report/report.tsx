import { useMemo } from 'preact/hooks';
import { useApi } from '../api/context.ts';
import type { Measure } from '../chart/bins.ts';
import { lazy } from '../components/lazy.tsx';
import { Switch } from '../components/switch.tsx';
import { today as dayIn } from '../formats/day.ts';
import { describeRange, parseRange } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { Clients } from './clients.tsx';
import { Dropped } from './dropped.tsx';
import { Filters } from './filters.tsx';
import { History } from './history.tsx';
import { Pages } from './pages.tsx';
import { RangePicker } from './range-picker.tsx';
import { AllTraits } from './traits.tsx';

const DeclaredPanels = lazy(async () => (await import('./declared/declared-panel.tsx')).DeclaredPanels, null);

interface ReportProps {
  /** Address of the project's reports, without a slash at the end. */
  base: string;
  timeZone: string;
  /** Null: it is seen through a share link. */
  projectId: string | null;
}

/** All numbers of a project. Every choice is in the address, so that a link shows the same. */
export function Report({ base, timeZone, projectId }: ReportProps) {
  const { query } = useRouter();
  const { tick } = useApi();
  // At midnight another day begins.
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
        <MeasureSwitch measure={measure} />
      </div>
      <p class="report-days">
        {describeRange(range)}, time zone <bdi>{timeZone}</bdi>. Each visitor is counted once per day.
      </p>
      <Filters path={path} client={client} />
      <History {...{ base, range, measure, path, client, projectId }} />
      <div class="panels">
        <Pages {...{ request, base, measure, client }} />
        <Clients title={isFiltered ? 'AI clients of the whole site' : 'AI clients'} {...{ request, base }} />
        {!isFiltered && <SitePanels {...{ request, base, projectId }} />}
      </div>
      {isFiltered && (
        <p class="aside">
          Sources, countries and devices are counted for the whole site only. Remove the filter to see them.
        </p>
      )}
    </>
  );
}

function MeasureSwitch({ measure }: { measure: Measure }) {
  const { hrefWith } = useRouter();
  return (
    <Switch
      label="What is counted"
      options={{ visitors: 'Visitors', views: 'Views' }}
      value={measure}
      hrefOf={(name) => hrefWith({ measure: name === 'visitors' ? null : name })}
    />
  );
}

type SitePanelsProps = Pick<ReportProps, 'base' | 'projectId'> & {
  request: { dateFrom: string | null; dateTo: string };
};

/** Reports that there are of the whole site only. */
function SitePanels({ request, base, projectId }: SitePanelsProps) {
  return (
    <>
      <AllTraits {...{ request, base }} />
      {projectId !== null && (
        <>
          <DeclaredPanels {...{ request, base, projectId }} />
          <Dropped {...{ request, base }} />
        </>
      )}
    </>
  );
}
