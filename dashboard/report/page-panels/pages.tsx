import type {
  ClientPathsReply,
  TimeReply,
  ViewsReply,
  VisitorsReply,
  VisitPagesReply,
} from '../../../shared/reports/analytics.ts';
import { answers } from '../../../shared/reports/combined.ts';
import type { Filter } from '../../../shared/reports/pairs.ts';
import { Share, Unmeasured } from '../../components/count-cells.tsx';
import type { SwitchProps } from '../../components/switch.tsx';
import { isUnmeasured } from '../../formats/measured.ts';
import { formatCount } from '../../formats/number.ts';
import { useRouter } from '../../router/router.tsx';
import { fill } from '../../texts/part.ts';
import { t } from '../../texts/report.ts';
import { ClientPageTable, clientPagesOf, ofClientAlone, ofPage } from '../client-pages.tsx';
import { CountTable, NumberTable } from '../count-table.tsx';
import { describeUnmeasured } from '../coverage.tsx';
import { isAnswered } from '../filter.ts';
import { PagePath } from '../filter-link.tsx';
import { Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';

export const pagesPart: Part = {
  name: 'pages',
  show: Pages,
  isAnswered: (filter) => pageKindsWith(filter).length > 0,
  isPublic: true,
};

function Pages(props: View) {
  const { query, hrefWith } = useRouter();
  const kinds = pageKindsWith(props.filter);
  const kind = kinds.find((one) => one === query.get('pages')) ?? kinds[0] ?? 'all';
  const tabs = {
    label: t.whichPages,
    options: Object.fromEntries(kinds.map((one) => [one, t.pageKinds[one]])),
    value: kind,
    hrefOf: (to: string) => hrefWith({ pages: to === 'all' ? null : to, page: null }),
  };
  if (kind === 'entry' || kind === 'exit') return <VisitPages {...props} tabs={tabs} of={kind} />;
  if (kind === 'time') return <TimePages {...props} tabs={tabs} />;
  const one = ofClientAlone(props.filter);
  if (!one) return <AllPages {...props} tabs={tabs} />;
  return <ClientPages {...props} client={one.client} request={{ ...props.request, filter: one.filter }} />;
}

type PagesReply = VisitorsReply | ViewsReply;

function AllPages({ request, base, measure, measured, tabs }: PagesProps) {
  const { query } = useRouter();
  const given = query.get('sort') ?? '';
  const sort = Object.hasOwn(t.orders, given) ? given : 'total';
  return (
    <Panel<PagesReply>
      title={t.pages}
      request={{ ...request, address: `${base}/${measure}`, ...(sort !== 'total' && { sort }) }}
      isFirst
      tabs={tabs}
      choice={<Order sort={sort} />}
      empty={t.noPagesInThisPeriod}
      isComparable
      measured={measured}
      rowsOf={rowsOf}
    >
      {(data) => (
        <CountTable
          title={t.pagesBy[measure]}
          rows={rowsOf(data)}
          sort={sort}
          share={{
            name: t.aiShare,
            of: (row) =>
              isUnmeasured('total', measured) ? (
                <Unmeasured />
              ) : row.bounds ? (
                '–'
              ) : (
                <Share part={row.ai} all={row.human + row.ai} of={t.shareOf.page} />
              ),
          }}
          measured={measured}
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

function ClientPages({ request, base, client }: View & { client: string }) {
  return (
    <Panel<ClientPathsReply>
      title={t.pagesItVisited}
      isFirst
      empty={t.itVisitedNoPagesInThisPeriod}
      of="ai"
      request={{ ...request, address: clientPagesOf(base, client) }}
      rowsOf={({ paths }) => paths}
    >
      {({ paths }) => <ClientPageTable title={fill(t.pagesVisitedBy, { client })} paths={paths} />}
    </Panel>
  );
}

/** How long pages were seen. */
function TimePages({ request, base, measured, tabs }: PagesProps) {
  return (
    <Panel<TimeReply>
      title={t.timeOnPage}
      request={{ ...request, address: `${base}/time-on-page` }}
      isFirst
      tabs={tabs}
      empty={t.noDataForThisPeriod}
      measured={measured}
      rowsOf={({ pages }) => pages}
      note={<p class="panel-note">{t.viewsDuringWhichThePage}</p>}
    >
      {({ pages }) => (
        <NumberTable
          title={t.viewsByHowLongPagesWereSeen}
          heads={[t.page, ...t.seenFor]}
          rows={pages.map(({ path, seen10, seen30, seen60, seen180 }) => ({
            name: <PagePath path={path} />,
            bar: { human: seen10, ai: 0 },
            numbers: [seen10, seen30, seen60, seen180].map(formatCount),
          }))}
        />
      )}
    </Panel>
  );
}

/** All pages, those on which visits began or ended, or how long pages were seen. */
const pageKinds = ['all', 'entry', 'exit', 'time'] as const;

type PageKind = (typeof pageKinds)[number];

/** Those of which there are sums with this filter. */
function pageKindsWith(filter: Filter): PageKind[] {
  return pageKinds.filter((kind) => (kind === 'all' ? isAnswered('path', filter) : answers(ofPage, filter)));
}

interface PagesProps extends View {
  tabs: SwitchProps;
}

/** Visits by the page on which they began or ended, and how many of them were of this page alone. */
function VisitPages({ request, base, tabs, of }: PagesProps & { of: 'entry' | 'exit' }) {
  const { title, empty } = t.visitPages[of];
  return (
    <Panel<VisitPagesReply>
      title={title}
      request={{ ...request, address: `${base}/${of}-pages` }}
      isFirst
      tabs={tabs}
      empty={empty}
      isComparable
      rowsOf={({ pages }) => pages}
    >
      {({ pages, measured, unmeasured }) => (
        <>
          <CountTable
            title={title}
            rows={pages}
            share={{
              ...{ name: t.single, title: t.visitsInWhichPeopleSawOnlyThisPage },
              of: ({ human, singlePageHuman }) => (
                <Share part={singlePageHuman} all={human} of={t.shareOf.visits} />
              ),
            }}
            measured={measured}
          />
          {unmeasured && <p class="panel-note">{describeUnmeasured(unmeasured)}</p>}
        </>
      )}
    </Panel>
  );
}
