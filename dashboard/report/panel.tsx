import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { CsvLink } from '../components/csv-link.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/notice.tsx';
import { parsePageNumber, useRouter } from '../router/router.tsx';

/** A request for a report. */
export interface ReportRequest {
  /** Address of the report without its query. */
  path: string;
  dateFrom: string | null;
  dateTo: string;
  sort?: string;
}

interface PanelProps<T> {
  title: string;
  /** Of its parameters in the address: `search` and `page` for the first table, `sources.search` for another. */
  name?: string;
  request: ReportRequest;
  rowsPerPage?: number;
  hasSearch?: boolean;
  /** Above the table. */
  tools?: ComponentChildren;
  /** Below it. */
  note?: ComponentChildren;
  /** Where the tools name what the table is of. */
  isTitleHidden?: boolean;
  /** What to say when there are no rows. */
  empty?: string | undefined;
  rowsOf: (data: T) => unknown[];
  children: (data: T) => ComponentChildren;
}

/** A table with its search, pages and file. The state of all of it is in the address. */
export function Panel<T extends { hasMore: boolean }>(props: PanelProps<T>) {
  const { title, name = '', request, rowsPerPage = 10, hasSearch = true } = props;
  const { query } = useRouter();
  const id = useId();
  const parameter = (end: string) => (name ? `${name}.${end}` : end);
  const search = query.get(parameter('search')) ?? '';
  const page = parsePageNumber(query.get(parameter('page')));
  const { path, ...rest } = request;
  const resource = useResource<T>(
    withQuery(path, {
      ...rest,
      search,
      limit: rowsPerPage,
      offset: page > 1 ? (page - 1) * rowsPerPage : null,
    }),
    { isLive: true },
  );
  return (
    <section class="panel" aria-labelledby={id} data-report={path.split('/').at(-1)}>
      <header class="panel-head">
        <h2 id={id} class={props.isTitleHidden ? 'unseen' : undefined}>
          {title}
        </h2>
        {props.tools}
        <div class="panel-tools">
          {hasSearch && <Search key={path} parameter={parameter} value={search} title={title} />}
          <CsvLink href={withQuery(path, { ...rest, search, format: 'csv' })} title={title} />
        </div>
      </header>
      <Body {...props} resource={resource} search={search} page={page} rowsPerPage={rowsPerPage} />
      <Pager parameter={parameter} page={page} hasMore={resource.data?.hasMore ?? false} title={title} />
    </section>
  );
}

interface BodyProps<T> extends PanelProps<T> {
  resource: Resource<T>;
  search: string;
  page: number;
  rowsPerPage: number;
}

function Body<T>({ resource, search, page, rowsPerPage, rowsOf, children, empty, note }: BodyProps<T>) {
  return (
    <Loaded resource={resource} lines={rowsPerPage}>
      {(data) =>
        rowsOf(data).length > 0 ? (
          <>
            {children(data)}
            {note}
          </>
        ) : (
          <p class="empty">{noRows(search, page, empty)}</p>
        )
      }
    </Loaded>
  );
}

function noRows(search: string, page: number, empty = 'No data in this period.'): string {
  if (search !== '') return 'Nothing matches your search.';
  return page > 1 ? 'There are no more rows.' : empty;
}

interface SearchProps {
  parameter: (end: string) => string;
  value: string;
  title: string;
}

const typingMs = 250;

function Search({ parameter, value, title }: SearchProps) {
  const { navigate, hrefWith } = useRouter();
  const [text, setText] = useState(value);
  // Going back in history changes what is searched for.
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const ask = () =>
      navigate(hrefWith({ [parameter('search')]: text, [parameter('page')]: null }), { replace: true });
    const timer = setTimeout(ask, typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <label class="search">
      <span class="unseen">Search in {title}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder="Search"
        value={text}
        maxLength={1024}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

interface PagerProps {
  parameter: (end: string) => string;
  page: number;
  hasMore: boolean;
  title: string;
}

function Pager({ parameter, page, hasMore, title }: PagerProps) {
  const { navigate, hrefWith } = useRouter();
  const goTo = (to: number) => navigate(hrefWith({ [parameter('page')]: to > 1 ? String(to) : null }));
  if (page === 1 && !hasMore) return <div class="pager" />;
  return (
    <nav class="pager" aria-label={`Pages of ${title}`}>
      <button
        type="button"
        class="quiet icon-button"
        disabled={page === 1}
        onClick={() => goTo(page - 1)}
        aria-label="Previous rows"
      >
        <Icon name="previous" />
      </button>
      <span>Page {page}</span>
      <button
        type="button"
        class="quiet icon-button"
        disabled={!hasMore}
        onClick={() => goTo(page + 1)}
        aria-label="Next rows"
      >
        <Icon name="next" />
      </button>
    </nav>
  );
}
