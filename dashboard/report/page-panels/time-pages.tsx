import type { TimeReply } from '../../../shared/analytics.ts';
import { formatCount } from '../../formats/number.ts';
import { Bar, NumberTable } from '../count-table.tsx';
import { Panel, type ReportRequest } from '../panel.tsx';
import { PageKinds } from './page-kinds.tsx';
import { PagePath } from './page-path.tsx';

interface TimePagesProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
}

/** How long pages were seen. */
export function TimePages({ request, base }: TimePagesProps) {
  return (
    <Panel<TimeReply>
      title="Time on page"
      request={{ ...request, address: `${base}/time-on-page` }}
      unit="views by people"
      isFirst
      tools={<PageKinds />}
      empty="Not measured in this period: it takes the script with events, and data-time on its line."
      rowsOf={({ pages }) => pages}
      note={<p class="panel-note">Views during which the page was in sight for at least so long.</p>}
    >
      {({ pages }) => (
        <NumberTable
          title="Views by how long pages were seen"
          heads={['Page', '10 s', '30 s', '1 min', '3 min']}
        >
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
