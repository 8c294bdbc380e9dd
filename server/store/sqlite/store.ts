import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectSettings } from '../../../shared/project.ts';
import type { Directory } from '../project-store.ts';
import { type ReadOnlyStore, type Store, StoreError } from '../store.ts';
import { callAdminStore } from './admin/admin-calls.ts';
import type { RawDirectory } from './admin/directory.ts';
import { toViewTable } from './counts/view-table.ts';
import { callImportStore } from './imports/import-calls.ts';
import { callJobStore } from './jobs/job-calls.ts';
import { Thread } from './thread/thread.ts';

/** The database's name in the data folder. */
export const databaseFile = 'headcount.db';

function prepareFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreError(
      'unusable',
      `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Give another with HEADCOUNT_DATA_DIR.`,
      { cause: error },
    );
  }
}

/**
 * Opens the SQLite database in the data folder, making what is missing. Two threads: one writes, one reads
 * reports, so that neither holds up the other or the thread that answers requests.
 *
 * @throws StoreError `unusable` for a folder or file that cannot be opened, `newer` for one of a later version.
 */
export async function openSqliteStore(dataDir: string): Promise<Store> {
  prepareFolder(dataDir);
  const file = join(dataDir, databaseFile);
  const writer = new Thread({ role: 'writer', file });
  // The writer makes the file and its tables, which the reader cannot.
  await writer.call('open').catch((error: Error) => {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unusable', `The database ${file} cannot be opened: ${error.message}.`, {
      cause: error,
    });
  });
  const reader = new Thread({ role: 'reader', file });
  return {
    directoryVersion: () => reader.call('directoryVersion'),
    directory: async () => parseDirectory(await reader.call('directory')),
    addProject: (...args) => writer.call('addProject', ...args),
    setProject: (...args) => writer.call('setProject', ...args),
    readSecrets: (...args) => reader.call('readSecrets', ...args),
    removeProject: (...args) => writer.call('removeProject', ...args),
    addKey: (...args) => writer.call('addKey', ...args),
    revokeKey: (...args) => writer.call('revokeKey', ...args),
    openDay: (...args) => writer.call('openDay', ...args),
    countViews: (views, dropped) => writer.call('countViews', toViewTable(views), dropped),
    seal: (...args) => writer.call('seal', ...args),
    readCounts: (...args) => reader.call('readCounts', ...args),
    readClients: (...args) => reader.call('readClients', ...args),
    readClientPaths: (...args) => reader.call('readClientPaths', ...args),
    readDropped: (...args) => reader.call('readDropped', ...args),
    readSeries: (query) => reader.call('readSeries', query),
    firstDay: (projectId) => reader.call('firstDay', projectId),
    admin: callAdminStore(writer, reader),
    jobs: callJobStore(writer, reader),
    imports: callImportStore(writer, reader),
    close: async () => {
      await reader.close();
      await writer.close();
    },
  };
}

/**
 * Opens the database for looking at it: no file is made or changed, nor brought up to date.
 *
 * @throws StoreError where there is none, or it cannot be read, or is of another version.
 */
export async function observeSqliteStore(dataDir: string): Promise<ReadOnlyStore> {
  const observer = new Thread({ role: 'observer', file: join(dataDir, databaseFile) });
  return {
    directoryVersion: () => observer.call('directoryVersion'),
    directory: async () => parseDirectory(await observer.call('directory')),
    imports: {
      listLogs: (...args) => observer.call('listLogs', ...args),
      listHeldDays: (...args) => observer.call('listHeldDays', ...args),
    },
    close: () => observer.close(),
  };
}

function parseDirectory({ projects, ...rest }: RawDirectory): Directory {
  const parsed = projects.map((project) => ({
    ...project,
    settings: projectSettings.parse(project.settings),
  }));
  return { ...rest, projects: parsed };
}
