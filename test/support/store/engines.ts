import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import { openSqliteStore } from '../../../server/store/sqlite/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { putEmptyDatabase } from './empty-sqlite.ts';
import { restConnections } from './rested-connections.ts';
import { giveBackDatabase, makeDatabase } from './shared-postgres.ts';

/** What keeps data, for the tests of what each of them promises. */
export interface Engine {
  name: string;
  /** A new, empty place for data. */
  prepare(): Promise<void>;
  /** Opens the prepared place; several may be open at once. */
  open(options?: { now?: () => number }): Promise<Store>;
  cleanUp(): Promise<void>;
}

let dataDir: string;

export const sqlite: Engine = {
  name: 'SQLite',
  prepare: async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'headcount-'));
    await putEmptyDatabase(dataDir);
  },
  open: (options) => openSqliteStore(dataDir, options),
  cleanUp: () => rm(dataDir, { recursive: true, force: true }),
};

let url: string;

export const postgres: Engine = {
  name: 'PostgreSQL',
  prepare: async () => {
    url = await makeDatabase();
    restConnections(url);
  },
  open: (options) => openPostgresStore(url, options),
  cleanUp: async () => giveBackDatabase(url),
};
