import { parseDatabaseUrl } from '../../config/database-url.ts';
import { has, type Sql } from '../../database/sql.ts';
import { readVersions } from '../../database/versions.ts';
import type { Log } from '../../log.ts';
import { CallTimes } from '../../metrics/meter.ts';
import { ThrottledLogger } from '../../throttled-logger.ts';
import { Changes, Listeners } from '../changes.ts';
import { recentCaps } from '../counts/reports/counters.ts';
import { TableBatch } from '../counts/view-batch.ts';
import { withDirectory } from '../directory-reader.ts';
import { importLists, imports } from '../imports.ts';
import { atTime, byLease } from '../jobs/jobs.ts';
import { toNoticeListener } from '../jobs/transcript.ts';
import { nodes } from '../nodes.ts';
import { type KeyedBatch, receipts } from '../receipts.ts';
import { audited, callAudited, readingParts, sqlParts } from '../sql-parts.ts';
import { describeTroubles, type ReadOnlyStore, type Store, StoreError, type StoreSize } from '../store.ts';
import { checks } from './check/check.ts';
import { postgresEngine } from './counting-engine.ts';
import { countTables } from './counts/count-tables.ts';
import { pendingSite, postgresTables } from './counts/counted-project.ts';
import { openCounts } from './counts/counts.ts';
import { daySealing, tidyBins } from './counts/sealing.ts';
import { Database, type DatabaseOptions, serverProgram } from './database.ts';
import { countBatches } from './nodes/receipts.ts';
import { forgetReservations } from './nodes/reservations.ts';
import { bringUpToDate, requireNewest, requireRights, requireSharedKey, requireWhole } from './schema.ts';
import { postgresSql } from './sql.ts';
import { isRefusal } from './trouble.ts';

export interface OpenOptions {
  /** Otherwise a command's. */
  opener?: 'server' | 'command';
  /** No tables are made where there are none. */
  mustExist?: boolean;
  /** Of the key that all processes need, see `instanceOf`. */
  instance?: string;
  /** Gets failures of the database. */
  log?: Log;
  /** Otherwise jobs go by the clock of the database, which all nodes share. */
  now?: () => number;
}

/**
 * Opens the PostgreSQL database at an address, and brings its tables up to date.
 *
 * @throws StoreError `unavailable` where it cannot be reached, `unusable` where it does not let in, is too old or has another
 * key, `missing` where there have to be tables, `newer` where a later version was at work
 */
export async function openPostgresStore(url: string, options: OpenOptions = {}): Promise<Store> {
  return open(url, options, async (database) => {
    if (options.opener === 'server') await requireRights(database);
    await bringUpToDate(database, options.mustExist);
    if (options.instance !== undefined) await requireSharedKey(database, options.instance);
  });
}

/**
 * Opens it for looking at it: nothing is made or brought up to date.
 *
 * @throws StoreError where there is none, or it is of another version
 */
export async function observePostgresStore(url: string): Promise<ReadOnlyStore> {
  return open(url, {}, requireNewest);
}

async function open(
  url: string,
  options: OpenOptions,
  prepare: (database: Database) => Promise<void>,
): Promise<Store> {
  const { log, opener } = options;
  let troubles: ThrottledLogger | undefined;
  const database = openDatabase(url, {
    isServer: opener === 'server',
    onTrouble: (error) => troubles?.add(error),
  });
  try {
    await prepare(database);
    await requireWhole(database);
    // A failure before this is thrown to the caller.
    troubles = log && new ThrottledLogger(log, describeTroubles);
    return await assemble(database, options, () => troubles?.end());
  } catch (error) {
    await database.close();
    throw isRefusal(error) ? new StoreError('unusable', (error as Error).message) : error;
  }
}

