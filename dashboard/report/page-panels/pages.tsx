import type {
  ClientPathsReply,
  Measure,
  Measured,
  ViewsReply,
  VisitorsReply,
} from '../../../shared/analytics.ts';
import { formatCount } from '../../formats/number.ts';
import { useRouter } from '../../router/router.tsx';
import { Bar, CountTable, NumberTable } from '../count-table.tsx';
import { Panel, type ReportRequest } from '../panel.tsx';
import { PageKinds, usePageKind } from './page-kinds.tsx';
import { PagePath } from './page-path.tsx';
import { TimePages } from './time-pages.tsx';
import { VisitPages } from './visit-pages.tsx';

interface PagesProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
  measure: Measure;
  measured: Measured | undefined;
}

export function Pages(props: PagesProps) {
  const kind = usePageKind();
  const { client, ...others } = props.request.filter ?? {};
  if (kind === 'entry' || kind === 'exit') return <VisitPages {...props} of={kind} />;
  if (kind === 'time') return <TimePages {...props} />;
  if (client === undefined) return <AllPages {...props} />;
  return <ClientPages {...props} request={{ ...props.request, filter: others }} client={client} />;
}

type PagesReply = VisitorsReply | ViewsReply;

const orders = {
  total: 'Most visited',
  human: 'Most people',
  ai: 'Most AI',
  aiShare: 'Highest AI share',
};

function AllPages({ request, base, measure, measured }: PagesProps) {
  const { query } = useRouter();
  const given = query.get('sort') ?? '';
  const sort = given in orders ? given : 'total';
  return (
    <Panel<PagesReply>
      title="Pages"
      request={{ ...request, address: `${base}/${measure}`, ...(sort !== 'total' && { sort }) }}
      unit={measure}
      isFirst
      tools={
        <>
          <PageKinds />
          <Order sort={sort} />
        </>
      }
      empty="No pages in this period."
      rowsOf={rowsOf}
    >
      {(data) => (
        <CountTable
          head="Page"
          title={`Pages by ${measure}`}
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
      aria-label="Sort pages by"
      value={sort}
      onChange={({ currentTarget: { value } }) =>
        navigate(hrefWith({ sort: value === 'total' ? null : value, page: null }))
      }
    >
      {Object.entries(orders).map(([key, name]) => (
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
      title="Pages it visited"
      isFirst
      tools={<PageKinds />}
      empty="It visited no pages in this period."
      request={{ ...request, address: `${base}/ai-clients/${encodeURIComponent(client)}/paths` }}
      rowsOf={({ paths }) => paths}
    >
      {({ paths }) => (
        <NumberTable title={`Pages visited by ${client}`} heads={['Page', 'Visitors', 'Views']}>
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
