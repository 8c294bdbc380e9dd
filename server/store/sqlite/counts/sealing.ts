import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { SaltReplacement } from '../../counts/counting-store.ts';
import type { Connection } from '../connection.ts';
import { counterRows } from './counters.ts';
import { intoCounts, orAdd, sealedCounts, sumColumns } from './counts.ts';
import { pendingCounts } from './pending-counts.ts';
import { visitSealing } from './visits/sealed-visits.ts';

/**
 * Forgets the visitors of days that have ended; what remains of a day is its counts. Deleted rows are overwritten, the file
 * shrinks, and the log that still has them is emptied; copies that somebody made of the files are all that is left.
 *
 * @param onForgotten what is remembered of visitors elsewhere has to go as well
 */
export function daySealing(db: Connection, onForgotten: () => void) {
  const pending = pendingCounts(db);
  const besides = counterRows(db);
  const visits = visitSealing(db);
  const forgetCounts = sealedCounts(db);
  const deleteSome = forgottenDays(db);
  const due = db.prepare<[string, number], { id: number; project: number; day: number }>(
    `select d.id, d.project, d.day from days d join projects p on p.id = d.project
     where p.public_id = ? and d.day <= ? and d.salt is not null and d.forget_at is null order by d.day`,
  );
  /** Also days that nobody has open: a repair of the calendar left counts there. */
  const counted = db.prepare<[string, number], { project: number; day: Day }>(
    `select c.project, c.day from projects p join counts c on c.project = p.id and c.what = ${what.site}
       and c.parent = 0 and c.span = 1 and c.day > coalesce(p.sealed_through, -1e9)
     where p.public_id = ? and c.day <= ? order by c.day`,
  );
  const forgetSalt = db.prepare<[number]>('update days set salt = null where id = ?');
  const replaceSalt = db.prepare<[Uint8Array, string, Day, Uint8Array]>(
    `update days set salt = ?
     where project = (select id from projects where public_id = ?) and day = ? and salt = ?`,
  );
  const doneImports = db.prepare<[string, number, string], { id: number; project: number; day: Day }>(
    `select id, project, day from days
     where project = (select id from projects where public_id = ?) and salt is not null and forget_at is not null
       and (forget_at <= ? or day in (select value from json_each(?)))`,
  );
  const deleteHours = db.prepare<[number, Day]>(
    `delete from counts where project = ? and what = ${what.hour} and parent = 0 and span = 1 and day = ?`,
  );
  const oldHours = db.prepare<[string, Day], { project: number; day: Day }>(
    `select distinct c.project, c.day from projects p join counts c on c.project = p.id and c.what = ${what.hour}
       and c.parent = 0 and c.span = 1 and c.day <= p.sealed_through
     where p.public_id = ? and c.day < ?`,
  );
  // cross join: SQLite keeps this order, one seek per kind of name, instead of reading all counts of the project.
  const addToBlock = db.prepare<[{ span: number; start: Day; project: number; day: Day }]>(
    `${intoCounts} select @project, one.what, one.parent, @span, @start, one.name, ${sumColumns}
     from (select 0 as what, 0 as parent
           union all select distinct what, parent from names where project = @project) kind
       cross join counts one on one.project = @project and one.what = kind.what and one.parent = kind.parent
         and one.span = 1 and one.day = @day
     where true
     ${orAdd}`,
  );
  const raise = db.prepare<[number, string, number]>(
    'update projects set sealed_through = ? where public_id = ? and coalesce(sealed_through, -1e9) < ?',
  );
  /** The log was being read, so that it still holds deleted data. */
  let isLogDue = false;

  async function seal(projectId: string, through: Day, hoursFrom: Day | null = null): Promise<void> {
    await visits.prepare(due.all(projectId, through));
    forgetSalts(projectId, through, hoursFrom ?? through + 1);
    return cleanUp();
  }

  /** Sealed days on which logs were counted; what they counted is in all blocks already, but for the visits. */
  async function sealImported(projectId: string, now: number, done: Day[]): Promise<void> {
    await visits.prepare(doneImports.all(projectId, now, JSON.stringify(done)));
    db.transaction(() => {
      for (const day of doneImports.all(projectId, now, JSON.stringify(done))) {
        visits.seal(day.project, day, { isSealed: true });
        forgetSalt.run(day.id);
      }
    }).immediate();
    return cleanUp();
  }

  async function replaceSalts(replacements: SaltReplacement[]): Promise<void> {
    db.transaction(() => {
      for (const { projectId, day, salt, by } of replacements) replaceSalt.run(by, projectId, day, salt);
    }).immediate();
    isLogDue = !(await emptyLog(db));
  }

  /** Deletes the visitors of all days without a salt, and then these days. Answers false where there are none. */
  async function deleteForgotten(): Promise<boolean> {
    if (!deleteSome()) return false;
    onForgotten();
    // Views that arrived meanwhile are counted between the steps.
    do await nextTurn();
    while (deleteSome());
    return true;
  }

  /** Deletes what is left of forgotten days, and what the files still have of it. */
  async function cleanUp(): Promise<void> {
    if ((await deleteForgotten()) || isLogDue) isLogDue = !(await eraseDeleted(db));
  }

  /** The same of all that was deleted; where it takes too long it goes on with the next sealing. */
  async function erase(): Promise<void> {
    isLogDue = true;
    await cleanUp();
  }

  /** From here on the days' visitors cannot be recognised, and no view is counted on them. */
  function forgetSalts(projectId: string, through: Day, hoursFrom: Day): void {
    db.transaction(() => {
      const closing = due.all(projectId, through);
      if (closing.length > 0) pending.merge();
      const inBlocks = new Map([...counted.all(projectId, through), ...closing].map((one) => [one.day, one]));
      for (const day of closing) {
        forgetSalt.run(day.id);
        if (day.day < hoursFrom) deleteHours.run(day.project, day.day);
        besides.seal(day.project, day.day);
        visits.seal(day.project, day, { isSealed: false });
      }
      for (const { project, day } of inBlocks.values()) {
        for (const { span, day: start } of largerBlocksOf(day)) {
          addToBlock.run({ span, start, project, day });
        }
      }
      raise.run(through, projectId, through);
      for (const day of oldHours.all(projectId, hoursFrom)) {
        forgetCounts({ ...day, what: what.hour, parent: 0, last: Number.MAX_SAFE_INTEGER });
      }
    }).immediate();
  }

  return { seal, sealImported, replaceSalts, deleteForgotten, erase };
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
