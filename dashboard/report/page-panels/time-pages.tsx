import type { TimeReply } from '../../../shared/reports/analytics.ts';
import { formatCount } from '../../formats/number.ts';
import { t } from '../../texts/report.ts';
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
