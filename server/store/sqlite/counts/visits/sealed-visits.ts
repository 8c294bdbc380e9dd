import { setImmediate as nextTurn } from 'node:timers/promises';
import { blocksOf } from '../../../../counting/blocks.ts';
import type { ClosedCells } from '../../../../counting/cells/cells.ts';
import { type GoalSum, originKinds } from '../../../../counting/goal/goal.ts';
import { allVisits } from '../../../../counting/visit.ts';
import { parentOf, what } from '../../../../counting/what.ts';
import { sumsOfCells } from '../../../counts/day-cells.ts';
import type { Connection } from '../../connection.ts';
import { countRows } from '../counts.ts';
import { type Name, nameNumbers } from '../dictionary.ts';
import { seenHolder, type VisitDay } from './active-days.ts';
import { type ValuedDay, valuedDays } from './valued-days.ts';
import { type MeasuredDay, openVisits, type Progress } from './visit-views.ts';

/** What was worked out before a day is closed, up to a row of its views. */
interface Prepared {
  progress: Progress;
  values: ValuedDay;
  cells: ClosedCells;
  holder: number | undefined;
}

/** Makes counts of the visits of a day, whose views go with its visitors. Used inside transactions. */
export function visitSealing(db: Connection) {
  const open = openVisits(db);
  const valued = valuedDays(db);
  const counts = countRows(db);
  const names = nameNumbers(db);
  const deleteViews = db.prepare<[number]>('delete from visit_views where day = ?');
  const readHolder = seenHolder(db);
  const prepared = new Map<number, Prepared>();

  /** Works visits out ahead, so that sealing does not delay counting; outside of transactions. */
  async function prepare(days: readonly (VisitDay & { project: number })[]): Promise<void> {
    prepared.clear();
    for (const { id, project, day } of days) {
      const holder = readHolder();
      const progress = open.begin(open.aimsOf(project));
      while (open.addSome(id, progress)) await nextTurn();
      const values = valued.begin();
      while (valued.addSome(id, values)) await nextTurn();
      const closing = valued.close(project, day, values);
      let step = closing.next();
      for (; !step.done; step = closing.next()) await nextTurn();
      prepared.set(id, { progress, values, cells: step.value, holder });
    }
  }

  /** @param isSealed the day is in larger blocks already; else sealing adds it to them */
  function seal(project: number, day: VisitDay, { isSealed }: { isSealed: boolean }): void {
    const ahead = takeAhead(day);
    const ofViews = keepCells(project, day, ahead);
    const visits = open.readDay(project, day, ahead?.progress ?? open.begin(open.aimsOf(project)));
    for (const { sum, ...named } of [...ofViews, ...(visits ? namedSums(visits) : [])]) {
      const name = nameOf(project, named);
      for (const block of blocksOf(day.day, { isSealed })) counts.add(project, block, { ...sum, name });
    }
    counts.save();
    deleteViews.run(day.id);
  }

  /** Before the views go. */
  function keepCells(project: number, { id, day }: VisitDay, ahead: Prepared | undefined): GoalSum[] {
    const values = ahead?.values ?? valued.begin();
    const { last } = values;
    while (valued.addSome(id, values));
    // Where nothing came after what was read ahead, and all of it is known, it is done.
    let cells = values.last === last ? ahead?.cells : undefined;
    const closing = valued.close(project, day, values);
    while (!cells) cells = closing.next().value ?? undefined;
    if (values.views.size === 0) return [];
    valued.keep(project, day, cells, values);
    return sumsOfCells(cells);
  }

  /** Of no use any more where paths may have been moved since, by this process or another. */
  function takeAhead({ id }: VisitDay): Prepared | undefined {
    const ahead = prepared.get(id);
    prepared.delete(id);
    return ahead && ahead.holder === readHolder() ? ahead : undefined;
  }

  function nameOf(project: number, { what, under, text }: Omit<GoalSum, 'sum'>): Name {
    const parent = under === null ? 0 : nameOf(project, nameAbove(what, under)).id;
    return { what, parent, id: names.findOrAdd(project, what, parent, text) };
  }

  return { prepare, seal };
}

/** What the names of a kind are under. */
export function nameAbove(thing: number, text: string): Omit<GoalSum, 'sum'> {
  return { what: parentOf[thing] as number, under: null, text };
}

/** What a day has as counts. */
export function* namedSums(day: MeasuredDay): Generator<GoalSum> {
  yield* namedVisits(day);
  const { goals } = day;
  if (!goals) return;
  yield* goals.sums();
  yield* goals.funnelSums();
  for (const kind of originKinds) {
    // The first pages of visits are above.
    for (const sum of goals.sumsBy(kind)) if (sum.what !== what.entry) yield sum;
  }
}

/** What a day has as counts of visits; pages that were forgotten have no name, and none. */
function* namedVisits({ all, sums, nameOf }: MeasuredDay): Generator<GoalSum> {
  if (all.visitors > 0) yield { what: what.visit, under: null, text: allVisits, sum: all };
  const pages = sums();
  for (const kind of ['entry', 'exit', 'singlePage'] as const) {
    for (const [number, sum] of pages[kind]) {
      const text = nameOf(number);
      if (text !== undefined) yield { what: what[kind], under: null, text, sum };
    }
  }
}
