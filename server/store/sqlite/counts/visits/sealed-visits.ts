import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import { blocksOf } from '../../../../counting/blocks.ts';
import { conversionsBy, type GoalSum } from '../../../../counting/goal/goal.ts';
import { allVisits } from '../../../../counting/visit.ts';
import { parentOf, what } from '../../../../counting/what.ts';
import type { Connection } from '../../connection.ts';
import { CountedNames } from '../counted-names.ts';
import { Counts } from '../counts.ts';
import type { Name } from '../dictionary.ts';
import { type MeasuredDay, OpenVisits, type Progress, type VisitDay } from './visit-views.ts';

/** Makes counts of the visits of a day, whose views go with its visitors. Used inside transactions. */
export class SealedVisits {
  readonly #open: OpenVisits;
  readonly #counts: Counts;
  readonly #names: CountedNames;
  readonly #addName: Statement<[number, number, number, string], number>;
  readonly #delete: Statement<[number]>;
  /** Whoever moves paths takes the place of the one who counted last. */
  readonly #holder: Statement<[], number>;
  readonly #ahead = new Map<number, Progress & { holder: number | undefined }>();

  constructor(db: Connection) {
    this.#open = new OpenVisits(db);
    this.#counts = new Counts(db);
    this.#names = new CountedNames(db);
    this.#addName = db
      .prepare<[number, number, number, string], number>(
        'insert into names (project, what, parent, text) values (?, ?, ?, ?) returning id',
      )
      .pluck();
    this.#delete = db.prepare('delete from visit_views where day = ?');
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  }

  /** Works visits out ahead, so that sealing holds up nobody who counts; outside of transactions. */
  async prepare(days: readonly (VisitDay & { project: number })[]): Promise<void> {
    this.#ahead.clear();
    for (const { id, project } of days) {
      const holder = this.#holder.get();
      const progress = this.#open.begin(this.#open.aimsOf(project));
      while (this.#open.addSome(id, progress)) await nextTurn();
      this.#ahead.set(id, { ...progress, holder });
    }
  }

  /** @param isSealed the day is in larger blocks already; else sealing adds it to them */
  seal(project: number, day: VisitDay, { isSealed }: { isSealed: boolean }): void {
    const begun = this.#takeAhead(day) ?? this.#open.begin(this.#open.aimsOf(project));
    const visits = this.#open.readDay(project, day, begun);
    for (const { sum, ...named } of visits ? namedSums(visits) : []) {
      const name = this.#nameOf(project, named);
      for (const block of blocksOf(day.day, { isSealed })) this.#counts.add(project, block, { ...sum, name });
    }
    this.#counts.save();
    this.#delete.run(day.id);
  }

  /** Of no use any more where paths may have been moved since, by this process or another. */
  #takeAhead({ id }: VisitDay): Progress | undefined {
    const ahead = this.#ahead.get(id);
    this.#ahead.delete(id);
    return ahead && ahead.holder === this.#holder.get() ? ahead : undefined;
  }

  #nameOf(project: number, { what, under, text }: Omit<GoalSum, 'sum'>): Name {
    const parent = under === null ? 0 : this.#nameOf(project, nameAbove(what, under)).id;
    const id =
      this.#names.number(project, { what, text }, parent) ??
      (this.#addName.get(project, what, parent, text) as number);
    return { what, parent, id };
  }
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
  for (const kind of conversionsBy) {
    // Where visits began stands above.
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
