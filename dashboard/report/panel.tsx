import type { ComponentChildren } from 'preact';
import { useCallback, useId, useState } from 'preact/hooks';
import type { Measured, UnmeasuredDays } from '../../shared/reports/analytics.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { ChangeContext, type ShowChange } from '../components/count-cells.tsx';
import { CsvLink, HelpLink } from '../components/csv-link.tsx';
import { Icon } from '../components/icon.tsx';
import { lazy } from '../components/lazy.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { isRefused, Loaded } from '../components/notice.tsx';
import { useSeen } from '../components/seen.ts';
import { Switch, type SwitchProps } from '../components/switch.tsx';
import { isUnmeasured } from '../formats/measured.ts';
import { readComparison } from '../formats/range.ts';
import { parsePageNumber, useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';
import type { Including, NoRowsProps } from './no-rows.tsx';
import { Pager, Search } from './panel-tools.tsx';

export const NoRows = lazy<NoRowsProps>(async () => (await import('./no-rows.tsx')).NoRows, null);
/** In place of nothing, where a reply says that it holds what is excluded for the past, too, or lacks days. */
export function Included(said: Including) {
  return (said.includesExcluded ?? said.lacksDetails ?? said.lacksPeople) ? <IncludedNote {...said} /> : null;
}
const IncludedNote = lazy<Including>(async () => (await import('./no-rows.tsx')).IncludedNote, null);
const RowChanges = lazy(async () => (await import('./row-changes.tsx')).RowChanges, null);

/** A request for a report. */
export interface ReportRequest {
  /** Of the report, without its query. */
  address: string;
  dateFrom: string | null;
  /** Null with `dateFrom`: the report is about today. */
  dateTo: string | null;
  sort?: string;
  /** What the rows are limited to. */
  filter?: Filter;
  /** Parameters that this report alone takes. */
  own?: Readonly<Record<string, string>>;
}

/** All that is asked of a report but which of its rows. */
const queryOf = ({ address, filter, own, ...days }: ReportRequest) => ({ ...days, ...filter, ...own });

/** A reply whose rows are under a name that a declaration gives. */
export type NamedRows = Record<string, unknown> & Rows;

interface PanelProps<T> {
  title: string;
  /** Of its parameters in the address: `search` and `page` for the first table, `sources.search` for another. */
  name?: string;
  request: ReportRequest;
  hasSearch?: boolean;
  /** The days that it is of, where these are not those of the page. */
  days?: string | undefined;
  /** Stays open on a narrow page; others are opened by their heading. */
  isFirst?: boolean | undefined;
  /** What it is called there, where several tables share it. */
  group?: string | undefined;
  /** Opened there from the beginning, as the address names one of its tables. */
  isChosen?: boolean;
  /** Read when somebody scrolls to it. */
  isLazy?: boolean;
  /** Read again after what was changed here. */
  followsChanges?: boolean;
  /** The names of its tables, in place of the title where there are several. */
  tabs?: SwitchProps;
  /** Beside the search. */
  choice?: ComponentChildren;
  /** Below it. */
  note?: ComponentChildren;
  /** The table as it is without a search and on its first page, where that was read already. */
  read?: Resource<T> | undefined;
  /** What to say when there are no rows. */
  empty?: string | undefined;
  /** Of whom alone it is: where nobody measured these, no rows do not mean that there was nothing. */
  of?: 'human' | 'ai' | undefined;
  /** What could be counted, where the reply does not say so. */
  measured?: Measured | undefined;
  rowsOf: (data: T) => unknown[];
  /** Its rows are made of several of the reply's, so that all of these are read at once. */
  isWhole?: boolean;
  /** Its rows show how they have changed, by a name of their own. */
  isComparable?: boolean;
  children: (data: T, isOnPage: (row: unknown, index: number) => boolean) => ComponentChildren;
}

const reportOf = (name: string | undefined, address: string) => name || String(address.split('/').at(-1));

/** On pages that are not narrow. */
export const rowsPerPage = 10;
/** The API takes no more characters. */
const maxSearch = 1024;
/** As many rows as the API answers at once. */
const maxRows = 250;

interface Rows extends Including {
  hasMore: boolean;
  measured?: Measured;
  unmeasured?: UnmeasuredDays | null | undefined;
}

/** A table with its search, pages and file. The state of all of it is in the address. */
export function Panel<T extends Rows>(props: PanelProps<T>) {
  const { title, name = '', request, hasSearch = true } = props;
  const {
    isFirst = false,
    isChosen = false,
    isLazy = false,
    isWhole = false,
    followsChanges = false,
  } = props;
  const { query } = useRouter();
  const id = useId();
  const parameter = (end: string) => (name ? `${name}.${end}` : end);
  const search = ((hasSearch ? query.get(parameter('search')) : null) ?? '').slice(0, maxSearch);
  const page = parsePageNumber(query.get(parameter('page')));
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(isFirst || isChosen || search !== '' || page > 1);
  const { ref, isSeen } = useSeen<HTMLElement>(isLazy && !isChosen);
  const shownRows = isNarrow ? 5 : rowsPerPage;
  const { address } = request;
  const first = (page - 1) * shownRows;
  const rows = isWhole ? { limit: maxRows } : { limit: shownRows, offset: first || null };
  const isRead = isSeen && (isOpen || !isNarrow);
  const known = search === '' && page === 1 && !isNarrow ? props.read : undefined;
  const path = withQuery(address, { ...queryOf(request), search, ...rows });
  const own = useResource<T>(isRead && !known ? path : null, { isLive: true, followsChanges });
  const resource = known ?? own;
  const shown = { ...props, parameter, search, page, shownRows, resource };
  return (
    <section ref={ref} class="panel" aria-labelledby={id} data-report={reportOf(name, address)}>
      <header class="panel-head">
        {isNarrow && !isFirst ? (
          <Fold id={id} title={props.group ?? title} isOpen={isOpen} onTurn={() => setOpen(!isOpen)} />
        ) : (
          <h2 id={id} class={hasTabs(props.tabs) ? 'unseen' : undefined}>
            {title}
          </h2>
        )}
        {(isOpen || !isNarrow) && <Tools {...shown} />}
      </header>
      {(isOpen || !isNarrow) && (isRead ? <Body {...shown} /> : <div class="panel-unread" />)}
    </section>
  );
}

/** The heading of a panel on a narrow page. */
function Fold({
  id,
  title,
  isOpen,
  onTurn,
}: {
  id: string;
  title: string;
  isOpen: boolean;
  onTurn: () => void;
}) {
  return (
    <h2 class="fold">
      <button type="button" class="quiet" id={id} aria-expanded={isOpen} onClick={onTurn}>
        {title} <Icon name="down" />
      </button>
    </h2>
  );
}

interface ShownProps<T> extends PanelProps<T> {
  parameter: (end: string) => string;
  resource: Resource<T>;
  search: string;
  page: number;
  shownRows: number;
}

const hasTabs = (tabs: SwitchProps | undefined): tabs is SwitchProps =>
  tabs !== undefined && Object.keys(tabs.options).length > 1;

function Tools<T>({
  title,
  name,
  days,
  request,
  tabs,
  choice,
  hasSearch = true,
  parameter,
  search,
}: ShownProps<T>) {
  const { address } = request;
  return (
    <>
      {days && <span class="unit">{days}</span>}
      {hasTabs(tabs) && <Switch {...tabs} />}
      <div class="panel-tools">
        {choice}
        {hasSearch && <Search key={address} parameter={parameter} value={search} title={title} />}
        <CsvLink href={withQuery(address, { ...queryOf(request), search, format: 'csv' })} title={title} />
        <HelpLink report={reportOf(name, address)} title={title} />
      </div>
    </>
  );
}

function Body<T extends Rows>(props: ShownProps<T>) {
  const { resource, search, page, shownRows, rowsOf, children, empty, of, note, parameter, title } = props;
  const end = page * shownRows;
  const isOnPage = (_row: unknown, index: number) =>
    props.isWhole !== true || (index < end && index >= end - shownRows);
  const { request } = props;
  const isOfNobody = ({ measured }: T) => of && isUnmeasured(of, measured);
  const { data: read } = resource;
  const hasMore =
    read !== undefined &&
    (props.isWhole ? rowsOf(read).length > end : read.hasMore && rowsOf(read).length >= shownRows);
  // That there is nothing at all is not known of what a filter leaves.
  const isFiltered = Object.keys(request.filter ?? {}).length > 0;
  const comparison = readComparison(useRouter().query);
  const isCompared = props.isComparable && request.dateFrom !== null && comparison !== 'none';
  const [change, setChange] = useState<ShowChange | null>(null);
  const show = useCallback((shown: ShowChange | null) => setChange(() => shown), []);
  if (isRefused(resource)) {
    return (
      <p class="empty" dir="auto">
        {resource.failure?.message}
      </p>
    );
  }
  return (
    <>
      <Loaded resource={resource} lines={shownRows}>
        {(data) =>
          rowsOf(data).some(isOnPage) ? (
            <>
              <ChangeContext.Provider value={isCompared ? change : null}>
                {children(data, isOnPage)}
              </ChangeContext.Provider>
              {isCompared && (
                <RowChanges
                  {...props}
                  days={request}
                  pathOf={(days) =>
                    withQuery(request.address, {
                      ...queryOf({ ...request, ...days }),
                      search,
                      limit: maxRows,
                    })
                  }
                  onChange={show}
                />
              )}
              {isOfNobody(data) && (
                <p class="panel-note">{of === 'human' ? t.peopleAreNotMeasured : t.aiThatRunsNoScripts}</p>
              )}
              {props.isWhole && data.hasMore && <p class="panel-note">{t.ofTheLargestRows}</p>}
              <Included {...data} />
              {note}
            </>
          ) : (
            <NoRows
              {...{ of, search, page, isFiltered, empty, measured: props.measured }}
              {...{ ...data, dateTo: request.dateTo }}
            />
          )
        }
      </Loaded>
      <Pager {...{ parameter, page, title, hasMore }} />
    </>
  );
}
