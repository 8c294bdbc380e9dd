import type { ComponentChildren } from 'preact';
import type { ConversionsReply, GoalsReply } from '../../../shared/reports/analytics.ts';
import { Bounded, Brief, Share } from '../../components/count-cells.tsx';
import { Switch } from '../../components/switch.tsx';
import { formatDays, formatShare } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/goals.ts';
import { fill, plural } from '../../texts/part.ts';
import { t as report } from '../../texts/report.ts';
import { NumberTable } from '../count-table.tsx';
import { FilterLink, PagePath } from '../filter-link.tsx';
import { Panel } from '../panel.tsx';
import { labelInTable } from '../traits.tsx';
import type { Part, View } from '../view.ts';
import { Counted } from './counted.tsx';

type Goal = GoalsReply['goals'][number];

/** How many people reached each goal; or where those came from who reached the one that is in the address. */
export const goalsPart: Part = { name: 'goals', show: GoalPanel };

function GoalPanel(props: View) {
  const goal = useRouter().query.get('goal');
  return goal === null ? <Goals {...props} /> : <Conversions key={goal} goal={goal} {...props} />;
}

function Goals({ base, request, isFirst }: View) {
  const { hrefWith } = useRouter();
  return (
    <Panel<GoalsReply>
      title={t.goals}
      name="goals"
      isFirst={isFirst}
      request={{ ...request, address: `${base}/goals` }}
      isLazy
      isComparable
      of="human"
      empty={t.noGoalIsSet}
      rowsOf={({ goals }) => goals}
    >
      {({ goals, cappedViews }) => (
        <>
          <Table
            title={t.goalsByPeople}
            head={t.goal}
            of={report.shareOf.people}
            rows={goals}
            by="goal"
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

interface Way {
  report: string;
  field: string;
  label: (name: string, row: Row) => ComponentChildren;
}

const linkTo = (by: 'source' | 'country' | 'device' | 'channel') => (value: string) => (
  <FilterLink by={by} value={value}>
    {labelInTable(by, value)}
  </FilterLink>
);

const ways = {
  source: { report: 'sources', field: 'sources', label: linkTo('source') },
  path: {
    ...{ report: 'entry-pages', field: 'pages' },
    label: (path: string) => <PagePath path={path} />,
  },
  country: { report: 'countries', field: 'countries', label: linkTo('country') },
  device: { report: 'devices', field: 'devices', label: linkTo('device') },
  channel: { report: 'channels', field: 'channels', label: linkTo('channel') },
  section: {
    ...{ report: 'sections', field: 'sections' },
    label: (section: string, { path }: Row) =>
      path ? (
        <FilterLink by="path" value={path}>
          {section}
        </FilterLink>
      ) : (
        <span class="name">{t.pagesInNoSection}</span>
      ),
  },
} satisfies Record<string, Way>;

function Conversions({ base, request, goal }: View & { goal: string }) {
  const { query, hrefWith } = useRouter();
  const name = shorten(readable(goal));
  const given = query.get('by') ?? '';
  const by = Object.hasOwn(ways, given) ? (given as keyof typeof ways) : 'source';
  const { report: route, field, label }: Way = ways[by];
  const { head, caption } = t.conversionsBy[by];
  return (
    <Panel<ConversionsReply>
      key={by}
      title={fill(t.goalNamed, { name })}
      name="conversions"
      request={{ ...request, address: `${base}/goals/${encodeURIComponent(goal)}/${route}` }}
      isChosen
      isComparable
      of="human"
      empty={t.nobodyReachedThisGoal}
      choice={
        <>
          <Link href={hrefWith({ goal: null, by: null, 'conversions.page': null })}>{t.allGoals}</Link>
          <Switch
            label={t.byWhat}
            options={Object.fromEntries(
              Object.entries(t.conversionsBy).map(([key, way]) => [key, way.title]),
            )}
            value={by}
            hrefOf={(key) => hrefWith({ by: key === 'source' ? null : key, 'conversions.page': null })}
          />
        </>
      }
      rowsOf={(reply) => reply[field] as unknown[]}
    >
      {(reply) => (
        <>
          <Table
            title={fill(caption, { name })}
            head={head}
            of={t.shareOfThoseFromThere}
            rows={reply[field] as Row[]}
            by={by}
            label={label}
          />
          <p class="panel-note">{describeConversions(reply)}</p>
        </>
      )}
    </Panel>
  );
}

type Row = Pick<Goal, 'people' | 'conversions'> & {
  bounds?: Record<'people' | 'conversions', { from: number; to: number }>;
} & { [name in 'goal' | keyof typeof t.conversionsBy]?: string | null };

interface TableProps {
  title: string;
  head: string;
  by: 'goal' | keyof typeof ways;
  /** What its rates are of. */
  of: string;
  rows: Row[];
  label: (name: string, row: Row) => ComponentChildren;
}

function Table({ title, head, by, of, rows, label }: TableProps) {
  return (
    <NumberTable
      title={title}
      heads={[head, t.reachedIt, t.ofAll, t.rate]}
      isAcross
      rows={rows.map((row) => ({
        name: label(row[by] ?? '', row),
        bar: { human: row.conversions ?? 0, ai: 0 },
        numbers: [
          ...(['conversions', 'people'] as const).map((count) => {
            if (row.bounds)
              return <Bounded key={count} {...row.bounds[count]} why={t.mediumsMaySayAnother} />;
            return row[count] === null ? null : <Counted key={count} row={row} by={by} of={count} />;
          }),
          row.bounds ? (
            <BoundedShare key="share" {...row.bounds} />
          ) : row.conversions === null ? null : (
            <Share key="share" part={row.conversions} all={row.people ?? 0} of={of} />
          ),
        ],
      }))}
    />
  );
}

/** The least of all the people that there may be, and the most of the fewest. */
function BoundedShare({ conversions, people }: NonNullable<Row['bounds']>) {
  const fewest = Math.max(1, people.from);
  const from = formatShare(conversions.from, people.to);
  const to = formatShare(Math.min(conversions.to, fewest), fewest);
  const sentence = fill(report.leastAndMost, { from, to });
  return <Brief class="between" text={`${from}–${to}`} sentence={sentence} title={t.mediumsMaySayAnother} />;
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

function describeConversions({ totals: { unmeasuredDays }, cappedViews = 0 }: ConversionsReply): string {
  const sentences = [
    t.thoseWhoReachedIt,
    ...(unmeasuredDays > 0 ? [fill(t.notMeasuredDays, { days: formatDays(unmeasuredDays) })] : []),
    ...(cappedViews > 0 ? [plural(t.viewsAreInNoSection, cappedViews)] : []),
  ];
  return sentences.join(' ');
}
