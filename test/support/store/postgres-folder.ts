import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the folder of the run's PostgreSQL. */
export const folderVariable = 'TEST_POSTGRES_FOLDER';
/** For the run that this process is. */
export const postgresFolder = join(tmpdir(), `headcount-postgres-${process.pid}`);
