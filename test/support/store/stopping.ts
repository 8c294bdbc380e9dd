import { closeSync } from 'node:fs';
import SqliteDatabase, { type Statement } from 'better-sqlite3';
import type { Queryable } from '../../../server/database/sql.ts';
import { tables } from '../../../server/database/tables/tables.ts';
import type { ArchiveAdditions } from '../../../server/store/archive/archive-store.ts';
import type { GatheredProject } from '../../../server/store/archive/importing.ts';
import type { DayOpening, SaltReplacement } from '../../../server/store/counts/counting-store.ts';
import { seriesReports } from '../../../server/store/counts/reports/series.ts';
import {
  type LoggedView,
  type LoggedViews,
  type LogReceipt,
  TableBatch,
} from '../../../server/store/counts/view-batch.ts';
import { toViewTable } from '../../../server/store/counts/view-table.ts';
import { imports } from '../../../server/store/imports.ts';
import { type NodeStore, nodes } from '../../../server/store/nodes.ts';
import type { Connection as PostgresConnection } from '../../../server/store/postgres/connection.ts';
import { postgresEngine } from '../../../server/store/postgres/counting-engine.ts';
import { BatchIds, batchCounting } from '../../../server/store/postgres/counts/batch/counting.ts';
import { countTables as postgresTables } from '../../../server/store/postgres/counts/count-tables.ts';
import { importCounting } from '../../../server/store/postgres/counts/import-counting.ts';
import { Names } from '../../../server/store/postgres/counts/names/names.ts';
import { calendar } from '../../../server/store/postgres/counts/open-days.ts';
import { daySealing as postgresSealing } from '../../../server/store/postgres/counts/sealing.ts';
import type { Database } from '../../../server/store/postgres/database.ts';
import { gatherInto as gatherInPostgres } from '../../../server/store/postgres/files.ts';
import { countBatches } from '../../../server/store/postgres/nodes/receipts.ts';
import { postgresSql } from '../../../server/store/postgres/sql.ts';
import { openDatabase } from '../../../server/store/postgres/store.ts';
import { type KeyedBatch, receipts } from '../../../server/store/receipts.ts';
import { audited } from '../../../server/store/sql-parts.ts';
import { gatherInto as gatherInSqlite } from '../../../server/store/sqlite/archive/archive-keeper.ts';
import type { Connection } from '../../../server/store/sqlite/connection.ts';
import { countTables as sqliteTables } from '../../../server/store/sqlite/counts/count-tables.ts';
import { liveCounting } from '../../../server/store/sqlite/counts/counting.ts';
import { sqliteEngine } from '../../../server/store/sqlite/counts/engine.ts';
import { logCounting } from '../../../server/store/sqlite/counts/import-counting.ts';
import { dayOpening } from '../../../server/store/sqlite/counts/open-days.ts';
import { daySealing } from '../../../server/store/sqlite/counts/sealing.ts';
import { openScratch } from '../../../server/store/sqlite/files/scratch.ts';
import { migrate } from '../../../server/store/sqlite/schema.ts';
import { sqliteSql } from '../../../server/store/sqlite/sql.ts';
import type { ArchiveRecord } from '../../../shared/project/project-archive.ts';
import { dropDatabase, makeDatabase } from './shared-postgres.ts';

/** A process that ends before a statement: its transaction is never committed. */
export class Ended extends Error {}

/** What each engine has in its own way. */
interface StoppedCounting {
  openDays(openings: DayOpening[]): Promise<unknown>;
  countBatches(batches: KeyedBatch[]): Promise<unknown>;
  openDay: ReturnType<typeof imports>['openDay'];
  /** Those of a new log, on one day. */
  countLogs(projectId: string, day: number, views: readonly LoggedView[]): Promise<LogReceipt>;
  seal(projectId: string, through: number): Promise<void>;
  sealImported(projectId: string, now: number, done: number[]): Promise<void>;
  replaceSalts(replacements: SaltReplacement[]): Promise<unknown>;
  forgetReceipts: ReturnType<typeof receipts>['forgetReceipts'];
}

/** What a process does that ends before the statement after so many. */
interface Stopped {
  audited: ReturnType<typeof audited>;
  counting: StoppedCounting;
  /** None: only one server counts. */
  nodes?: NodeStore;
  /** On a connection of its own, as the command does it. */
  importProject(records: ArchiveRecord[], additions: ArchiveAdditions): Promise<'done' | 'exists'>;
  series: ReturnType<typeof seriesReports>;
  statements(): number;
}

