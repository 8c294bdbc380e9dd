import type { ComponentChildren } from 'preact';
import type { ConversionsReply, GoalsReply } from '../../../shared/reports/analytics.ts';
import { Unmeasured } from '../../components/count-cells.tsx';
import { Switch } from '../../components/switch.tsx';
import { formatCount, formatDays, formatShare } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/goals.ts';
import { fill, plural } from '../../texts/part.ts';
import { Bar, NumberTable } from '../count-table.tsx';
import { FilterLink } from '../filter-link.tsx';
import { PagePath } from '../page-panels/page-path.tsx';
import { Panel, type SitePanelProps } from '../panel.tsx';
import { labelOf } from '../traits.tsx';

type Goal = GoalsReply['goals'][number];

/** How many people reached each goal; or where those came from who reached the one that is in the address. */
export function GoalPanel(props: SitePanelProps) {
  const goal = useRouter().query.get('goal');
  return goal === null ? <Goals {...props} /> : <Conversions key={goal} goal={goal} {...props} />;
}

function Goals({ base, request }: SitePanelProps) {
  const { hrefWith } = useRouter();
  return (
    <Panel<GoalsReply>
      title={t.goals}
      name="goals"
      request={{ ...request, address: `${base}/goals` }}
      isLazy
      unit={t.unitPeople}
      empty={t.noGoalIsSet}
      rowsOf={({ goals }) => goals}
    >
      {({ goals, cappedViews }) => (
        <>
          <Table
            title={t.goalsByPeople}
            head={t.goal}
            rows={goals.map(({ goal, ...sums }) => ({ name: goal, ...sums }))}
            label={(goal) => (
              <Link class="name" href={hrefWith({ goal, 'goals.page': null, 'goals.search': null })}>
                <bdi>{shorten(readable(goal))}</bdi>
              </Link>
            )}
          />
          <p class="panel-note">{describeGoals(goals, cappedViews)}</p>
        </>
      )}
    </Panel>
  );
}

const ways = {
  source: {
    report: 'sources',
    field: 'sources',
    label: (source: string) => (
      <FilterLink by="source" value={source}>
        {labelOf('source')(source)}
      </FilterLink>
    ),
  },
  path: {
    ...{ report: 'entry-pages', field: 'pages' },
    label: (path: string) => <PagePath path={path} />,
  },
  country: {
    ...{ report: 'countries', field: 'countries' },
    label: (country: string) => (
      <FilterLink by="country" value={country}>
        {labelOf('country')(country)}
      </FilterLink>
    ),
  },
} as const;

function Conversions({ base, request, goal }: SitePanelProps & { goal: string }) {
  const { query, hrefWith } = useRouter();
  const name = shorten(readable(goal));
  const given = query.get('by') ?? '';
  const by = Object.hasOwn(ways, given) ? (given as keyof typeof ways) : 'source';
  const { report, field, label } = ways[by];
  const { head, caption } = t.conversionsBy[by];
  return (
    <Panel<ConversionsReply>
      key={by}
      title={fill(t.goalNamed, { name })}
      name="conversions"
      request={{ ...request, address: `${base}/goals/${encodeURIComponent(goal)}/${report}` }}
      isChosen
      unit={t.unitPeople}
      empty={t.nobodyReachedThisGoal}
      tools={<Link href={hrefWith({ goal: null, by: null, 'conversions.page': null })}>{t.allGoals}</Link>}
      choice={
        <Switch
          label={t.byWhat}
          options={Object.fromEntries(Object.entries(t.conversionsBy).map(([key, way]) => [key, way.title]))}
          value={by}
          hrefOf={(key) => hrefWith({ by: key === 'source' ? null : key, 'conversions.page': null })}
        />
      }
      rowsOf={(reply) => reply[field] as unknown[]}
    >
      {(reply) => (
        <>
          <Table
            title={fill(caption, { name })}
            head={head}
            rows={(reply[field] as Record<string, string>[]).map((row) => ({
              ...{ name: String(row[by]), people: Number(row.people), conversions: Number(row.conversions) },
            }))}
            label={label}
          />
          <p class="panel-note">{describeConversions(reply.totals)}</p>
        </>
      )}
    </Panel>
  );
}

interface Row {
  name: string;
  people: number | null;
  conversions: number | null;
}

interface TableProps {
  title: string;
  head: string;
  rows: Row[];
  label: (name: string) => ComponentChildren;
}

function Table({ title, head, rows, label }: TableProps) {
  const most = Math.max(1, ...rows.map(({ conversions }) => conversions ?? 0));
  return (
    <NumberTable title={title} heads={[head, t.reachedIt, t.ofAll, t.rate]}>
      {rows.map(({ name, people, conversions }) => (
        <tr key={name}>
          <th scope="row">
            {label(name)}
            <Bar human={conversions ?? 0} ai={0} most={most} />
          </th>
          <td>{conversions === null ? <Unmeasured /> : formatCount(conversions)}</td>
          <td>{people === null ? <Unmeasured /> : formatCount(people)}</td>
          <td>{conversions === null ? <Unmeasured /> : formatShare(conversions, people ?? 0)}</td>
        </tr>
      ))}
    </NumberTable>
  );
}

function describeGoals(goals: readonly Goal[], cappedViews: number): string {
  const days = Math.max(...goals.map(({ unmeasuredDays }) => unmeasuredDays));
  const sentences = [
    t.aPersonCountsOnceADay,
    ...(days > 0 ? [fill(t.notMeasuredForOneGoalOrMore, { days: formatDays(days) })] : []),
    ...(cappedViews > 0 ? [plural(t.viewsReachNoGoal, cappedViews)] : []),
  ];
  return sentences.join(' ');
}

function describeConversions({ unmeasuredDays }: ConversionsReply['totals']): string {
  if (unmeasuredDays === 0) return t.thoseWhoReachedIt;
  return `${t.thoseWhoReachedIt} ${fill(t.notMeasuredDays, { days: formatDays(unmeasuredDays) })}`;
}
