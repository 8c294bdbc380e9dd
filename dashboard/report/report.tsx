import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Measure } from '../../shared/reports/analytics.ts';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/resource.ts';
import { FileLink } from '../components/csv-link.tsx';
import { lazy } from '../components/lazy.tsx';
import { usePrinting } from '../components/seen.ts';
import { Switch } from '../components/switch.tsx';
import { today as dayIn } from '../formats/day.ts';
import { daysOver, describeRange, parseRange, type Range } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { mix } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { Today } from './comparison.tsx';
import { isAnswered, readFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { RangePicker } from './range-picker.tsx';
import type { View } from './view.ts';

const AddFilter = lazy(async () => (await import('./add-filter.tsx')).AddFilter, null);
const UnreadFilters = lazy(async () => (await import('./add-filter.tsx')).UnreadFilters, null);
const SavedViews = lazy(async () => (await import('./saved-views.tsx')).SavedViews, null);

/** Of what a page of numbers is. */
export interface Site extends Pick<View, 'base' | 'projectId'> {
  timeZone: string;
}

interface ReportProps extends Site {
  /** Whether visitors or views can be counted. */
  hasMeasure?: boolean;
  children: (view: View) => ComponentChildren;
}

/** A page of numbers, below the choice of days and filters. Every choice is in the address, so that a link shows the same. */
export function Report({ base, timeZone, projectId, hasMeasure = false, children }: ReportProps) {
  const { query } = useRouter();
  const { tick } = useApi();
  usePrinting();
  // At midnight another day begins.
  const today = useMemo(() => dayIn(timeZone), [timeZone, tick]);
  const range = parseRange(query.get('range'), today);
  const measure: Measure = query.get('measure') === 'views' ? 'views' : 'visitors';
  const { filter, leftOut } = readFilter(query);
  const request = { dateFrom: range.from, dateTo: range.to, filter };
  return (
    <>
      <div class="report-top">
        <div class="report-tools">
          <RangePicker range={range} today={today} />
          {hasMeasure && <MeasureSwitch measure={measure} />}
          <div class="panel-tools">
            <FileLink
              href={withQuery(`${base}/export`, { dateFrom: range.from, dateTo: range.to, ...filter })}
              label={t.exportAll}
            />
            <Opener label={t.filter} show={(onClose) => <AddFilter {...{ base, request, onClose }} />} />
            {projectId !== null && (
              <Opener
                label={t.saveOrShare}
                show={(onClose) => <SavedViews {...{ base, range, measure, filter, projectId, onClose }} />}
              />
            )}
          </div>
        </div>
        <div role="status">{leftOut.length > 0 && <UnreadFilters names={leftOut} />}</div>
        <Filters filter={filter} />
      </div>
      <p class="report-days">
        {mix(t.daysAndTimeZone, { days: describeRange(range), timeZone: <bdi>{timeZone}</bdi> })}
        {hasMeasure && isComparedInPart(range, today) && ` ${t.comparisonsLeaveOutToday}`}
      </p>
      {isAnswered(null, filter) ? (
        <Today.Provider value={today}>
          {children({ base, range, today, measure, filter, request, projectId })}
        </Today.Provider>
      ) : (
        <p class="panel empty">{t.cannotBeCombined}</p>
      )}
    </>
  );
}

interface OpenerProps {
  label: string;
  show: (onClose: () => void) => ComponentChildren;
}

/** Opens a dialog that is loaded then. */
function Opener({ label, show }: OpenerProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && show(() => setOpen(false))}
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