/** A database whose processes can be stopped at each statement. */
export interface Stoppable {
  stopAfter(last: number): Stopped;
  /** All rows of all tables, in some form, but for those that may be ahead of what `part` does. */
  read(part?: string): Promise<unknown>;
  readCounts(projectId: string): Promise<unknown[]>;
  /** Days whose visitors are known, and views that are kept for these. */
  readVisitors(): Promise<number>;
  firstLogId(): Promise<number | undefined>;
  close(): Promise<void>;
}

type Query = (text: string) => Promise<Record<string, unknown>[]>;

function inspection(query: Query): Pick<Stoppable, 'readCounts' | 'readVisitors' | 'firstLogId'> {
  return {
    readCounts: (projectId) =>
      query(
        `select c.span, c.day, c.what, coalesce(u.text, '') as under, coalesce(n.text, '') as text,
           cast(sum(human_views) as int) as human, cast(sum(ai_views) as int) as ai, cast(sum(visitors) as int) as visitors
         from counts c join projects p on p.id = c.project
           left join names n on n.project = p.id and n.id = c.name left join names u on u.project = p.id and u.id = c.parent
         where p.public_id = '${projectId}' group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
      ),
    readVisitors: async () => {
      const rows = await Promise.all(
        ['days', 'visit_views'].map((table) => query(`select cast(count(*) as int) as rows from ${table}`)),
      );
      return rows.reduce((sum, [row]) => sum + Number(row?.rows), 0);
    },
    firstLogId: async () => (await query('select min(id) as id from logs'))[0]?.id as number | undefined,
  };
}

/** A batch of one log that nothing is known of. */
async function logBatch(
  query: Query,
  count: (batch: LoggedViews) => Promise<LogReceipt>,
  [projectId, day, views]: Parameters<StoppedCounting['countLogs']>,
): Promise<LogReceipt> {
  const [row] = await query(`select id from days where day = ${day}`);
  const logs = await query('select id from logs');
  const batch = new TableBatch(count);
  for (const one of views) batch.add(one);
  const log = { id: null, headLength: 1, headHash: Uint8Array.of(day % 256), from: 0, bytes: 10, lines: 2 };
  return batch.count({
    ...{ projectId, dropped: [], knownLogs: logs.length, forgetAt: 1 },
    days: [{ id: Number(row?.id), day, salt: new Uint8Array(), lastAt: 1 }],
    logs: [{ ...log, name: 'access.log', countedAt: 1, open: [{ chunk: 0, bits: Uint8Array.of(1) }] }],
  });
}

async function takeIn(gathered: GatheredProject, records: ArchiveRecord[], additions: ArchiveAdditions) {
  await gathered.add(records);
  return gathered.finish(additions);
}

function counter(last: number) {
  let statements = 0;
  const next = () => {
    if (++statements > last) throw new Ended();
  };
  return { next, statements: () => statements };
}

/** @param file without one, in memory, where no project is imported */
export async function openSqlite(file = ':memory:'): Promise<Stoppable> {
  const db = new SqliteDatabase(file);
  db.pragma('foreign_keys = ON');
  migrate(db);
  const names = tables.filter(({ engine }) => engine !== 'postgres').map(({ name }) => name);
  const query: Query = async (text) => db.prepare<[], Record<string, unknown>>(text).all();
  const reading = names.map((name) => db.prepare(`select * from ${name}`).raw());
  // Once: it adds a function, with which SQLite goes through all statements of a connection, and prepares each anew.
  const countTables = sqliteTables(db);
  return {
    ...inspection(query),
    stopAfter: (last) => {
      const { next, statements } = counter(last);
      const stopped = stoppingConnection(db, next);
      const sql = sqliteSql(stopped);
      const engine = sqliteEngine(stopped);
      const counting = liveCounting(stopped);
      const sealing = daySealing(stopped, counting.forgetSealed);
      const logs = logCounting(stopped, sql);
      return {
        audited: audited(sql, engine),
        importProject: async (records, additions) => {
          const { db: own, descriptor } = openScratch(file);
          try {
            const gathered = await gatherInSqlite(file, stoppingConnection(own, next));
            return await takeIn(gathered, records, additions);
          } finally {
            own.close();
            closeSync(descriptor);
          }
        },
        series: seriesReports(sql, countTables),
        statements,
        counting: {
          openDays: async (openings) => dayOpening(stopped).openDays(openings),
          countBatches: async (batches) =>
            counting.countBatches(batches.map(({ views, ...one }) => ({ ...one, live: toViewTable(views) }))),
          openDay: imports(sql, engine).openDay,
          countLogs: (...args) => logBatch(query, (batch) => logs(batch), args),
          seal: (projectId, through) => sealing.seal(projectId, through),
          sealImported: sealing.sealImported,
          replaceSalts: sealing.replaceSalts,
          forgetReceipts: receipts(sql).forgetReceipts,
        },
      };
    },
    read: async () => reading.map((table) => table.all()),
    close: async () => void db.close(),
  };
}

export async function openPostgres(): Promise<Stoppable> {
  const url = await makeDatabase();
  const database = openDatabase(url);
  const names = tables.filter(({ engine }) => engine !== 'sqlite').map(({ name }) => name);
  // Names get their numbers before anything is counted under them.
  const ahead = ['names', 'new_names', 'name_takers', 'projects'];
  const query: Query = (text) => database.query(text);
  const [shards] = await query(`select to_regclass('shards') is not null as there`);
  const isDistributed = shards?.there === true;
  return {
    ...inspection(query),
    stopAfter: (last) => {
      const { next, statements } = counter(last);
      const stopped = stoppingDatabase(database, next);
      const sealing = postgresSealing(stopped);
      const engine = postgresEngine(stopped, sealing);
      const sql = postgresSql(stopped);
      const numbers = new Names(stopped);
      const counting = batchCounting(stopped, numbers, new BatchIds(), isDistributed);
      const countLogs = importCounting(stopped, numbers, isDistributed);
      return {
        audited: audited(sql, engine),
        importProject: async (records, additions) => {
          const connection = await database.connect();
          try {
            const gathered = await gatherInPostgres(stoppingQueries(connection, next));
            return await takeIn(gathered, records, additions);
          } finally {
            await connection.close();
          }
        },
        series: seriesReports(sql, postgresTables),
        statements,
        counting: {
          openDays: (openings) => calendar(stopped).openDays(openings),
          countBatches: (batches) => countBatches({ counting, clock: () => 1 }, batches),
          openDay: imports(sql, engine).openDay,
          countLogs: (...args) => logBatch(query, countLogs, args),
          seal: (projectId, through) => sealing.seal(projectId, through),
          sealImported: sealing.sealImported,
          replaceSalts: calendar(stopped).replaceSalts,
          forgetReceipts: receipts(sql).forgetReceipts,
        },
        nodes: nodes(sql, () => 1),
      };
    },
    read: (part) => {
      const all = names
        .filter((name) => part !== 'counting' || !ahead.includes(name))
        .map(
          (name) =>
            `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) as rows from ${name} t`,
        );
      return database.query(`${all.join(' union all ')} order by name`);
    },
    close: async () => {
      await database.close();
      await dropDatabase(url);
    },
  };
}

const running = new Set<PropertyKey>(['run', 'get', 'all', 'iterate']);
const ofTransactions = /^(begin|commit|rollback)/;

/** The same database of SQLite. @param next is called before each statement, which does not run where it throws */
function stoppingConnection(db: Connection, next: () => void): Connection {
  const wrap = (statement: Statement): Statement =>
    new Proxy(statement, {
      get: (of, name) => {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (running.has(name)) next();
          const result: unknown = member.apply(of, args);
          return result === of ? wrap(of) : result;
        };
      },
    });
  return new Proxy(db, {
    get: (of, name) => {
      if (name === 'prepare') return (text: string) => wrap(of.prepare(text));
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'exec' && !ofTransactions.test(String(args[0]))) next();
        return member.apply(of, args);
      };
    },
  });
}

function stoppingQueries(connection: PostgresConnection, next: () => void): PostgresConnection {
  return new Proxy(connection, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name, of);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'query') next();
        return member.apply(of, args);
      };
    },
  });
}

/** The same PostgreSQL. @param next is called before each statement, which does not run where it throws */
function stoppingDatabase(database: Database, next: () => void): Database {
  const wrap = (db: Queryable): Queryable => ({
    query: async (text, values) => {
      next();
      return db.query(text, values);
    },
  });
  const stopping: Pick<Database, 'query' | 'transaction' | 'snapshot'> = {
    ...wrap(database),
    transaction: (work) => database.transaction((db) => work(wrap(db))),
    snapshot: (work) => database.snapshot((db) => work(wrap(db))),
  };
  return new Proxy(database, {
    get: (of, name) => {
      if (name in stopping) return Reflect.get(stopping, name);
      const member: unknown = Reflect.get(of, name);
      return typeof member === 'function' ? member.bind(of) : member;
    },
  });
}
