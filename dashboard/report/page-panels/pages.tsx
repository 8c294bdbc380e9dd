import type {
  ClientPathsReply,
  Measure,
  Measured,
  TimeReply,
  ViewsReply,
  VisitorsReply,
} from '../../../shared/reports/analytics.ts';
import { formatCount } from '../../formats/number.ts';
import { useRouter } from '../../router/router.tsx';
import { fill } from '../../texts/part.ts';
import { t } from '../../texts/report.ts';
import { Bar, CountTable, NumberTable } from '../count-table.tsx';
import { Panel, type ReportRequest } from '../panel.tsx';
import { PageKinds, usePageKind } from './page-kinds.tsx';
import { PagePath } from './page-path.tsx';
import { VisitPages } from './visit-pages.tsx';

interface PagesProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
  measure: Measure;
  measured: Measured | undefined;
}

export function Pages(props: PagesProps) {
  const { filter = {} } = props.request;
  const kind = usePageKind(filter);
  const { client, ...others } = filter;
  if (kind === undefined) return null;
  if (kind === 'entry' || kind === 'exit') return <VisitPages {...props} of={kind} />;
  if (kind === 'time') return <TimePages {...props} />;
  if (client === undefined) return <AllPages {...props} />;
  return <ClientPages {...props} request={{ ...props.request, filter: others }} client={client} />;
}

type PagesReply = VisitorsReply | ViewsReply;

function AllPages({ request, base, measure, measured }: PagesProps) {
  const { query } = useRouter();
  const given = query.get('sort') ?? '';
  const sort = given in t.orders ? given : 'total';
  return (
    <Panel<PagesReply>
      title={t.pages}
      request={{ ...request, address: `${base}/${measure}`, ...(sort !== 'total' && { sort }) }}
      unit={t.units[measure]}
      isFirst
      tools={
        <>
          <PageKinds filter={request.filter} />
          <Order sort={sort} />
        </>
      }
      empty={t.noPagesInThisPeriod}
      rowsOf={rowsOf}
    >
      {(data) => (
        <CountTable
          head={t.page}
          title={t.pagesBy[measure]}
          rows={rowsOf(data).map(({ path, ...count }) => ({ name: path, ...count }))}
          label={(path) => <PagePath path={path} />}
          sort={sort}
          measured={measured}
          hasShare
        />
      )}
    </Panel>
  );
}

const rowsOf = (data: PagesReply) => ('visitors' in data ? data.visitors : data.views);

/** On narrow screens, which do not show all columns. */
function Order({ sort }: { sort: string }) {
  const { navigate, hrefWith } = useRouter();
  return (
    <select
      class="narrow-only"
      aria-label={t.sortPagesBy}
      value={sort}
      onChange={({ currentTarget: { value } }) =>
        navigate(hrefWith({ sort: value === 'total' ? null : value, page: null }))
      }
    >
      {Object.entries(t.orders).map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}

function ClientPages({ request, base, client }: PagesProps & { client: string }) {
  return (
    <Panel<ClientPathsReply>
      title={t.pagesItVisited}
      isFirst
      empty={t.itVisitedNoPagesInThisPeriod}
      of="ai"
      request={{ ...request, address: `${base}/ai-clients/${encodeURIComponent(client)}/paths` }}
      rowsOf={({ paths }) => paths}
    >
      {({ paths }) => (
        <NumberTable title={fill(t.pagesVisitedBy, { client })} heads={[t.page, t.visitors, t.views]}>
          {paths.map(({ path, visitors, views }) => (
            <tr key={path}>
              <th scope="row">
                <PagePath path={path} />
                <Bar human={0} ai={visitors} most={Math.max(1, ...paths.map((row) => row.visitors))} />
              </th>
              <td>{formatCount(visitors)}</td>
              <td>{formatCount(views)}</td>
            </tr>
          ))}
        </NumberTable>
      )}
    </Panel>
  );
}

interface TimePagesProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
}

/** How long pages were seen. */
export function TimePages({ request, base }: TimePagesProps) {
  return (
    <Panel<TimeReply>
      title={t.timeOnPage}
      request={{ ...request, address: `${base}/time-on-page` }}
      unit={t.viewsByPeople}
      isFirst
      tools={<PageKinds filter={request.filter} />}
      empty={t.nothingTellsOfItInThisPeriod}
      rowsOf={({ pages }) => pages}
      note={<p class="panel-note">{t.viewsDuringWhichThePage}</p>}
    >
      {({ pages }) => (
        <NumberTable title={t.viewsByHowLongPagesWereSeen} heads={[t.page, ...t.seenFor]}>
          {pages.map(({ path, seen10, seen30, seen60, seen180 }) => (
            <tr key={path}>
              <th scope="row">
                <PagePath path={path} />
                <Bar human={seen10} ai={0} most={Math.max(1, ...pages.map((row) => row.seen10))} />
              </th>
              {[seen10, seen30, seen60, seen180].map((views, index) => (
                <td key={index}>{formatCount(views)}</td>
              ))}
            </tr>
          ))}
        </NumberTable>
      )}
    </Panel>
  );
}
