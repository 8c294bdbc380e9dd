import { closeSync, fsyncSync, openSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { StoreError } from '../../store.ts';
import type { CopyOptions, UnnamedCopy } from '../../store-files.ts';
import { type Connection, openForReading } from '../connection.ts';
import { describeHole, findCorruption } from '../damage.ts';
import { readSalvaged } from '../salvage.ts';
import { requireKnown } from '../schema.ts';
import { isDamage } from '../trouble.ts';
import { openScratch, openToFill } from './scratch.ts';

/** Signed in people sign in again: a session that was ended must not come back. */
const neverCopied = ['sessions', 'user_sessions'];
/** Who was seen on what; `name_takers` has visitors too, and `receipts` hashes that people can be tried out on. */
const visitorTables = ['seen', 'newly_seen', 'visit_views', 'name_takers', 'receipts'];

/** Copies the database as it is at one moment, table by table; processes that write go on meanwhile. @throws StoreError */
export function copyDatabase(file: string, target: string, options: CopyOptions): string[] {
  const missing = orSalvaged((salvages) => {
    truncateSync(target);
    return copyInto(openToFill(target), file, dirname(target), { ...options, salvages });
  });
  const descriptor = openSync(target, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return missing;
}

/** The same to a file without a name. */
export function copyUnnamed(file: string, options: CopyOptions): UnnamedCopy {
  return orSalvaged((salvages) => {
    const { db, descriptor } = openScratch(file);
    try {
      return { missing: copyInto(db, file, dirname(file), { ...options, salvages }), descriptor };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  });
}

/** Row by row, which is slow, only where the file is damaged: the copy that met it is not to be used. */
function orSalvaged<T>(copy: (salvages: boolean) => T): T {
  try {
    return copy(false);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return copy(true);
  }
}

interface CopyRun extends CopyOptions {
  salvages: boolean;
}

function copyInto(db: Connection, file: string, folder: string, options: CopyRun): string[] {
  try {
    db.prepare('attach ? as live').run(file);
    requireKnown(versionOf(db), file);
    // One read of all tables: what is written meanwhile stays out.
    const missing = db.transaction(() => copyTables(db, options))();
    db.exec('detach live');
    requireSound(db);
    return missing;
  } catch (error) {
    throw isFull(error) ? noRoom(file, folder, error) : error;
  } finally {
    db.close();
  }
}

function versionOf(db: Connection): number {
  return db.pragma('live.user_version', { simple: true }) as number;
}

interface SchemaRow {
  type: string;
  name: string;
  sql: string;
}

/** @returns what could not be read */
function copyTables(db: Connection, { withVisitors, salvages }: CopyRun): string[] {
  const schema = db
    .prepare<[], SchemaRow>(
      `select type, name, sql from live.sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\'`,
    )
    .all();
  const tables = schema.filter(({ type }) => type === 'table');
  for (const { sql } of tables) db.exec(sql);
  const missing = tables.flatMap(({ name }) =>
    salvages ? salvageRows(db, name, withVisitors) : copyRows(db, name, withVisitors),
  );
  db.exec('delete from new_names where day not in (select id from days)');
  // After the rows, so that each is made in one go.
  for (const { type, sql } of schema) if (type !== 'table') db.exec(sql);
  db.exec('delete from sqlite_sequence; insert into sqlite_sequence select * from live.sqlite_sequence');
  db.pragma(`user_version = ${versionOf(db)}`);
  return missing;
}

function salvageRows(db: Connection, table: string, withVisitors: boolean): string[] {
  if (neverCopied.includes(table) || (!withVisitors && visitorTables.includes(table))) return [];
  // Of its own, as a connection that is read row by row takes no writes.
  const live = openForReading(fileOf(db));
  try {
    let insert: Statement<unknown[]> | undefined;
    const holes = readSalvaged(live, table, ({ rowid, ...row }) => {
      if (table === 'days' && !withVisitors) row.salt = row.salt === null ? null : Buffer.alloc(0);
      const names = Object.keys(row);
      insert ??= db.prepare(
        `insert or ignore into main.${table} (${names}) values (${names.map(() => '?')})`,
      );
      insert.run(...Object.values(row));
    });
    if (table === 'days' && !withVisitors) {
      db.exec('delete from main.days where salt is null or forget_at is not null');
    }
    return holes.map((hole) => describeHole(table, hole));
  } finally {
    live.close();
  }
}

function fileOf(db: Connection): string {
  return String(db.prepare("select file from pragma_database_list where name = 'live'").pluck().get());
}

function copyRows(db: Connection, table: string, withVisitors: boolean): [] {
  if (neverCopied.includes(table)) return [];
  if (withVisitors) db.exec(`insert into main.${table} select * from live.${table}`);
  else if (table === 'days') copyDaysWithoutSalts(db);
  else if (!visitorTables.includes(table)) db.exec(`insert into main.${table} select * from live.${table}`);
  return [];
}

/**
 * Open days have to stay days that are not sealed yet; whoever opens the copy gives them new salts. What an import counts on
 * a sealed day needs its row no more.
 */
function copyDaysWithoutSalts(db: Connection): void {
  const columns = db.prepare<[], string>("select name from pragma_table_info('days')").pluck().all();
  const values = columns.map((name) => (name === 'salt' ? "x''" : name));
  const isOpen = `salt is not null${columns.includes('forget_at') ? ' and forget_at is null' : ''}`;
  db.exec(`insert into main.days (${columns}) select ${values} from live.days where ${isOpen}`);
}

function requireSound(db: Connection): void {
  const [damage] = findCorruption(db);
  if (damage === undefined) return;
  throw new StoreError('damaged', `The copy is damaged, and so is the database: ${damage}.`);
}

function isFull(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'SQLITE_FULL' || (code?.startsWith('SQLITE_IOERR') ?? false);
}

function noRoom(file: string, folder: string, cause: unknown): StoreError {
  const megabytes = Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1e6);
  return new StoreError(
    'unusable',
    `There is no room for the copy in ${folder}: it takes up to ${megabytes} MB.`,
    { cause },
  );
}
