import { hasGoals, stepsOf } from '../../../../shared/project/goals.ts';
import type { Day } from '../../../counting/calendar.ts';
import {
  type Aims,
  GoalMatcher,
  hasPatterns,
  namesOfGoals,
  noAims,
  parseAims,
} from '../../../counting/goal/goal.ts';
import { what } from '../../../counting/what.ts';
import type { CountedProject } from '../../counting-engine.ts';
import type { Queryable } from '../queryable.ts';
import { inShards, placeOf } from './counted-project.ts';
import { storable } from './names/named-views.ts';
import { findNames as findNumbers } from './names/names.ts';
import type { VisitDay, VisitSum } from './sums.ts';

interface Name {
  id: number;
  what: number;
  text: string;
}

/** Those that the project has set. */
async function readAims(db: Queryable, project: CountedProject): Promise<Aims> {
  const [row] = await db.query<Record<keyof Aims, string | null>>(
    "select settings ->> 'goals' as goals, settings ->> 'funnels' as funnels from projects where id = $1",
    [project.id],
  );
  return parseAims(row?.goals, row?.funnels);
}

/** What goals and funnels add to counts, of days whose visits are measured. */
export async function readOpenGoals(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
): Promise<VisitSum[]> {
  const aims = days.length === 0 ? noAims : await readAims(db, project);
  if (!hasGoals(aims)) return [];
  const { goals, funnels } = aims;
  const ids = days.map(({ id }) => id);
  const steps = funnels.map(stepsOf);
  const names = await findNames(db, project, ids, [...goals, ...steps.flat()]);
  const ofGoals = placesIn(goals, names);
  const ofSteps = steps.flatMap((goals, funnel) =>
    placesIn(goals, names).map(({ id, place }) => ({ id, funnel: funnel + 1, step: place })),
  );
  const sums = await db.query<GoalSumRow>(
    'select * from goal_sums($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    [
      ...[project.shards, project.id, ids, goals.map(storable)],
      ...[ofGoals.map(({ id }) => id), ofGoals.map(({ place }) => place)],
      ...[funnels.map(storable), steps.map(({ length }) => length)],
      ...[ofSteps.map(({ id }) => id), ofSteps.map(({ funnel }) => funnel), ofSteps.map(({ step }) => step)],
    ],
  );
  const dates = new Map(days.map(({ id, day }) => [id, day]));
  return sums.map(({ people, views, ...sum }) => ({
    ...sum,
    day: dates.get(sum.day) as Day,
    ...{ human_visitors: people, ai_visitors: 0, visitors: people, human_views: views, ai_views: 0 },
  }));
}

interface GoalSumRow extends Pick<VisitSum, 'day' | 'what' | 'under' | 'text'> {
  people: number;
  views: number;
}

/** Paths and events that may reach a goal: those with its name, and where a goal is a pattern the paths of the days. */
async function findNames(
  db: Queryable,
  project: CountedProject,
  days: readonly number[],
  goals: readonly string[],
): Promise<Name[]> {
  const names = namesOfGoals(goals).map(({ what, text }) => {
    return { project: project.id, what, parent: 0, text: storable(text) };
  });
  const exact = [...(await findNumbers(db, names))].map(([name, id]) => ({ ...name, id }));
  if (!hasPatterns(goals)) return exact;
  const viewed = await db.query<Name>(
    `select n.id, n.what, n.text from (
       select distinct ((u.view >> 2) & 536870911)::int as id from visit_views v cross join lateral unnest(v.views) u (view)
       where ${inShards('v', project)} and v.day = any ($3::int[]) and (u.view & 3) = 1) x
     join names n on n.project = $2 and n.id = x.id and n.what = ${what.path}`,
    [...placeOf(project), days],
  );
  return [...new Map([...exact, ...viewed].map((name) => [name.id, name])).values()];
}

/** Each name with the place of a goal that it reaches, from 1. */
function placesIn(goals: readonly string[], names: readonly Name[]): { id: number; place: number }[] {
  const matcher = new GoalMatcher(goals.map(storable));
  return names.flatMap(({ id, what: thing, text }) => {
    const bits = thing === what.path ? matcher.ofPath(text) : matcher.ofEvent(text);
    return goals.flatMap((_, i) => ((bits & (1 << i)) === 0 ? [] : [{ id, place: i + 1 }]));
  });
}
