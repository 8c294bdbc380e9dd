import { Complaint } from '../../complaint.ts';
import { parseDatabaseUrl } from '../../config/database-url.ts';
import type { Sql } from '../../database/sql.ts';
import { readVersions } from '../../database/versions.ts';
import type { Log } from '../../log.ts';
import { Changes } from '../changes.ts';
import { analytics } from '../counts/analytics.ts';
import type { KeyedBatch } from '../counts/receipt-store.ts';
import { recentCaps } from '../counts/reports/tallies.ts';
import { TableBatch } from '../counts/view-batch.ts';
import { DirectoryReader } from '../directory-reader.ts';
import { importLists, imports } from '../imports.ts';
import { comments } from '../jobs/job-comment.ts';
import { images } from '../jobs/job-image.ts';
import { hearNews } from '../jobs/job-news.ts';
import { atTime, byLease } from '../jobs/job-store.ts';
import { jobReports } from '../jobs/jobs.ts';
import { transcripts } from '../jobs/transcript.ts';
import { Listeners } from '../listeners.ts';
import { pathLists } from '../paths.ts';
import type { projects } from '../projects.ts';
import { receipts } from '../receipts.ts';
import { sitemaps } from '../sites.ts';
import { audited, callAudited, sqlParts } from '../sql-parts.ts';
import { type ReadOnlyStore, type Store, StoreError, type StoreSize } from '../store.ts';
import { Check } from './check/check.ts';
import { postgresEngine } from './counting-engine.ts';
import { countTables } from './counts/count-tables.ts';
import { postgresTables } from './counts/counted-project.ts';
import { openCounts } from './counts/counts.ts';
import { pendingSite } from './counts/pending.ts';
import { Sealing } from './counts/sealing.ts';
import { Database, type DatabaseOptions, serverProgram } from './database.ts';
import { Meter } from './meter.ts';
import { requireWhole } from './move/mark.ts';
import { SharedLoginAttempts } from './nodes/login-attempts.ts';
import { countBatches } from './nodes/receipts.ts';
import { RecentViews } from './nodes/recent-views.ts';
import { forgetReservations } from './nodes/reservations.ts';
import { requireSharedKey } from './nodes/shared-key.ts';
import { SharedRanges } from './nodes/shared-ranges.ts';
import { requireRights } from './rights.ts';
import { bringUpToDate, requireNewest } from './schema.ts';
import { postgresSql } from './sql.ts';
import type { StoreClock } from './store-clock.ts';
import { isRefusal } from './trouble.ts';

export interface OpenOptions {
  /** Otherwise a command's. */
  opener?: 'server' | 'command';
  /** No tables are made where there are none. */
  mustExist?: boolean;
  /** Of the key that everybody has to have who opens it, see `instanceOf`. */
  instance?: string;
  /** Told of failures of the database. */
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
  let troubles: Complaint | undefined;
  const database = openDatabase(url, {
    isServer: opener === 'server',
    onTrouble: (error) => troubles?.add(error),
  });
  try {
    await prepare(database);
    await requireWhole(database);
    // Who opens it tells why that failed.
    troubles = log && new Complaint(log, describeTroubles);
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
  const meter = new Meter();
  const clock: StoreClock = () => now?.() ?? null;
  const made = new Listeners<string>();
  const sql = postgresSql(database, made.tell);
  const sealing = new Sealing(database);
  const engine = postgresEngine(database, sealing);
  const parts = sqlParts(sql, engine);
  const changes = await watchVersions(database, sql, made);
  const kept = receipts(sql);
  const counts = await openCounts(database, { keepsHouse: opener === 'server', log });
  return {
    ...meter.watch('projects', projectsOf(parts.projects, changes, log)),
    ...meter.watch('days', counts.calendar),
    viewsPerBatch: counts.counting.viewsPerBatch,
    ...meter.watch('counting', counts.counting),
    ...meter.watch('sealing', sealing),
    nodes: {
      loginAttempts: meter.watch('admin', new SharedLoginAttempts(database, clock)),
      ranges: meter.watch('ranges', new SharedRanges(database, clock)),
      recent: meter.watch('recent', new RecentViews(database, clock)),
    },
    sites: meter.watch('sites', { ...parts.sites, ...sitemaps(sql) }),
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
      seal: (...args) => sealing.sealImported(...args),
    },
    history: meter.watch('imports', parts.history),
    ...meter.watch('analytics', { ...analytics(sql, countTables), ...recentCaps(sql) }),
    check: {
      ...meter.watch('check', new Check(database)),
      repairCalendar: async (repair) => {
        await parts.calendars.repairCalendar(repair);
        await database.query('select tidy_bins()');
      },
    },
    paths: {
      ...meter.watch('paths', { ...pathLists(sql, postgresTables), ...parts.paths }),
      // What is deleted PostgreSQL overwrites in its own time, and in no copy.
      erase: async () => undefined,
    },
    retention: meter.watch('retention', parts.retention),
    marks: meter.watch('marks', parts.marks),
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
      ...meter.watch('jobs', { ...jobReports(sql), ...transcripts(sql), ...comments(sql), ...images(sql) }),
      ...meter.watch('jobs', atTime({ ...parts.jobs, ...parts.turns }, clock)),
      ...meter.watch('jobs', byLease(parts.leases, clock)),
      onNews: (listener) => database.onNotice(hearNews(listener)),
    },
    activity: () => meter.activity(),
    size: () => readSize(database),
    close: async () => {
      changes.close();
      await counts.close();
      await database.close();
      onClose();
    },
  };
}

function projectsOf(
  { readDirectory, ...rest }: ReturnType<typeof projects>,
  changes: Changes,
  log: Log | undefined,
) {
  const reader = new DirectoryReader(readDirectory, log);
  return {
    ...rest,
    directory: () => reader.read(),
    onDirectoryChange: (changed: () => void) => changes.listen('directory', changed),
  };
}

/** Notices get lost with a connection. */
const pollMs = 1_000;

/** @param made notices of what this process changed, which it hears of without the way through the database */
async function watchVersions(database: Database, sql: Sql, made: Listeners<string>): Promise<Changes> {
  const onNotice = (heard: (notice: string | null) => void) => {
    const ends = [database.onNotice(heard), made.add(heard)];
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
    const servers = await database.query(
      'select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
      [serverProgram],
    );
    return servers.length > 0;
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

function describeTroubles(times: number): string {
  return times === 1 ? 'The store failed:' : `The store failed ${times} times:`;
}
