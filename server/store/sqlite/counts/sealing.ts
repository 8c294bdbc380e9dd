import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { SaltReplacement } from '../../counts/counting-store.ts';
import type { Connection } from '../connection.ts';
import { orAdd } from './counts.ts';
import { PendingCounts } from './pending-counts.ts';
import { sealedCounts } from './sealed-counts.ts';
import { Tallies } from './tallies.ts';
import { SealedVisits } from './visits/sealed-visits.ts';

/**
 * Forgets the visitors of days that have ended; what remains of a day is its counts. Deleted rows are overwritten, the file
 * shrinks, and the log that still has them is emptied; copies that somebody made of the files are all that is left.
 */
export class Sealing {
  readonly #db: Connection;
  readonly #onForgotten: () => void;
  readonly #pending: PendingCounts;
  readonly #tallies: Tallies;
  readonly #visits: SealedVisits;
  readonly #forgetCounts: ReturnType<typeof sealedCounts>;
  readonly #deleteForgotten: ReturnType<typeof forgottenDays>;
  /** Somebody was reading the log, so that it still holds what was deleted. */
  #isLogDue = false;
  readonly #due: Statement<[string, number], { id: number; project: number; day: number }>;
  /** Also days that nobody has open: a repair of the calendar left counts there. */
  readonly #counted: Statement<[string, number], { project: number; day: Day }>;
  readonly #forgetSalt: Statement<[number]>;
  readonly #replaceSalt: Statement<[Uint8Array, string, Day, Uint8Array]>;
  readonly #doneImports: Statement<[string, number, string], { id: number; project: number; day: Day }>;
  readonly #deleteHours: Statement<[number, Day]>;
  readonly #oldHours: Statement<[string, Day], { project: number; day: Day }>;
  readonly #addToBlock: Statement<[{ span: number; start: Day; project: number; day: Day }]>;
  readonly #raise: Statement<[number, string, number]>;

