import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import { blocksOf } from '../../../../counting/blocks.ts';
import type { Sum } from '../../../../counting/sum.ts';
import { allVisits } from '../../../../counting/visit.ts';
import { what } from '../../../../counting/what.ts';
import type { Connection } from '../../connection.ts';
import { Counts } from '../counts.ts';
import { type MeasuredDay, OpenVisits, type Progress, type VisitDay } from './visit-views.ts';

/** Makes counts of the visits of a day, whose views go with its visitors. Used inside transactions. */
export class SealedVisits {
  readonly #open: OpenVisits;
  readonly #counts: Counts;
  readonly #findName: Statement<[number, number, string], number>;
  readonly #addName: Statement<[number, number, string], number>;
  readonly #delete: Statement<[number]>;
  /** Whoever moves paths takes the place of the one who counted last. */
  readonly #holder: Statement<[], number>;
  readonly #ahead = new Map<number, Progress & { holder: number | undefined }>();

  constructor(db: Connection) {
    this.#open = new OpenVisits(db);
    this.#counts = new Counts(db);
    this.#findName = db
      .prepare<[number, number, string], number>(
        'select id from names where project = ? and what = ? and parent = 0 and text = ?',
      )
      .pluck();
    this.#addName = db
      .prepare<[number, number, string], number>(
        'insert into names (project, what, parent, text) values (?, ?, 0, ?) returning id',
      )
      .pluck();
    this.#delete = db.prepare('delete from visit_views where day = ?');
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  }

  /** Works visits out ahead, so that sealing holds up nobody who counts; outside of transactions. */
  async prepare(days: readonly VisitDay[]): Promise<void> {
    this.#ahead.clear();
    for (const { id } of days) {
      const holder = this.#holder.get();
      const progress = this.#open.begin();
      while (this.#open.addSome(id, progress)) await nextTurn();
      this.#ahead.set(id, { ...progress, holder });
    }
  }

  /** @param isSealed the day is in larger blocks already; else sealing adds it to them */
  seal(project: number, day: VisitDay, { isSealed }: { isSealed: boolean }): void {
    const visits = this.#open.readDay(project, day, this.#takeAhead(day));
    for (const { kind, text, sum } of visits ? namedSums(visits) : []) {
      const name = { what: kind, parent: 0, id: this.#nameOf(project, kind, text) };
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

  #nameOf(project: number, kind: number, text: string): number {
    return this.#findName.get(project, kind, text) ?? (this.#addName.get(project, kind, text) as number);
  }
}

/** What a day has as counts; pages that were forgotten have no name, and none. */
export function* namedSums({ all, sums, nameOf }: MeasuredDay): Generator<{
  kind: number;
  text: string;
  sum: Sum;
}> {
  if (all.visitors > 0) yield { kind: what.visit, text: allVisits, sum: all };
  for (const kind of ['entry', 'exit', 'singlePage'] as const) {
    for (const [number, sum] of sums[kind]) {
      const text = nameOf(number);
      if (text !== undefined) yield { kind: what[kind], text, sum };
    }
  }
}
