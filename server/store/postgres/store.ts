import { Complaint } from '../../complaint.ts';
import { parseDatabaseUrl } from '../../config/database-url.ts';
import type { Log } from '../../log.ts';
import { type Store, StoreError, type StoreSize } from '../store.ts';
import { Admin } from './admin/admin.ts';
import { Database } from './database.ts';
import { Changes } from './directory/changes.ts';
import { type ForgetProject, Projects } from './directory/projects.ts';
import { readVersions, type Versions } from './directory/versions.ts';
import { Meter } from './meter.ts';
import { bringUpToDate } from './schema.ts';
import { isRefusal } from './trouble.ts';

export interface OpenOptions {
  /** Told of failures of the database. */
  log?: Log;
  /** Otherwise jobs go by the clock of the database, which all nodes share. */
  now?: () => number;
}

/** What a part keeps of a project and does not go with the project's row by itself. */
const forgetProject: readonly ForgetProject[] = [];

/**
 * Opens the PostgreSQL database at an address, making the tables that are missing.
 *
 * @throws StoreError `unavailable` where it cannot be reached, `unusable` where it does not let in or is too old, `newer`
 * where a later version was at work
 */
export async function openPostgresStore(url: string, { log }: OpenOptions = {}): Promise<Store> {
  const troubles = log && new Complaint(log, describeTroubles);
  const database = openDatabase(url, troubles);
  let versions: Versions;
  try {
    await bringUpToDate(database);
    versions = await readVersions(database);
  } catch (error) {
    await database.close();
    troubles?.end();
    throw isRefusal(error) ? new StoreError('unusable', (error as Error).message) : error;
  }
  const meter = new Meter();
  const changes = new Changes(database, versions);
  const parts = {
    ...meter.watch('projects', new Projects(database, changes, forgetProject)),
    admin: meter.watch('admin', new Admin(database, changes)),
    activity: () => meter.activity(),
    size: () => readSize(database),
    close: async () => {
      changes.close();
      await database.close();
      troubles?.end();
    },
  };
  return parts as unknown as Store;
}

/** @throws StoreError */
function openDatabase(url: string, troubles: Complaint | undefined): Database {
  const address = parseDatabaseUrl(url);
  if (!address) throw new StoreError('unusable', 'The address of the database is none.');
  return new Database(address, { onTrouble: (error) => troubles?.add(error) });
}

async function readSize(database: Database): Promise<StoreSize> {
  const [row] = await database.query<{ bytes: number }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return { database: row?.bytes ?? 0, log: 0 };
}

function describeTroubles(times: number): string {
  return times === 1 ? 'The store failed:' : `The store failed ${times} times:`;
}
