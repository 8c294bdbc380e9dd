import type { ClientPathsReply } from '../../shared/reports/analytics.ts';
import { answers, isSeveral } from '../../shared/reports/combined.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import type { Report } from '../../shared/reports/report.ts';
import { Bounded } from '../components/count-cells.tsx';
import { formatCount } from '../formats/number.ts';
import { t } from '../texts/report.ts';
import { NumberTable } from './count-table.tsx';
import { PagePath } from './filter-link.tsx';

/** Of one page alone, or of all. */
export const ofPage: Pick<Report, 'filters'> = { filters: [['path']] };

/** The only client of a filter, and what else it has; undefined: the pages of one client are not known with it. */
export function ofClientAlone({ client, ...filter }: Filter): { client: string; filter: Filter } | undefined {
  if (client === undefined || isSeveral(client) || !answers(ofPage, filter)) return undefined;
  return { client, filter };
}

export const clientPagesOf = (base: string, client: string) =>
  `${base}/ai-clients/${encodeURIComponent(client)}/paths`;

/** What one AI client read, beside what people did. */
export function ClientPageTable({ title, paths }: { title: string } & Pick<ClientPathsReply, 'paths'>) {
  return (
    <NumberTable
      title={title}
      heads={[t.page, t.visitors, t.views, t.viewsByPeople]}
      rows={paths.map(({ path, visitors, views, humanViews: from, bounds }) => ({
        name: <PagePath path={path} />,
        bar: { human: 0, ai: visitors },
        numbers: [
          <Bounded key={path} from={visitors} to={bounds?.visitors.to ?? visitors} />,
          formatCount(views),
          <Bounded
            key={path}
            from={from}
            to={bounds?.humanViews?.to ?? from ?? 0}
            why={t.pagesBeyondTheLimitOfNewOnes}
          />,
        ],
      }))}
    />
  );
}
