import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../connection.ts';

/** For readers of the log to come to their end; nothing is written for so long. */
const holdMs = 20;
/** Between two tries, at first and at most. */
const pausesMs = { first: 100, most: 2000 };
const maxWaitMs = 10_000;

/** Shortens the file by what was deleted, which is overwritten already, and empties the log, as `emptyLog`. */
export async function eraseDeleted(db: Connection): Promise<boolean> {
  while (shrink(db)) await nextTurn();
  return emptyLog(db);
}

/**
 * Deleted rows can still be read in the log. Who is reading it holds this up: a report for a moment, a backup for minutes,
 * and a program that copies each change for as long as it likes. Answers false when it has to be tried again.
 */
export async function emptyLog(db: Connection): Promise<boolean> {
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
