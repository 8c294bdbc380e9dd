import type { ConversionsBy } from '../counting/goal/goal.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { ConversionTotals } from '../store/counts/goals-report.ts';
import type { RangeQuery } from '../store/counts/range-query.ts';
import type { Report } from './report.ts';

/** Only who describes the API needs them. */
const replies = () => import('../../shared/replies/goals.ts');

export function goalReport(): Report {
  return {
    path: 'goals',
    summary: 'How many people reached each goal of the project',
    reply: async () => (await replies()).goalsReply,
    field: 'goals',
    columns: ['goal', 'people', 'conversions', 'measuredDays', 'unmeasuredDays'],
    limits: [],
    countsVisitors: true,
    read: async (store, query) => {
      const { rows, hasMore } = await store.readGoals(query);
      const goals = rows.values().map(({ goal, ...totals }) => ({ goal, ...knownOf(totals) }));
      return { head: { cappedViews: await countCapped(store, query) }, rows: goals, hasMore };
    },
  };
}

export function funnelReport(): Report {
  return {
    path: 'funnels',
    summary: 'How many people made each step of the funnels of the project, on one day',
    reply: async () => (await replies()).funnelsReply,
    field: 'funnels',
    columns: ['funnel', 'step', 'goal', 'began', 'people', 'conversions', 'measuredDays', 'unmeasuredDays'],
    limits: [],
    countsVisitors: true,
    read: async (store, query) => {
      const { rows, hasMore } = await store.readFunnels(query);
      const funnels = rows.values().map(({ funnel, step, goal, began, ...totals }) => {
        const known = knownOf(totals);
        return { funnel, step, goal, began: known.people === null ? null : began, ...known };
      });
      return { head: {}, rows: funnels, hasMore };
    },
  };
}

/** Of what kinds, whose part of the names, and by whom: no project has so many. */
const allCapped = { limit: 1000, offset: 0 };

/** Views and events whose page or name was not taken in, so that no goal knows them. */
async function countCapped(store: AnalyticsStore, range: RangeQuery): Promise<number> {
  const { rows } = await store.readCapped({ ...range, ...allCapped });
  return rows
    .filter(({ names, kind }) => kind === 'human' && (names === 'path' || names === 'event'))
    .reduce((sum, { views }) => sum + views, 0);
}

/** Where no day is measured nothing is known, which is not the same as nobody. */
function knownOf({ people, conversions, measured, unmeasured }: ConversionTotals) {
  const isKnown = measured > 0 || unmeasured.length === 0;
  return {
    people: isKnown ? people : null,
    conversions: isKnown ? conversions : null,
    measuredDays: measured,
    unmeasuredDays: unmeasured.length,
  };
}

export const conversionReports: readonly Report[] = [
  conversionReport('path', 'entry-pages', 'pages', 'the page on which their visits began'),
  conversionReport('source', 'sources', 'sources', 'the source of their visits'),
  conversionReport('country', 'countries', 'countries', 'country'),
];

function conversionReport(by: ConversionsBy, report: string, field: string, words: string): Report {
  return {
    path: `goals/:goal/${report}`,
    summary: `People who reached a goal, by ${words}`,
    reply: async () => (await replies()).conversionsReply(field, by),
    field,
    columns: [by, 'people', 'conversions'],
    limits: [],
    countsVisitors: true,
    read: async (store, query, { goal }) => {
      const { totals, rows, hasMore } = await store.readConversions({ ...query, goal: String(goal), by });
      const named = rows.values().map(({ name, ...sums }) => ({ [by]: name, ...sums }));
      return { head: { totals: knownOf(totals) }, rows: named, hasMore };
    },
  };
}
