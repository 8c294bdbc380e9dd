import { StoreError } from '../store.ts';
import type { FileState, StoreFiles } from '../store-files.ts';
import { ProjectExport } from './archive/exporting.ts';
import { readVersions } from './schema.ts';
import { openDatabase } from './store.ts';

/** What a command does with files of the store, of which there are none here. */
export function openPostgresFiles(url: string): StoreFiles {
  const database = openDatabase(url);
  const refuse = async () => {
    throw new StoreError(
      'unusable',
      `The database ${database.name} is a PostgreSQL, which has its own means for this: back it up and restore it with pg_dump and pg_restore, or with pg_basebackup and its archive of the log.`,
    );
  };
  let exporting: ProjectExport | undefined;
  return {
    describe: async (): Promise<FileState> => {
      const versions = await readVersions(database);
      const [size] = await database.query<{ bytes: number }>(
        'select pg_database_size(current_database()) as bytes',
      );
      return { ...versions, bytes: size?.bytes ?? 0 };
    },
    copy: refuse,
    copyUnnamed: refuse,
    hold: refuse,
    inspectDraft: refuse,
    useDraft: refuse,
    archive: {
      beginExport: async (projectId) => {
        exporting = await ProjectExport.begin(database, projectId);
        return exporting !== undefined;
      },
      nextRecords: async () => exporting?.next() ?? [],
      beginImport: refuse,
      addRecords: refuse,
      openDays: refuse,
      finishImport: refuse,
    },
    close: async () => {
      await exporting?.close();
      await database.close();
    },
  };
}
