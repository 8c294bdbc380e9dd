import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { ProjectSettings } from '../../../../shared/project.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { CountQuery, NamedQuery, RangeQuery, SeriesQuery } from '../../analytics-store.ts';
import type { DroppedTally } from '../../counting-store.ts';
import type { Project, SealedSecrets, StoredKey } from '../../project-store.ts';
import { adminReads, adminWrites } from '../admin/admin-calls.ts';
import { DirectoryTables } from '../admin/directory.ts';
import { type Connection, openForObserving, openForReading, openForWriting } from '../connection.ts';
import { Counting } from '../counts/counting.ts';
import { Reading } from '../counts/reading.ts';
import { Sealing } from '../counts/sealing.ts';
import { Series } from '../counts/series.ts';
import type { LiveViews } from '../counts/view-table.ts';
import { importReads, importWrites } from '../imports/import-calls.ts';
import { jobReads, jobWrites } from '../jobs/job-calls.ts';

/** What a thread of the store can do, by the name of the method it stands behind. */
export interface Engine {
  // biome-ignore lint/suspicious/noExplicitAny: arguments come from another thread; store.ts types both ends
  operations: Record<string, (...args: any[]) => unknown>;
}

export function openWriter(file: string): Engine {
  const db = openForWriting(file);
  const counting = new Counting(db);
  const directory = new DirectoryTables(db);
  const sealing = new Sealing(db);
  return {
    operations: {
      open: () => undefined,
      addProject: (project: Project, keys: StoredKey[]) => directory.addProject(project, keys),
      setProject: (id: string, settings: ProjectSettings, secrets?: SealedSecrets) =>
        directory.setProject(id, settings, secrets),
      removeProject: (id: string) => directory.removeProject(id),
      addKey: (key: StoredKey) => directory.addKey(key),
      revokeKey: (id: string) => directory.revokeKey(id),
      openDay: (projectId: string, day: Day) => directory.openDay(projectId, day),
      countViews: (views: LiveViews, dropped: DroppedTally[]) => counting.count(views, dropped),
      seal: (projectId: string, through: Day) => {
        sealing.forgetSalts(projectId, through);
        return deleteForgotten(sealing, counting);
      },
      sealImported: (projectId: string, now: number, done: Day[]) => {
        sealing.forgetImportedSalts(projectId, now, done);
        return deleteForgotten(sealing, counting);
      },
      ...importWrites(db),
      ...adminWrites(db),
      ...jobWrites(db),
      close: () => close(db),
    },
  };
}

async function deleteForgotten(sealing: Sealing, counting: Counting): Promise<void> {
  if (!sealing.deleteVisitors()) return;
  counting.forgetSealed();
  // Views that arrived meanwhile are counted between the steps.
  do await nextTurn();
  while (sealing.deleteVisitors());
  while (sealing.shrink()) await nextTurn();
  while (!sealing.emptyLog()) await pause(100);
}

/** Reads what an import has to know, and makes and changes no file. */
export function openObserver(file: string): Engine {
  const db = openForObserving(file);
  const directory = new DirectoryTables(db);
  return {
    operations: {
      directoryVersion: () => directory.directoryVersion(),
      directory: () => directory.directory(),
      ...importReads(db),
      close: () => close(db),
    },
  };
}

export function openReader(file: string): Engine {
  const db = openForReading(file);
  const directory = new DirectoryTables(db);
  const reading = new Reading(db);
  const series = new Series(db);
  return {
    operations: {
      directoryVersion: () => directory.directoryVersion(),
      directory: () => directory.directory(),
      readSecrets: (projectId: string) => directory.readSecrets(projectId),
      readCounts: (query: CountQuery) => reading.readCounts(query),
      readClients: (query: NamedQuery) => reading.readClients(query),
      readClientPaths: (query: NamedQuery, client: string) => reading.readClientPaths(query, client),
      readDropped: (query: RangeQuery) => reading.readDropped(query),
      ...importReads(db),
      readSeries: (query: SeriesQuery) => series.readSeries(query),
      firstDay: (projectId: string) => series.firstDay(projectId),
      ...adminReads(db),
      ...jobReads(db),
      close: () => close(db),
    },
  };
}

function close(db: Connection): void {
  db.close();
}
