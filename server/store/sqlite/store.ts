import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keepPrivate, makePrivateFile } from '../../files/private-file.ts';
import type { Log } from '../../log.ts';
import { program } from '../../process/program.ts';
import { ThrottledLogger } from '../../throttled-logger.ts';
import { Changes } from '../changes.ts';
import type { AnalyticsStore } from '../counts/analytics.ts';
import { TableBatch } from '../counts/view-batch.ts';
import { toViewTable } from '../counts/view-table.ts';
import { inDataFolder, makeDataFolder } from '../data-folder.ts';
import { directoryReader, withDirectory } from '../directory-reader.ts';
import { atTime, byLease } from '../jobs/jobs.ts';
import { toNoticeListener } from '../jobs/transcript.ts';
import { callAudited } from '../sql-parts.ts';
import { describeTroubles, type ReadOnlyStore, type Store, StoreError } from '../store.ts';
import type { StoreFiles } from '../store-files.ts';
import type { Opener } from './opening.ts';
import { openThread, openThreadLater } from './thread/open-thread.ts';
import type { Calls, PartsOf } from './thread/thread-store.ts';
import { damaged, damageNotice } from './trouble.ts';

/** A transaction of more is no faster (bench/README.md). */
const viewsPerBatch = 256;

/** The database's name in the data folder. */
export const databaseFile = 'headcount.db';

export interface OpenOptions {
  /** Otherwise a command's, of which several may run besides a server. */
  opener?: Opener;
  /** Neither a folder nor a database is made. */
  mustExist?: boolean;
  /** Gets updates, and files that others could read. */
  log?: Log;
  /** What jobs go by, in milliseconds since 1970; otherwise the machine's clock. */
  now?: () => number;
}

function noDatabase(dataDir: string): StoreError {
  return new StoreError(
    'missing',
    `There is no database in the folder ${dataDir}, and none was made: name the server's data folder with HEADCOUNT_DATA_DIR. The first start of a server makes one, and so does "${program} project add --name …".`,
  );
}

/**
 * SQLite gives its log files the mode of the database, so that this is enough, whatever the folder and the umask allow.
 * Names of copies begin with that of the database.
 */
function keepFilesPrivate(dataDir: string, log: Log | undefined): void {
  makePrivateFile(join(dataDir, databaseFile));
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(databaseFile)) keepPrivate(join(dataDir, name), log);
  }
}

/** Read in a fraction of a second. */
const quicklyCheckedBytes = 64 << 20;

/** SQLite does not report changes of other processes, such as the command line, so it is polled. */
const pollMs = 250;

/**
 * Opens the SQLite database in the data folder, making what is missing. Two threads: one writes, and does quick reads;
 * the other reads reports, and starts with the first. Neither holds up the other or the thread that answers requests.
 *
 * @throws StoreError `missing` where there has to be one, `unusable` for a folder or file that cannot be opened,
 * `newer` for one of a later version, `in_use` where a server runs on it and this would be another.
 */
export async function openSqliteStore(dataDir: string, options: OpenOptions = {}): Promise<Store> {
  const file = join(dataDir, databaseFile);
  if (options.mustExist && !existsSync(file)) throw noDatabase(dataDir);
  makeDataFolder(dataDir);
  inDataFolder(dataDir, () => keepFilesPrivate(dataDir, options.log));
  // The writer makes the file and its tables, which the reader cannot.
  const { log, opener = 'command', now = Date.now } = options;
  const troubles = log && new ThrottledLogger(log, describeTroubles);
  let damage: StoreError | undefined;
  let isOpen = false;
  const onTrouble = (error: StoreError) => {
    if (error.code === 'damaged') damage ??= error;
    // Otherwise it is thrown, and the process ends with it.
    if (isOpen) troubles?.add(error);
  };
  const writer = await openThread('writer', file, { opener, onTrouble });
  isOpen = true;
  for (const notice of writer.notices) log?.info(notice);
  writer.onNotice((notice) => {
    if (notice?.startsWith(damageNotice)) onTrouble(damaged(file, notice.slice(damageNotice.length)));
  });
  const { calls: write, readerOperations: operations } = writer;
  // Damage is reported, and everything else works.
  if (opener === 'server') await write.check.requireSound(quicklyCheckedBytes).catch(() => undefined);
  const { versions } = write.versions;
  const reader = openThreadLater('reader', file, { operations, check: versions, onTrouble });
  const { calls: read } = reader;
  const changes = new Changes(
    { readVersions: versions, pollMs, onNotice: writer.onNotice },
    await versions(),
  );
  const parts = partsOf(write, read, changes, log);
  const probeWriting: Store['check']['probeWriting'] = async (size) => {
    if (damage) throw damage;
    await write.check.probeWriting(size);
  };
  return {
    ...parts,
    check: { ...parts.check, probeWriting },
    callAudited: callAudited(write.audited.callAudited, now),
    jobs: {
      ...read.jobs,
      ...atTime({ ...write.jobs, ...write.turns }, now),
      ...byLease(write.leases, now),
      onNews: (listener) => writer.onNotice(toNoticeListener(listener)),
    },
    activity: () => [...reader.activity(), ...writer.activity()],
    size: async () => ({ database: await sizeOf(file), log: await sizeOf(`${file}-wal`) }),
    close: async () => {
      changes.close();
      await reader.close();
      await writer.close();
      troubles?.end();
    },
  };
}