async function assemble(
  database: Database,
  { opener, now, log }: OpenOptions,
  onClose: () => void,
): Promise<Store> {
  const meter = callMeter();
  const clock = () => now?.() ?? null;
  const made = new Listeners<string>();
  const sql = postgresSql(database, made.notify);
  const sealing = daySealing(database);
  const engine = postgresEngine(database, sealing);
  const parts = sqlParts(sql, engine);
  const changes = await watchVersions(database, sql, made);
  const reading = readingParts(sql, countTables);
  const kept = receipts(sql);
  const shared = nodes(sql, clock);
  const counts = await openCounts(database, { keepsHouse: opener === 'server', log });
  return {
    ...meter.watch('projects', withDirectory(parts.projects, changes, log)),
    ...meter.watch('days', counts.calendar),
    ...meter.watch('counting', counts.counting),
    ...meter.watch('sealing', sealing),
    nodes: {
      loginAttempts: meter.watch('admin', shared.loginAttempts),
      ranges: meter.watch('ranges', shared.ranges),
      recent: meter.watch('recent', shared.recent),
    },
    sites: meter.watch('sites', { ...parts.sites, ...reading.sites }),
    ...meter.watch('counting', {
      findReceipt: kept.findReceipt,
      countBatches: (batches: KeyedBatch[]) => countBatches({ counting: counts.counting, clock }, batches),
      forgetReceipts: async (now: number) => {
        await forgetReservations(database, clock);
        return kept.forgetReceipts(now);
      },
    }),
    imports: {
      ...meter.watch('imports', {
        ...{ ...importLists(sql, postgresTables, pendingSite), ...imports(sql, engine), ...parts.imports },
      }),
      newBatch: () => new TableBatch(counts.countLogs),
      seal: sealing.sealImported,
    },
    history: meter.watch('imports', parts.history),
    ...meter.watch('analytics', { ...reading.analytics, ...recentCaps(sql) }),
    check: meter.watch('check', checks(database)),
    paths: meter.watch('paths', { ...reading.paths, ...parts.paths }),
    calendars: meter.watch('check', parts.calendars),
    // What else is deleted PostgreSQL overwrites in its own time, and in no copy.
    erase: () => tidyBins(database),
    retention: meter.watch('retention', parts.retention),
    annotations: meter.watch('annotations', parts.annotations),
    savedViews: meter.watch('savedViews', parts.savedViews),
    searches: meter.watch('imports', parts.searches),
    outbox: meter.watch('outbox', parts.outbox),
    automations: meter.watch('automations', parts.automations),
    // It makes none.
    deleteOldCopies: async () => undefined,
    admin: {
      ...meter.watch('admin', parts.admin),
      onSessionChange: (changed) => changes.listen('sessions', changed),
    },
    users: meter.watch('admin', parts.users),
    signOns: meter.watch('admin', parts.signOns),
    factors: meter.watch('admin', parts.factors),
    audit: meter.watch('admin', parts.audit),
    catalogue: meter.watch('admin', parts.catalogue),
    callAudited: callAudited(meter.watch('admin', audited(sql, engine)).callAudited, clock),
    jobs: {
      ...meter.watch('jobs', reading.jobs),
      ...meter.watch('jobs', atTime({ ...parts.jobs, ...parts.turns }, clock)),
      ...meter.watch('jobs', byLease(parts.leases, clock)),
      onNews: (listener) => database.onNotice(toNoticeListener(listener)),
    },
    activity: meter.activity,
    size: () => readSize(database),
    close: async () => {
      changes.close();
      await counts.close();
      await database.close();
      onClose();
    },
  };
}

/** Notices get lost with a connection. */
const pollMs = 1_000;

/** @param made notices of changes by this process, which do not go through the database */
async function watchVersions(database: Database, sql: Sql, made: Listeners<string>): Promise<Changes> {
  const onNotice = (listener: (notice: string | null) => void) => {
    const ends = [database.onNotice(listener), made.add(listener)];
    return () => {
      for (const end of ends) end();
    };
  };
  const readAll = () => readVersions(sql);
  return new Changes({ readVersions: readAll, pollMs, onNotice }, await readAll());
}

/** Whether a server has the database open. */
export async function isPostgresServed(url: string): Promise<boolean> {
  const database = openDatabase(url);
  try {
    return has(
      database,
      'select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
      [serverProgram],
    );
  } finally {
    await database.close();
  }
}

/** @throws StoreError where the address is none */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const address = parseDatabaseUrl(url);
  if (!address) throw new StoreError('unusable', 'The address of the database is not valid.');
  return new Database(address, options);
}

async function readSize(database: Database): Promise<StoreSize> {
  const [row] = await database.query<{ bytes: number }>('select database_size() as bytes');
  return { database: row?.bytes ?? 0, log: 0 };
}

type Method = (...args: unknown[]) => unknown;

/** Measures what the calls of the store's parts take. */
function callMeter() {
  const times = new CallTimes('database');
  const measured =
    (name: string, call: Method): Method =>
    (...args) => {
      const startedAt = performance.now();
      const result = call(...args);
      const note = () => times.note(name, startedAt);
      if (result instanceof Promise) result.then(note, note);
      return result;
    };
  return {
    activity: () => times.activity(),
    /** The same with methods that are measured where they answer with a promise. */
    watch: <Part extends object>(name: string, part: Part): Part => {
      const watched = Object.entries(part).map(([method, call]) => [
        method,
        typeof call === 'function' ? measured(name, call) : call,
      ]);
      return Object.fromEntries(watched) as Part;
    },
  };
}
