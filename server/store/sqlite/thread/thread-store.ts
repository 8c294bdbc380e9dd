import type { TallyCount } from '../../../counting/tally.ts';
import type { Sql } from '../../../database/sql.ts';
import { readVersions } from '../../../database/versions.ts';
import { catalogue } from '../../admin/catalogue.ts';
import { type AnalyticsStore, analytics } from '../../counts/analytics.ts';
import type { ReportTables } from '../../counts/count-tables.ts';
import type { DroppedTally } from '../../counts/counting-store.ts';
import type { LogReceipt } from '../../counts/import-store.ts';
import type { CountedBatch } from '../../counts/receipt-store.ts';
import { recentCaps } from '../../counts/reports/tallies.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import type { LiveViews } from '../../counts/view-table.ts';
import { importLists, imports } from '../../imports.ts';
import { comments } from '../../jobs/job-comment.ts';
import { images } from '../../jobs/job-image.ts';
import { jobReports } from '../../jobs/jobs.ts';
import { transcripts } from '../../jobs/transcript.ts';
import { pathLists } from '../../paths.ts';
import { projects } from '../../projects.ts';
import { receipts } from '../../receipts.ts';
import { sitemaps } from '../../sites.ts';
import { audited, sqlParts } from '../../sql-parts.ts';
import { ArchiveKeeper } from '../archive/archive-keeper.ts';
import { type Connection, emptyLog, openForReading } from '../connection.ts';
import { countTables, sqliteTables } from '../counts/count-tables.ts';
import { Counting, type KeyedViews } from '../counts/counting.ts';
import { sqliteEngine } from '../counts/engine.ts';
import { DayReader, OpenDays } from '../counts/open-days.ts';
import { Sealing } from '../counts/sealing.ts';
import { findDamage, readMissing } from '../damage.ts';
import { FileKeeper } from '../files/file-keeper.ts';
import { ImportCounting } from '../imports/import-counting.ts';
import { openForObserving } from '../observing.ts';
import { OpenFiles } from '../open-files.ts';
import { type Opener, openUpToDate } from '../opening.ts';
import { noSql, sqliteSql } from '../sql.ts';
import { isFull } from '../trouble.ts';
import { deleteOldCopies } from '../update-copy.ts';
import { writeProbe } from '../write-probe.ts';
import { methods } from './methods.ts';

/** What a thread of the store does: operations by part, each under the name of the store's method that it stands behind. */
export interface ThreadStore<Parts = object> {
  parts: Parts;
  /** What the operator should know of the opening. */
  notices: string[];
  /** @throws StoreError when the files are not those that were opened */
  check(): void;
  /** After an operation failed. */
  recover(error: unknown): void;
  /** Lets go of memory that is only there for speed. */
  shrink(): void;
  close(): void;
}

function createThreadStore<Parts>(db: Connection, parts: Parts): ThreadStore<Parts> {
  return {
    parts,
    notices: [],
    check: () => undefined,
    recover: () => undefined,
    shrink: () => void db.pragma('shrink_memory'),
    close: () => db.close(),
  };
}

/** Before what is hurt, where a server goes on with the rest. */
export const damageNotice = 'damaged: ';

function openWriter(file: string, opener: Opener, report: (notice: string) => void) {
  const { db, notices, close } = openUpToDate(file, opener);
  const reported = new Set<string>();
  const reportDamage = (hurt: string) => {
    if (!reported.has(hurt)) report(`${damageNotice}${hurt}`);
    reported.add(hurt);
  };
  const sql = sqliteSql(db, report, opener === 'server' ? reportDamage : undefined);
  const counting = new Counting(db);
  const sealing = new Sealing(db, () => counting.forgetSealed());
  const engine = sqliteEngine(db, () => sealing.deleteForgotten());
  // What is asked at the start and then all the time is asked of the writer: the reader is started by the first report.
  const parts = {
    ...countingParts(db, file, sql, { counting, sealing }),
    ...sqlParts(sql, engine),
    audited: audited(sql, engine),
    logs: { ...importLists(sql, sqliteTables), ...imports(sql, engine), ...logParts(db, sql, sealing) },
    versions: { versions: () => readVersions(sql) },
  };
  const files = new OpenFiles(file);
  const recover = (error: unknown) => {
    if (isFull(error)) emptyLog(db);
  };
  return { ...createThreadStore(db, parts), notices, check: () => files.check(), recover, close };
}