type Writer = Calls<PartsOf<'writer'>>;
type Reader = Calls<PartsOf<'reader'>>;

function partsOf(write: Writer, read: Reader, changes: Changes, log: Log | undefined) {
  const { counting, days, caps, versions, erasure, audited, leases, turns, projects, logs, ...named } = write;
  return {
    ...named,
    ...countingOf(write),
    admin: {
      ...write.admin,
      onSessionChange: (changed: () => void) => changes.listen('sessions', changed),
    },
    ...withDirectory(projects, changes, log),
    nodes: null,
    sites: { ...write.sites, ...read.sites },
    ...withPairs(read.analytics, counting.mergePending),
    imports: { ...write.imports, ...logs, newBatch: () => new TableBatch(logs.countLogs) },
    check: { ...write.check, ...read.check, findRisks: async () => [] },
    paths: { ...write.paths, ...read.paths },
    erase: erasure.erase,
  };
}

function countingOf({ counting, days, caps }: Writer) {
  return {
    ...counting,
    ...days,
    ...caps,
    viewsPerBatch,
    countViews: (...[views, dropped, counters]: Parameters<Store['countViews']>) =>
      counting.countViews(toViewTable(views), dropped, counters),
    countBatches: (batches: Parameters<Store['countBatches']>[0]) =>
      counting.countBatches(batches.map(({ views, ...batch }) => ({ ...batch, live: toViewTable(views) }))),
  };
}

type Report = (...args: unknown[]) => Promise<unknown>;

/** Counts of pairs are added up before they are read. */
function withPairs(read: AnalyticsStore, mergePending: () => Promise<void>): AnalyticsStore {
  const reports = Object.entries(read as unknown as Record<string, Report>).map(([name, report]) => {
    const after: Report = async (...args) => {
      if (isOfPairs(args)) await mergePending();
      return report(...args);
    };
    return [name, after];
  });
  return Object.fromEntries(reports);
}

/** What reports are asked for besides a range: where it names anything, what they read is counted by two names. */
function isOfPairs([query, of]: unknown[]): boolean {
  const {
    filter = {},
    conditions = [],
    client,
    event,
  } = query as {
    filter?: object;
    conditions?: readonly unknown[];
    client?: string | null;
    event?: string;
  };
  const isLimited = conditions.length > 0 || Object.keys(filter).length > 0;
  return of !== undefined || isLimited || (client ?? event ?? null) !== null;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/**
 * Opens the database for looking at it: no file is made or changed, nor brought up to date.
 *
 * @throws StoreError where there is none, or it cannot be read, or is of another version.
 */
export async function observeSqliteStore(dataDir: string): Promise<ReadOnlyStore> {
  const { calls, close } = await openThread('observer', join(dataDir, databaseFile));
  return {
    directoryVersion: calls.projects.directoryVersion,
    directory: directoryReader(calls.projects.readDirectory),
    imports: calls.imports,
    catalogue: calls.catalogue,
    close,
  };
}

/** Opens nothing but what a call is about. */
export async function openSqliteFiles(dataDir: string): Promise<StoreFiles> {
  const file = join(dataDir, databaseFile);
  const { calls, close } = await openThread('keeper', file);
  /** For a call that needs the database, or one that needs the folder. */
  const after = <Args extends unknown[], Result>(
    prepare: () => void,
    call: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args) => {
      prepare();
      return call(...args);
    };
  };
  const requireDatabase = () => {
    if (!existsSync(file)) throw noDatabase(dataDir);
  };
  return {
    ...calls.files,
    describe: after(requireDatabase, calls.files.describe),
    copy: after(requireDatabase, calls.files.copy),
    copyUnnamed: after(requireDatabase, calls.files.copyUnnamed),
    hold: after(() => makeDataFolder(dataDir), calls.files.hold),
    archive: calls.archive,
    close,
  };
}
