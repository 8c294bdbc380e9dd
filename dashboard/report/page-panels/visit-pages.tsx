import type { VisitPagesReply } from '../../../shared/reports/analytics.ts';
import { CountCells, columns } from '../../components/count-cells.tsx';
import { formatDay } from '../../formats/day.ts';
import { formatShare } from '../../formats/number.ts';
import { t as common } from '../../texts/common.ts';
import { fill, plural } from '../../texts/part.ts';
import { t } from '../../texts/report.ts';
import { Bar, Head } from '../count-table.tsx';
import { Panel, type ReportRequest } from '../panel.tsx';
import { PageKinds } from './page-kinds.tsx';
import { PagePath } from './page-path.tsx';

interface VisitPagesProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
  of: 'entry' | 'exit';
}

/** Visits by the page on which they began or ended, and how many of them were of this page alone. */
export function VisitPages({ request, base, of }: VisitPagesProps) {
  const { title, empty } = t.visitPages[of];
  return (
    <Panel<VisitPagesReply>
      title={title}
      request={{ ...request, address: `${base}/${of}-pages` }}
      unit={t.visits}
      isFirst
      tools={<PageKinds filter={request.filter} />}
      empty={empty}
      // Where nothing was measured that is to be said, and not that there was nothing.
      rowsOf={({ pages, unmeasured }) => (unmeasured ? [unmeasured, ...pages] : pages)}
    >
      {({ pages, unmeasured, measured }) => (
        <>
          {pages.length > 0 && <Table title={title} pages={pages} measured={measured} />}
          {unmeasured && <p class="panel-note">{describe(unmeasured)}</p>}
        </>
      )}
    </Panel>
  );
}

function describe({ days, first, last }: NonNullable<VisitPagesReply['unmeasured']>): string {
  const span =
    first === last ? formatDay(first) : fill(common.fromTo, { from: formatDay(first), to: formatDay(last) });
  return plural(t.notMeasuredOnDays, days, { span });
}

interface TableProps extends Pick<VisitPagesReply, 'pages' | 'measured'> {
  title: string;
}

function Table({ title, pages, measured }: TableProps) {
  const most = Math.max(1, ...pages.map(({ human, ai }) => human + ai));
  return (
    <table class="counts counts-share">
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.page}</th>
          {columns.map((key) => (
            <Head key={key} order={key} name={t.columns[key]} sort={undefined} />
          ))}
          <th scope="col" class="share" title={t.visitsInWhichPeopleSawOnlyThisPage}>
            {t.single}
          </th>
        </tr>
      </thead>
      <tbody>
        {pages.map(({ path, human, ai, total, singlePageHuman }) => (
          <tr key={path}>
            <th scope="row">
              <PagePath path={path} />
              <Bar human={human} ai={ai} most={most} />
            </th>
            <CountCells count={{ human, ai, total }} measured={measured} />
            <td class="share">{formatShare(singlePageHuman, human)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