  /** @param onForgotten what is remembered of visitors elsewhere has to go as well */
  constructor(db: Connection, onForgotten: () => void) {
    this.#db = db;
    this.#onForgotten = onForgotten;
    this.#pending = new PendingCounts(db);
    this.#tallies = new Tallies(db);
    this.#visits = new SealedVisits(db);
    this.#forgetCounts = sealedCounts(db);
    this.#deleteForgotten = forgottenDays(db);
    this.#due = db.prepare(
      `select d.id, d.project, d.day from days d join projects p on p.id = d.project
       where p.public_id = ? and d.day <= ? and d.salt is not null and d.forget_at is null order by d.day`,
    );
    this.#counted = db.prepare(
      `select c.project, c.day from projects p join counts c on c.project = p.id and c.what = ${what.site}
         and c.parent = 0 and c.span = 1 and c.day > coalesce(p.sealed_through, -1e9)
       where p.public_id = ? and c.day <= ? order by c.day`,
    );
    this.#forgetSalt = db.prepare('update days set salt = null where id = ?');
    this.#replaceSalt = db.prepare(
      `update days set salt = ?
       where project = (select id from projects where public_id = ?) and day = ? and salt = ?`,
    );
    this.#doneImports = db.prepare(
      `select id, project, day from days
       where project = (select id from projects where public_id = ?) and salt is not null and forget_at is not null
         and (forget_at <= ? or day in (select value from json_each(?)))`,
    );
    this.#deleteHours = db.prepare(
      `delete from counts where project = ? and what = ${what.hour} and parent = 0 and span = 1 and day = ?`,
    );
    this.#oldHours = db.prepare(
      `select distinct c.project, c.day from projects p join counts c on c.project = p.id and c.what = ${what.hour}
         and c.parent = 0 and c.span = 1 and c.day <= p.sealed_through
       where p.public_id = ? and c.day < ?`,
    );
    // cross join: SQLite keeps this order, one seek per kind of name, instead of reading all counts of the project.
    this.#addToBlock = db.prepare(
      `insert into counts (project, what, parent, span, day, name,
         human_visitors, ai_visitors, visitors, human_views, ai_views)
       select @project, one.what, one.parent, @span, @start, one.name,
         one.human_visitors, one.ai_visitors, one.visitors, one.human_views, one.ai_views
       from (select 0 as what, 0 as parent
             union all select distinct what, parent from names where project = @project) kind
         cross join counts one on one.project = @project and one.what = kind.what and one.parent = kind.parent
           and one.span = 1 and one.day = @day
       where true
       ${orAdd}`,
    );
    this.#raise = db.prepare(
      'update projects set sealed_through = ? where public_id = ? and coalesce(sealed_through, -1e9) < ?',
    );
  }

  async seal(projectId: string, through: Day, hoursFrom: Day | null = null): Promise<void> {
    await this.#visits.prepare(this.#due.all(projectId, through));
    this.#forgetSalts(projectId, through, hoursFrom ?? through + 1);
    return this.cleanUp();
  }

  /** Sealed days on which logs were counted; what they counted is in all blocks already, but for the visits. */
  async sealImported(projectId: string, now: number, done: Day[]): Promise<void> {
    await this.#visits.prepare(this.#doneImports.all(projectId, now, JSON.stringify(done)));
    this.#db
      .transaction(() => {
        for (const day of this.#doneImports.all(projectId, now, JSON.stringify(done))) {
          this.#visits.seal(day.project, day, { isSealed: true });
          this.#forgetSalt.run(day.id);
        }
      })
      .immediate();
    return this.cleanUp();
  }

  async replaceSalts(replacements: SaltReplacement[]): Promise<void> {
    this.#db
      .transaction(() => {
        for (const { projectId, day, salt, by } of replacements)
          this.#replaceSalt.run(by, projectId, day, salt);
      })
      .immediate();
    this.#isLogDue = !(await emptyLog(this.#db));
  }

  /** Deletes the visitors of all days without a salt, and then these days. Answers false where there are none. */
  async deleteForgotten(): Promise<boolean> {
    if (!this.#deleteForgotten()) return false;
    this.#onForgotten();
    // Views that arrived meanwhile are counted between the steps.
    do await nextTurn();
    while (this.#deleteForgotten());
    return true;
  }

  /** Deletes what is left of forgotten days, and what the files still have of it. */
  async cleanUp(): Promise<void> {
    if ((await this.deleteForgotten()) || this.#isLogDue) await this.erase();
  }

  /** What the files still have of what was deleted; where that takes too long it goes on with the next sealing. */
  async erase(): Promise<void> {
    this.#isLogDue = !(await eraseDeleted(this.#db));
  }

  /** From here on the days' visitors cannot be told apart any more, and no view is counted on them. */
  #forgetSalts(projectId: string, through: Day, hoursFrom: Day): void {
    this.#db
      .transaction(() => {
        const due = this.#due.all(projectId, through);
        if (due.length > 0) this.#pending.merge();
        const inBlocks = new Map(
          [...this.#counted.all(projectId, through), ...due].map((one) => [one.day, one]),
        );
        for (const day of due) {
          this.#forgetSalt.run(day.id);
          if (day.day < hoursFrom) this.#deleteHours.run(day.project, day.day);
          this.#tallies.seal(day.project, day.day);
          this.#visits.seal(day.project, day, { isSealed: false });
        }
        for (const { project, day } of inBlocks.values()) {
          for (const { span, day: start } of largerBlocksOf(day)) {
            this.#addToBlock.run({ span, start, project, day });
          }
        }
        this.#raise.run(through, projectId, through);
        for (const day of this.#oldHours.all(projectId, hoursFrom)) {
          this.#forgetCounts({ ...day, what: what.hour, parent: 0, last: Number.MAX_SAFE_INTEGER });
        }
      })
      .immediate();
  }
}

/** Visitors deleted at a time: between two such steps views are counted. */
const deletedAtATime = 20_000;

/** Deletes some visitors of a day without a salt, and then the day; answers false when none are left anywhere. */
function forgottenDays(db: Connection): () => boolean {
  const next = db.prepare<[], number>('select id from days where salt is null limit 1').pluck();
  const lastOfStep = db
    .prepare<[number], bigint>(
      `select visitor from seen where day = ? order by visitor limit 1 offset ${deletedAtATime - 1}`,
    )
    .pluck()
    .safeIntegers();
  const others = [
    'delete from newly_seen where day = ?',
    'update log_days set visitors = null, day_id = null where day_id = ?',
    'delete from visit_views where day = ?',
  ].map((sql) => db.prepare<[number]>(sql));
  const deleteThrough = db.prepare<[number, bigint]>('delete from seen where day = ? and visitor <= ?');
  const deleteDay = db.prepare<[number]>('delete from days where id = ?');
  const deleteSome = db.transaction((day: number) => {
    for (const statement of others) statement.run(day);
    const last = lastOfStep.get(day);
    deleteThrough.run(day, last ?? 2n ** 63n - 1n);
    if (last === undefined) deleteDay.run(day);
  });
  return () => {
    const day = next.get();
    if (day !== undefined) deleteSome.immediate(day);
    return day !== undefined;
  };
}

/** For readers of the log to come to their end; nothing is written for so long. */
const holdMs = 20;
/** Between two tries, at first and at most. */
const pausesMs = { first: 100, most: 2000 };
const maxWaitMs = 10_000;

/** Shortens the file by what was deleted, which is overwritten already, and empties the log, as `emptyLog`. */
async function eraseDeleted(db: Connection): Promise<boolean> {
  while (shrink(db)) await nextTurn();
  return emptyLog(db);
}

/**
 * Deleted rows can still be read in the log. Who is reading it holds this up: a report for a moment, a backup for minutes,
 * and a program that copies each change for as long as it likes. Answers false when it has to be tried again.
 */
async function emptyLog(db: Connection): Promise<boolean> {
  for (let waitedMs = 0, pauseMs = pausesMs.first; waitedMs < maxWaitMs; waitedMs += pauseMs) {
    if (tryToEmptyLog(db)) return true;
    await pause(pauseMs);
    pauseMs = Math.min(pauseMs * 2, pausesMs.most);
  }
  return false;
}

function tryToEmptyLog(db: Connection): boolean {
  const usual = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma(`busy_timeout = ${holdMs}`);
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${usual}`);
  }
}

/** Gives some free pages back to the file system; answers false when there are none left. */
function shrink(db: Connection): boolean {
  db.pragma('incremental_vacuum(500)');
  return db.pragma('freelist_count', { simple: true }) !== 0;
}
