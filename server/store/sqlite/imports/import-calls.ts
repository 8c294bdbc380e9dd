import type { ImportStore } from '../../import-store.ts';
import type { Connection } from '../connection.ts';
import type { Thread } from '../thread/thread.ts';
import { ImportCounting } from './import-counting.ts';
import { ImportReader, ImportWriter } from './imports.ts';

// biome-ignore lint/suspicious/noExplicitAny: as in engine.ts; the functions below are typed by what they call
type Operations = Record<string, (...args: any[]) => unknown>;

/** What the writing thread does for `ImportStore`. */
export function importWrites(db: Connection): Operations {
  const writer = new ImportWriter(db);
  // Most processes never import, and its memory of visitors is large.
  let counting: ImportCounting | undefined;
  return {
    openImportDay: (...args: Parameters<ImportWriter['openDay']>) => writer.openDay(...args),
    countLogs: (...args: Parameters<ImportCounting['count']>) => {
      counting ??= new ImportCounting(db);
      return counting.count(...args);
    },
  };
}

/** What the reading thread does for it. */
export function importReads(db: Connection): Operations {
  const reader = new ImportReader(db);
  return {
    listLogs: (...args: Parameters<ImportReader['listLogs']>) => reader.listLogs(...args),
    listHeldDays: (...args: Parameters<ImportReader['listHeldDays']>) => reader.listHeldDays(...args),
  };
}

/** The side of the callers. */
export function callImportStore(writer: Thread, reader: Thread): ImportStore {
  return {
    listLogs: (...args) => reader.call('listLogs', ...args),
    listHeldDays: (...args) => reader.call('listHeldDays', ...args),
    openDay: (...args) => writer.call('openImportDay', ...args),
    countLogs: (batch) => writer.call('countLogs', batch),
    seal: (...args) => writer.call('sealImported', ...args),
  };
}
