import { stepsOf } from '../../../shared/project/goals.ts';
import { type Block, coverDays } from '../../counting/blocks.ts';
import type { Day } from '../../counting/calendar.ts';
import type { Aims, GoalSum } from '../../counting/goal/goal.ts';
import { searchableText, wantedText } from '../../counting/names/name-search.ts';
import { what } from '../../counting/what.ts';
import { type PageOfRows, toPage } from '../page.ts';
import type { ConversionTotals, FunnelRow, GoalRow, GoalsQuery } from './goals-report.ts';

/** People of a day with their views: of the site, or those who reached a goal and all views that were looked at for it. */
export interface PeopleOfDay {
  day: Day;
  people: number;
  views: number;
}

/** What is known of goals and funnels, day by day. */
export interface KnownGoals {
  /** Those that are set. */
  aims: Aims;
  /** By day, oldest first. */
  site: readonly PeopleOfDay[];
  /** Of goals and steps of funnels, in no order, and several of one where it was counted in parts. */
  reached: readonly (PeopleOfDay & Omit<GoalSum, 'sum'>)[];
}

export function measureGoal(goal: string, { site, reached }: KnownGoals): ConversionTotals {
  const those = reached.filter((one) => one.what === what.goal && one.text === goal);
  return measure(those, site);
}

/** A goal is known for a day when it was looked for in all views of people. */
function measure(found: readonly PeopleOfDay[], site: readonly PeopleOfDay[]): ConversionTotals {
  const known = new Map<Day, Omit<PeopleOfDay, 'day'>>();
  for (const { day, people, views } of found) {
    const before = known.get(day) ?? { people: 0, views: 0 };
    known.set(day, { people: before.people + people, views: before.views + views });
  }
  const all: ConversionTotals = { people: 0, conversions: 0, measured: 0, unmeasured: [] };
  for (const { day, people, views } of site) {
    const ofDay = known.get(day) ?? { people: 0, views: 0 };
    if (ofDay.views !== views) {
      all.unmeasured.push(day);
      continue;
    }
    all.people += people;
    all.conversions += ofDay.people;
    if (views > 0) all.measured++;
  }
  return all;
}

export function toGoalRows(known: KnownGoals, query: GoalsQuery): PageOfRows<GoalRow> {
  const rows = known.aims.goals.map((goal) => ({ goal, ...measureGoal(goal, known) }));
  return toWanted(rows, ({ goal }) => goal, query);
}

export function toFunnelRows({ aims, site, reached }: KnownGoals, query: GoalsQuery): PageOfRows<FunnelRow> {
  const rows = aims.funnels.flatMap((funnel) => {
    const steps = stepsOf(funnel).map((goal, i) => {
      const isStep = (one: Omit<GoalSum, 'sum'>) =>
        one.what === what.funnelStep && one.under === funnel && one.text === String(i + 1);
      return { funnel, step: i + 1, goal, ...measure(reached.filter(isStep), site) };
    });
    return steps.map((step) => ({ ...step, began: steps[0]?.conversions ?? 0 }));
  });
  return toWanted(rows, ({ funnel }) => funnel, query);
}

function toWanted<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  { search, limit, offset }: GoalsQuery,
): PageOfRows<Row> {
  const wanted = search === undefined ? '' : wantedText(search);
  const found = rows.filter((row) => searchableText(nameOf(row)).includes(wanted));
  return toPage(found.slice(offset, offset + limit + 1), { limit });
}

/** Blocks of the days for which a goal is known. */
export function coverMeasured(
  { site }: Pick<KnownGoals, 'site'>,
  unmeasured: readonly Day[],
  sealedThrough: Day | null,
): Block[] {
  const first = site[0]?.day ?? 0;
  const last = site.at(-1)?.day ?? -1;
  const starts = [first, ...unmeasured.map((day) => day + 1)];
  return starts.flatMap((from, i) => coverDays(from, unmeasured[i] ?? last + 1, sealedThrough));
}
