import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../connection.ts';

/** Shortens the file by what was deleted, which is overwritten already, and empties the log. */
export async function eraseDeleted(db: Connection): Promise<void> {
  while (shrink(db)) await nextTurn();
  await emptyLog(db);
}

/** Deleted rows can still be read in the log, and a report that is reading it holds this up. */
export async function emptyLog(db: Connection): Promise<void> {
  for (;;) {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (result?.busy === 0) return;
    await pause(100);
  }
}

/** Gives some free pages back to the file system; answers false when there are none left. */
function shrink(db: Connection): boolean {
  db.pragma('incremental_vacuum(500)');
  return db.pragma('freelist_count', { simple: true }) !== 0;
}
