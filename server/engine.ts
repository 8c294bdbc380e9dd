import { setTimeout as pause } from 'node:timers/promises';
import type { Terminal } from './commands/terminal/command.ts';
import type { Config } from './config/config.ts';
import type { Log } from './log.ts';
import { instanceOf } from './projects/instance.ts';
import { makeDataFolder } from './store/data-folder.ts';
import { observeSqliteStore, openSqliteFiles, openSqliteStore } from './store/sqlite/store.ts';
import { type Store, StoreError } from './store/store.ts';
import { ThrottledLogger } from './throttled-logger.ts';

/** What a command is handed of the store. */
type Engine = Pick<
  Terminal,
  'openStore' | 'openOrMakeStore' | 'openServerStore' | 'observeStore' | 'isServed' | 'openFiles'
>;

const againMs = 1_000;

/** Both engines, as a move takes. */
export function createMove({ dataDir }: Config): Pick<Terminal, 'openMoveSource' | 'openMoveTarget'> {
  return {
    openMoveSource: async (url) =>
      url === null
        ? (await import('./store/sqlite/move.ts')).openSqliteSource(dataDir)
        : (await import('./store/postgres/move.ts')).openPostgresSource(url),
    openMoveTarget: async (url) =>
      url === null
        ? (await import('./store/sqlite/move.ts')).openSqliteTarget(dataDir)
        : (await import('./store/postgres/move.ts')).openPostgresTarget(url),
  };
}

/** The engine that the settings ask for. */
export function createEngine(config: Config, log: Log): Engine {
  const { dataDir, databaseUrl, secretKey } = config;
  if (databaseUrl === null) return sqliteEngine(dataDir, log);
  return postgresEngine(databaseUrl, dataDir, { log, ...(secretKey && { instance: instanceOf(secretKey) }) });
}

function sqliteEngine(dataDir: string, log: Log): Engine {
  return {
    openStore: () => openSqliteStore(dataDir, { log, mustExist: true }),
    openOrMakeStore: () => openSqliteStore(dataDir, { log }),
    openServerStore: () => openSqliteStore(dataDir, { log, opener: 'server' }),
    observeStore: () => observeSqliteStore(dataDir),
    isServed: async () => (await import('./store/sqlite/server-lock.ts')).isServerLockHeld(dataDir),
    openFiles: () => openSqliteFiles(dataDir),
  };
}

/** Loaded when it is used: most have no PostgreSQL. */
function postgresEngine(url: string, dataDir: string, given: { log: Log; instance?: string }): Engine {
  const load = () => import('./store/postgres/store.ts');
  const open = async (options: { mustExist?: boolean; opener?: 'server' }) =>
    (await load()).openPostgresStore(url, { ...given, ...options });
  return {
    openStore: () => open({ mustExist: true }),
    openOrMakeStore: () => open({}),
    openServerStore: async () => {
      makeDataFolder(dataDir);
      return untilReached(() => open({ opener: 'server' }), given.log);
    },
    observeStore: async () => (await load()).observePostgresStore(url),
    isServed: async () => (await load()).isPostgresServed(url),
    openFiles: async () => (await import('./store/postgres/files.ts')).openPostgresFiles(url),
  };
}

/** A server waits for its database, and says so. Requests meanwhile get 503. */
async function untilReached(open: () => Promise<Store>, log: Log): Promise<Store> {
  const troubles = new ThrottledLogger(log, () => 'The start waits for the database:');
  try {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'unavailable') throw error;
        troubles.add(error);
      }
      await pause(againMs);
    }
  } finally {
    troubles.end();
  }
}

/**
 * Loads what the server loads, at the latest with the first request and job, and what the threads of its store load, so
 * that it lies in the compile cache. `npm start` does so in a process of its own, as stripping types takes 40 MB that a
 * process keeps for as long as it lives.
 */
export async function warmUp(): Promise<void> {
  await import('./commands/serve.ts');
  await import('./express-app.ts');
  await import('./jobs/turn/runner.ts');
  // It says that it runs only as a thread, which is after it was compiled.
  await import('./store/sqlite/thread/worker.ts').catch(() => undefined);
}
