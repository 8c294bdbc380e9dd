import type { Sql } from '../../../database/sql.ts';
import { readVersions } from '../../../database/versions.ts';
import { catalogue } from '../../admin/catalogue.ts';
import type { ReportTables } from '../../counts/count-tables.ts';
import { recentCaps } from '../../counts/reports/counters.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import { importLists, imports } from '../../imports.ts';
import { projects } from '../../projects.ts';
import { receipts } from '../../receipts.ts';
import { audited, readingParts, sqlParts } from '../../sql-parts.ts';
import { type Connection, emptyLog, openForReading, sameFiles } from '../connection.ts';
import { countTables, sqliteTables } from '../counts/count-tables.ts';
import { liveCounting } from '../counts/counting.ts';
import { sqliteEngine } from '../counts/engine.ts';
import { logCounting } from '../counts/import-counting.ts';
import { dayLists, dayOpening } from '../counts/open-days.ts';
import { daySealing } from '../counts/sealing.ts';
import { findDamage, readMissing, writeProbe } from '../damage.ts';
import { fileKeeper } from '../files/file-keeper.ts';
import { deleteOldCopies, type Opener, openForObserving, openUpToDate } from '../opening.ts';
import { noSql, sqliteSql } from '../sql.ts';
import { damageNotice, isFull } from '../trouble.ts';

/** The operations of a thread of the store: by part, each under the name of the store's method. */
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

function openWriter(file: string, opener: Opener, report: (notice: string) => void) {
  const { db, notices, close } = openUpToDate(file, opener);
  const reported = new Set<string>();
  const reportDamage = (hurt: string) => {
    if (!reported.has(hurt)) report(`${damageNotice}${hurt}`);
    reported.add(hurt);
  };
  const sql = sqliteSql(db, report, opener === 'server' ? reportDamage : undefined);
  const { count, forgetSealed, ...counting } = liveCounting(db);
  const sealing = daySealing(db, forgetSealed);
  const engine = sqliteEngine(db, sealing.deleteForgotten);
  // Most processes never import, and the memory of visitors that takes is large: so it is made when it is asked for.
  let countLogs: ReturnType<typeof logCounting> | undefined;
  // What is asked at the start and then all the time is asked of the writer: the reader is started by the first report.
  const parts = {
    counting: {
      ...{ ...dayOpening(db), ...counting, countViews: count },
      ...{ replaceSalts: sealing.replaceSalts, seal: sealing.seal },
      deleteOldCopies: (now: number): void => deleteOldCopies(file, now),
    },
    days: { ...dayLists(db), ...receipts(sql) },
    caps: recentCaps(sql),
    erasure: { erase: sealing.erase },
    check: writeProbe(db),
    ...sqlParts(sql, engine),
    audited: audited(sql, engine),
    logs: {
      ...{ ...importLists(sql, sqliteTables), ...imports(sql, engine), seal: sealing.sealImported },
      countLogs: (batch: LoggedViews) => {
        countLogs ??= logCounting(db, sql);
        return countLogs(batch);
      },
    },
    versions: { versions: () => readVersions(sql) },
  };
  const recover = (error: unknown) => {
    if (isFull(error)) emptyLog(db);
  };
  return { ...createThreadStore(db, parts), notices, check: sameFiles(file), recover, close };
}

function readerParts(db: Connection, sql: Sql, tables: ReportTables) {
  return {
    check: { findDamage: () => findDamage(db), readMissing: () => readMissing(db) },
    ...readingParts(sql, tables),
  };
}

/** The names of operations, by part. */
export function operationsOf(parts: object): Record<string, string[]> {
  return Object.fromEntries(Object.entries(parts).map(([part, named]) => [part, Object.keys(named)]));
}

/** What the reader can be asked for, known without a database. */
export const readerOperations = operationsOf(readerParts({} as Connection, noSql, {} as ReportTables));

function openReader(file: string) {
  const db = openForReading(file);
  const parts = readerParts(db, sqliteSql(db), countTables(db));
  return { ...createThreadStore(db, parts), check: sameFiles(file) };
}

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

/** Copies the database, and puts a copy in its place. Loads how archives are checked, which no other thread needs. */
async function openKeeper(file: string) {
  const { archiveKeeper } = await import('../archive/archive-keeper.ts');
  const { close: closeFiles, ...files } = fileKeeper(file);
  const { close: closeArchive, ...archive } = archiveKeeper(file);
  const store = { notices: [], check: () => undefined, recover: () => undefined, shrink: () => undefined };
  const close = () => {
    closeFiles();
    closeArchive();
  };
  return { ...store, parts: { files, archive }, close };
}

export const threadStores = {
  writer: openWriter,
  reader: openReader,
  observer: openObserver,
  keeper: openKeeper,
};

export type Role = keyof typeof threadStores;
/** What a thread of that role can be asked for. */
export type PartsOf<R extends Role> = Awaited<ReturnType<(typeof threadStores)[R]>>['parts'];

type Call<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;

/** What a thread offers, part by part, as other threads see it. */
export type Calls<Parts> = {
  readonly [Part in keyof Parts]: { readonly [Name in keyof Parts[Part]]: Call<Parts[Part][Name]> };
};
