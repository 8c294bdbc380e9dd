import { StoreError } from '../store.ts';
import type { FileState, StoreFiles } from '../store-files.ts';
import { beginExport, type ProjectExport } from './archive/exporting.ts';
import { ProjectImport } from './archive/importing.ts';
import { readVersions } from './schema.ts';
import { openDatabase } from './store.ts';
import { withTrouble } from './trouble.ts';

/** What a command does with files of the store, of which there are none here. */
export function openPostgresFiles(url: string): StoreFiles {
  const database = openDatabase(url);
  const refuse = async () => {
    throw new StoreError(
      'unusable',
      `The database ${database.name} is a PostgreSQL, which has its own means for this: back it up and restore it with pg_dump and pg_restore, or with pg_basebackup and its archive of the log.`,
    );
  };
  /** On connections of their own, whose failures nobody else puts in words. */
  const inWords = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw withTrouble(error, database.name);
    }
  };
  let exporting: ProjectExport | undefined;
  let importing: ProjectImport | undefined;
  const imported = () => {
    if (!importing) throw new Error('The import has to begin first.');
    return importing;
  };
  return {
    describe: async (): Promise<FileState> => {
      const versions = await readVersions(database);
      const [size] = await database.query<{ bytes: number }>('select database_size() as bytes');
      return { ...versions, bytes: size?.bytes ?? 0 };
    },
    findHurt: async () => null,
    copy: refuse,
    copyUnnamed: refuse,
    hold: refuse,
    inspectDraft: refuse,
    useDraft: refuse,
    archive: {
      beginExport: (projectId) =>
        inWords(async () => {
          exporting = await beginExport(database, projectId);
          return exporting !== undefined;
        }),
      nextRecords: () => inWords(async () => exporting?.next() ?? []),
      beginImport: () =>
        inWords(async () => {
          importing = await ProjectImport.begin(database);
        }),
      addRecords: (records) => inWords(() => imported().add(records)),
      openDays: () => inWords(() => imported().openDays()),
      finishImport: (additions) => inWords(() => imported().finish(additions)),
    },
    close: async () => {
      await exporting?.close();
      await importing?.close();
      await database.close();
    },
  };
}
