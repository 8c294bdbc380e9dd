import { type Block, coverDays } from '../../counting/blocks.ts';
import type { Day } from '../../counting/calendar.ts';
import { searchableText, wantedText } from '../../counting/name-search.ts';
import { toPage } from '../page.ts';
import type { ConversionTotals, GoalRow, GoalsQuery, PageOfRows } from './analytics-store.ts';

/** People of a day with their views: of the site, or those who reached a goal and all views that were looked at for it. */
export interface PeopleOfDay {
  day: Day;
  people: number;
  views: number;
}

/** What is known of goals, day by day. */
export interface KnownGoals {
  /** Those that are set. */
  goals: readonly string[];
  /** By day, oldest first. */
  site: readonly PeopleOfDay[];
  /** In no order, and several of a day and goal where it was counted in parts. */
  reached: readonly (PeopleOfDay & { goal: string })[];
}

/** A goal is known for a day when it was looked for in all views of people. */
export function measureGoal(goal: string, { site, reached }: KnownGoals): ConversionTotals {
  const known = new Map<Day, PeopleOfDay>();
  for (const { day, people, views } of reached.filter((one) => one.goal === goal)) {
    const before = known.get(day) ?? { people: 0, views: 0 };
    known.set(day, { day, people: before.people + people, views: before.views + views });
  }
  const all: ConversionTotals = { people: 0, conversions: 0, measured: 0, unmeasured: [] };
  for (const { day, people, views } of site) {
    const found = known.get(day) ?? { people: 0, views: 0 };
    if (found.views !== views) {
      all.unmeasured.push(day);
      continue;
    }
    all.people += people;
    all.conversions += found.people;
    if (views > 0) all.measured++;
  }
  return all;
}

export function toGoalRows(known: KnownGoals, { search, limit, offset }: GoalsQuery): PageOfRows<GoalRow> {
  const wanted = search === undefined ? '' : wantedText(search);
  const rows = known.goals
    .filter((goal) => searchableText(goal).includes(wanted))
    .map((goal) => ({ goal, ...measureGoal(goal, known) }));
  return toPage(rows.slice(offset, offset + limit + 1), { limit });
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
