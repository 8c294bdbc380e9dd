import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the folder in which the run has its PostgreSQL. */
export const folderVariable = 'TEST_POSTGRES_FOLDER';
/** For the run that this process is. */
export const postgresFolder = join(tmpdir(), `headcount-postgres-${process.pid}`);

/** Of the names of databases that tests make, on a cluster that outlives a run, too. */
export const databasePrefix = 'headcount_test_';

/** For a PostgreSQL of one test file, which ends with the run at the latest. */
export function makePostgresFolder(): Promise<string> {
  return mkdtemp(join(String(process.env[folderVariable]), 'own-'));
}
