import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StoreError } from '../../store.ts';
import type { CopyOptions } from '../../store-files.ts';
import type { Connection } from '../connection.ts';
import { findCorruption } from '../damage.ts';
import { requireKnown } from '../schema.ts';

const busyTimeoutMs = 10_000;

/** Signed in people sign in again: a session that was ended must not come back. */
const neverCopied = ['sessions'];
/** Who was seen on what; `name_takers` has visitors too. */
const visitorTables = ['seen', 'newly_seen', 'name_takers'];

/** Copies the database as it is at one moment, table by table; processes that write go on meanwhile. @throws StoreError */
export function copyDatabase(file: string, target: string, options: CopyOptions): void {
  copy(file, target, options, () => undefined);
  const descriptor = openSync(target, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** To a file beside the database that has no name any more, so that a kill leaves nothing. Answers its descriptor. */
export function copyUnnamed(file: string, options: CopyOptions): number {
  const scratch = `${file}.copy-${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(scratch, 'wx+', 0o600);
  try {
    copy(file, scratch, options, () => rmSync(scratch));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    rmSync(scratch, { force: true });
  }
}

function copy(file: string, target: string, { withVisitors }: CopyOptions, onOpen: () => void): void {
  const db = new Database(target, { timeout: busyTimeoutMs });
  try {
    db.pragma('foreign_keys = OFF');
    // A copy that was not finished is thrown away.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    // Takes effect only before the first table is made.
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('create table first (x); drop table first');
    onOpen();
    db.prepare('attach ? as live').run(file);
    requireKnown(versionOf(db), file);
    // One read of all tables: what is written meanwhile stays out.
    db.transaction(() => copyTables(db, withVisitors))();
    db.exec('detach live');
    requireSound(db);
  } catch (error) {
    throw isFull(error) ? noRoom(file, target, error) : error;
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

function copyTables(db: Connection, withVisitors: boolean): void {
  const schema = db
    .prepare<[], SchemaRow>(
      `select type, name, sql from live.sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\'`,
    )
    .all();
  const tables = schema.filter(({ type }) => type === 'table');
  for (const { sql } of tables) db.exec(sql);
  for (const { name } of tables) copyRows(db, name, withVisitors);
  db.exec('delete from new_names where day not in (select id from days)');
  // After the rows, so that each is made in one go.
  for (const { type, sql } of schema) if (type !== 'table') db.exec(sql);
  db.exec('delete from sqlite_sequence; insert into sqlite_sequence select * from live.sqlite_sequence');
  db.pragma(`user_version = ${versionOf(db)}`);
}

function copyRows(db: Connection, table: string, withVisitors: boolean): void {
  if (neverCopied.includes(table)) return;
  if (withVisitors) db.exec(`insert into main.${table} select * from live.${table}`);
  else if (table === 'days') copyDaysWithoutSalts(db);
  else if (!visitorTables.includes(table)) db.exec(`insert into main.${table} select * from live.${table}`);
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

function noRoom(file: string, target: string, cause: unknown): StoreError {
  const megabytes = Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1e6);
  return new StoreError(
    'unusable',
    `There is no room for the copy in ${dirname(target)}: it takes up to ${megabytes} MB.`,
    { cause },
  );
}