function countingParts(
  db: Connection,
  file: string,
  sql: Sql,
  { counting, sealing }: { counting: Counting; sealing: Sealing },
) {
  return {
    counting: {
      ...methods(new OpenDays(db)),
      countViews: (views: LiveViews, dropped: DroppedTally[], tallies?: TallyCount[]): number[] =>
        counting.count(views, dropped, tallies),
      mergePending: (): void => counting.mergePending(),
      countBatches: (batches: KeyedViews[]): CountedBatch[] => counting.countBatches(batches),
      replaceSalts: sealing.replaceSalts.bind(sealing),
      seal: sealing.seal.bind(sealing),
      deleteOldCopies: (now: number): void => deleteOldCopies(file, now),
    },
    days: { ...methods(new DayReader(db)), ...receipts(sql) },
    caps: recentCaps(sql),
    erasure: { erase: () => sealing.erase(), cleanUp: () => sealing.cleanUp() },
    check: writeProbe(db),
  };
}

/** Most processes never import, and the memory of visitors that takes is large: so it is made when it is asked for. */
function logParts(db: Connection, sql: Sql, sealing: Sealing) {
  let counting: ImportCounting | undefined;
  return {
    countLogs: (batch: LoggedViews): Promise<LogReceipt> => {
      counting ??= new ImportCounting(db, sql);
      return counting.count(batch);
    },
    seal: sealing.sealImported.bind(sealing),
  };
}

const reports: Reader<AnalyticsStore> = {
  names: Object.keys(analytics(noSql, {} as ReportTables)),
  open: (db) => analytics(sqliteSql(db), countTables(db)),
};

const damage: Reader<{ findDamage(): string[]; readMissing(): string[] }> = {
  names: ['findDamage', 'readMissing'],
  open: (db) => ({ findDamage: () => findDamage(db), readMissing: () => readMissing(db) }),
};

/** What the reader can be asked for: listed by name without a database, and made with one. */
const readers = {
  check: [damage],
  analytics: [reports],
  paths: [asked((sql) => pathLists(sql, sqliteTables))],
  sites: [asked(sitemaps)],
  jobs: [asked(jobReports), asked(transcripts), asked(comments), asked(images)],
} as const;

interface Reader<Part> {
  names: string[];
  open(db: Connection): Part;
}

function asked<Part extends object>(part: (sql: Sql) => Part): Reader<Part> {
  return { names: Object.keys(part(noSql)), open: (db) => part(sqliteSql(db)) };
}

export const readerOperations = Object.fromEntries(
  Object.entries(readers).map(([part, all]) => [part, all.flatMap(({ names }) => names)]),
);

function openReader(file: string) {
  const db = openForReading(file);
  const parts = Object.entries(readers).map(([part, all]) => [
    part,
    Object.assign({}, ...all.map(({ open }) => open(db))),
  ]);
  const files = new OpenFiles(file);
  const store = createThreadStore(db, Object.fromEntries(parts) as Opened<typeof readers>);
  return { ...store, check: () => files.check() };
}

/** The methods of all parts, together. */
type Merged<Parts> = Parts extends readonly [Reader<infer One>, ...infer Others]
  ? One & Merged<Others>
  : unknown;

type Opened<Parts> = { [Part in keyof Parts]: Merged<Parts[Part]> };

/** Reads what an import has to know, and makes and changes no file. */
function openObserver(file: string) {
  const db = openForObserving(file);
  const sql = sqliteSql(db);
  return createThreadStore(db, {
    projects: projects(sql, []),
    imports: importLists(sql, sqliteTables),
    catalogue: catalogue(sql),
  });
}

/** Copies the database, and puts a copy in its place. */
function openKeeper(file: string) {
  const [files, archive] = [new FileKeeper(file), new ArchiveKeeper(file)];
  const store = { notices: [], check: () => undefined, recover: () => undefined, shrink: () => undefined };
  const close = () => {
    files.close();
    archive.close();
  };
  return { ...store, parts: { files: methods(files), archive: methods(archive) }, close };
}

export const threadStores = {
  writer: openWriter,
  reader: openReader,
  observer: openObserver,
  keeper: openKeeper,
};

export type Role = keyof typeof threadStores;
/** What a thread of that role can be asked for. */
export type PartsOf<R extends Role> = ReturnType<(typeof threadStores)[R]>['parts'];
