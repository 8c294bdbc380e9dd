import { setTimeout as pause } from 'node:timers/promises';
import type { Terminal } from './commands/terminal/command.ts';
import { Complaint } from './complaint.ts';
import type { Config } from './config/config.ts';
import type { Log } from './log.ts';
import { instanceOf } from './projects/instance.ts';
import { makeDataFolder } from './store/data-folder.ts';
import { observeSqliteStore, openSqliteFiles, openSqliteStore } from './store/sqlite/store.ts';
import { type Store, StoreError } from './store/store.ts';

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
        ? (await import('./store/sqlite/move/source.ts')).openSqliteSource(dataDir)
        : (await import('./store/postgres/move/source.ts')).openPostgresSource(url),
    openMoveTarget: async (url) =>
      url === null
        ? (await import('./store/sqlite/move/target.ts')).openSqliteTarget(dataDir)
        : (await import('./store/postgres/move/target.ts')).openPostgresTarget(url),
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

/** A server waits for its database, and says so. Whoever asks it meanwhile is answered 503. */
async function untilReached(open: () => Promise<Store>, log: Log): Promise<Store> {
  const troubles = new Complaint(log, () => 'The start waits for the database:');
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
