import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Measured } from '../../shared/reports/analytics.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { CsvLink } from '../components/csv-link.tsx';
import { Icon } from '../components/icon.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { isRefused, Loaded } from '../components/notice.tsx';
import { useSeen } from '../components/seen.ts';
import { isUnmeasured } from '../formats/measured.ts';
import { useMayOpen } from '../router/project-pages.ts';
import { Link, parsePageNumber, useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';
import { Pager, Search } from './panel-tools.tsx';

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

/** What a panel needs that is about the whole site. */
export interface SitePanelProps {
  /** Address of the reports of the project. */
  base: string;
  request: { dateFrom: string | null; dateTo: string };
}

/** All that is asked of a report but which of its rows. */
const queryOf = ({ address, filter, own, ...days }: ReportRequest) => ({ ...days, ...filter, ...own });

/** A reply whose rows are under a name that a declaration gives. */
export type NamedRows = Record<string, unknown> & { hasMore: boolean; measured?: Measured };

interface PanelProps<T> {
  title: string;
  /** Of its parameters in the address: `search` and `page` for the first table, `sources.search` for another. */
  name?: string;
  request: ReportRequest;
  hasSearch?: boolean;
  /** What is counted, where it is not what all of the page is about. */
  unit?: string | undefined;
  /** Stays open on a narrow page; others are opened by their heading. */
  isFirst?: boolean;
  /** What it is called there, where several tables share it. */
  group?: string | undefined;
  /** Called so on wide pages, too, as the names of its tables do not say what they have in common. */
  isGroupShown?: boolean;
  /** Opened there from the beginning, as the address names one of its tables. */
  isChosen?: boolean;
  /** Read when somebody scrolls to it. */
  isLazy?: boolean;
  /** Above the table. */
  tools?: ComponentChildren;
  /** Beside the search. */
  choice?: ComponentChildren;
  /** Below it. */
  note?: ComponentChildren;
  /** Where the tools name what the table is of. */
  isTitleHidden?: boolean;
  /** What to say when there are no rows. */
  empty?: string | undefined;
  /** Of whom alone it is: where nobody measured these, no rows do not mean that there was nothing. */
  of?: 'human' | 'ai' | undefined;
  rowsOf: (data: T) => unknown[];
  children: (data: T) => ComponentChildren;
}

interface Rows {
  hasMore: boolean;
  measured?: Measured;
}

/** A table with its search, pages and file. The state of all of it is in the address. */
export function Panel<T extends Rows>(props: PanelProps<T>) {
  const { title, name = '', request, hasSearch = true } = props;
  const { isFirst = false, isChosen = false, isLazy = false } = props;
  const { query } = useRouter();
  const id = useId();
  const parameter = (end: string) => (name ? `${name}.${end}` : end);
  const search = (hasSearch ? query.get(parameter('search')) : null) ?? '';
  const page = parsePageNumber(query.get(parameter('page')));
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(isFirst || isChosen || search !== '' || page > 1);
  const { ref, isSeen } = useSeen<HTMLElement>(isLazy);
  const rowsPerPage = isNarrow ? 5 : 10;
  const { address } = request;
  const rows = { limit: rowsPerPage, offset: page > 1 ? (page - 1) * rowsPerPage : null };
  const isRead = isSeen && (isOpen || !isNarrow);
  const resource = useResource<T>(
    isRead ? withQuery(address, { ...queryOf(request), search, ...rows }) : null,
    {
      isLive: true,
    },
  );
  const shown = { ...props, parameter, search, page, rowsPerPage, resource };
  return (
    <section ref={ref} class="panel" aria-labelledby={id} data-report={address.split('/').at(-1)}>
      <header class="panel-head">
        {isNarrow && !isFirst ? (
          <Fold id={id} title={props.group ?? title} isOpen={isOpen} onTurn={() => setOpen(!isOpen)} />
        ) : (
          <h2 id={id} class={props.isTitleHidden ? 'unseen' : undefined}>
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
  rowsPerPage: number;
}

function Tools<T>(props: ShownProps<T>) {
  const { title, isTitleHidden, isGroupShown, group, unit, request, tools } = props;
  const { choice, hasSearch = true, parameter, search } = props;
  const { address } = request;
  const isNarrow = useIsNarrow();
  const ofTable = (
    <div class="panel-tools">
      {choice}
      {hasSearch && <Search key={address} parameter={parameter} value={search} title={title} />}
      <CsvLink href={withQuery(address, { ...queryOf(request), search, format: 'csv' })} title={title} />
    </div>
  );
  const shownUnit = unit && (!isTitleHidden || isGroupShown) && <span class="unit">{unit}</span>;
  return isGroupShown && !isNarrow ? (
    <>
      <p class="panel-group">{group}</p>
      {shownUnit}
      {ofTable}
      {tools}
    </>
  ) : (
    <>
      {shownUnit}
      {tools}
      {ofTable}
    </>
  );
}

function Body<T extends Rows>(props: ShownProps<T>) {
  const { resource, search, page, rowsPerPage, rowsOf, children, empty, of, note, parameter, title } = props;
  const { request } = props;
  const isOfNobody = ({ measured }: T) => of !== undefined && isUnmeasured(of, measured);
  // That there is nothing at all is not known of what a filter leaves.
  const isFiltered = Object.keys(request.filter ?? {}).length > 0;
  const emptyHere = isFiltered ? t.nothingMatchesTheFilter : empty;
  if (isRefused(resource)) {
    return (
      <p class="empty" dir="auto">
        {resource.failure?.message}
      </p>
    );
  }
  return (
    <>
      <Loaded resource={resource} lines={rowsPerPage}>
        {(data) =>
          rowsOf(data).length > 0 ? (
            <>
              {children(data)}
              {isOfNobody(data) && (
                <p class="panel-note">{of === 'human' ? t.peopleAreNotMeasured : t.aiThatRunsNoScripts}</p>
              )}
              {note}
            </>
          ) : (
            <p class="empty">
              {noRows(search, page, isOfNobody(data) ? <NotMeasured of={of} /> : emptyHere)}
            </p>
          )
        }
      </Loaded>
      <Pager parameter={parameter} page={page} hasMore={resource.data?.hasMore ?? false} title={title} />
    </>
  );
}

function NotMeasured({ of }: { of: 'human' | 'ai' | undefined }) {
  const { path } = useRouter();
  const mayInstall = useMayOpen('/install');
  if (of === 'human') return <>{t.peopleAreNotMeasured}</>;
  const project = path.split('/').slice(0, 3).join('/');
  return (
    <>
      {t.onlyYourServerSees} {mayInstall && <Link href={`${project}/install`}>{t.connectFirst.ai.link}</Link>}
    </>
  );
}

function noRows(
  search: string,
  page: number,
  empty: ComponentChildren = t.noDataInThisPeriod,
): ComponentChildren {
  if (search !== '') return t.nothingMatchesYourSearch;
  return page > 1 ? t.thereAreNoMoreRows : empty;
}
