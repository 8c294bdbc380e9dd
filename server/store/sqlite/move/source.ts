import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MoveSource } from '../../moved-tables.ts';
import { StoreError } from '../../store.ts';
import { PendingCounts } from '../counts/pending-counts.ts';
import { Seen } from '../counts/visitors/seen.ts';
import { openUpToDate } from '../opening.ts';
import { databaseFile } from '../store.ts';
import { define, readRows } from './rows.ts';

/**
 * The database in a data folder, held so that no server starts on it; nothing of it is changed but that it is brought up to
 * date as by any command.
 *
 * @throws StoreError `missing`, `in_use`, `newer`
 */
export function openSqliteSource(dataDir: string): MoveSource {
  const file = join(dataDir, databaseFile);
  if (!existsSync(file)) {
    throw new StoreError(
      'missing',
      `There is no database in the folder ${dataDir} to move: name the server's data folder with HEADCOUNT_DATA_DIR.`,
    );
  }
  const { db, close } = openUpToDate(file, 'server');
  try {
    define(db);
    // Everything that was seen is in one table from here on, and so are all counts.
    db.transaction(() => {
      new Seen(db).begin();
      new PendingCounts(db).merge();
    }).immediate();
    db.exec('begin immediate');
  } catch (error) {
    close();
    throw error;
  }
  return {
    instance: null,
    read: (table) => readRows(db, table),
    close: () => {
      db.exec('rollback');
      close();
    },
  };
}
