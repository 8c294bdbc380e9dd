import { closeSync, fsyncSync, openSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { aboutDamage, StoreError } from '../../store.ts';
import type { CopyOptions, UnnamedCopy } from '../../store-files.ts';
import type { Connection } from '../connection.ts';
import { findCorruption } from '../damage.ts';
import { requireKnown } from '../schema.ts';
import { damaged, hasNoRoom, isDamage } from '../trouble.ts';
import { emptyColumns, isCopied, salvageInto, withMendedHeader } from './salvaging.ts';
import { openScratch, openToFill } from './scratch.ts';

/** Copies the database as it is at one moment, table by table; processes that write go on meanwhile. @throws StoreError */
export function copyDatabase(file: string, target: string, options: CopyOptions): string[] {
  const fresh = () => {
    truncateSync(target);
    return openToFill(target);
  };
  const { db, missing } = copyInto(fresh, { file, folder: dirname(target), ...options });
  db.close();
  const descriptor = openSync(target, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return missing;
}

/** The same to a file without a name. */
export function copyUnnamed(file: string, options: CopyOptions): UnnamedCopy {
  const { db, descriptor, missing } = openCopy(file, options);
  db.close();
  return { descriptor, missing };
}

/** The same, as a database that is open. */
export function openCopy(file: string, options: CopyOptions): UnnamedCopy & { db: Connection } {
  const opened: ReturnType<typeof openScratch>[] = [];
  const fresh = () => {
    for (const { descriptor } of opened.splice(0)) closeSync(descriptor);
    opened.push(openScratch(file));
    return (opened[0] as ReturnType<typeof openScratch>).db;
  };
  try {
    const { db, missing } = copyInto(fresh, { file, folder: dirname(file), ...options });
    return { db, missing, descriptor: (opened[0] as ReturnType<typeof openScratch>).descriptor };
  } catch (error) {
    for (const { descriptor } of opened) closeSync(descriptor);
    throw error;
  }
}

interface CopyRun extends CopyOptions {
  file: string;
  folder: string;
}

/** Row by row, which is slow, only where the file is damaged: the copy that met it is not to be used. */
function copyInto(fresh: () => Connection, run: CopyRun): { db: Connection; missing: string[] } {
  const { file, folder } = run;
  const withMended = (db: Connection) => withMendedHeader(file, (source) => salvageInto(db, source, run));
  let met: unknown;
  for (const fill of [copyWhole, (db: Connection) => salvageInto(db, file, run), withMended]) {
    const db = fresh();
    try {
      const missing = fill(db, run);
      requireSound(db);
      return { db, missing };
    } catch (error) {
      db.close();
      if (!isHurt(error)) throw hasNoRoom(error) ? noRoom(file, folder, error) : error;
      met ??= error;
    }
  }
  throw unreadable(file, met);
}

/** Of a row that was changed, a value may be one that the copy does not take; of the schema, a table may be gone. */
function isHurt(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return isDamage(error) || code === 'SQLITE_ERROR' || code.startsWith('SQLITE_CONSTRAINT');
}

function copyWhole(db: Connection, { file, withVisitors }: CopyRun): [] {
  db.prepare('attach ? as live').run(file);
  requireKnown(versionOf(db), file);
  // One read of all tables: what is written meanwhile stays out.
  db.transaction(() => copyTables(db, withVisitors))();
  db.exec('detach live');
  return [];
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
  if (!isCopied(table, withVisitors)) return;
  if (table === 'days' && !withVisitors) {
    copyDaysWithoutSalts(db);
    return;
  }
  const empty = emptyColumns(table, withVisitors);
  const values = columnsOf(db, table).map((name) => (empty.includes(name) ? 'null' : `"${name}"`));
  db.exec(`insert into main.${table} select ${values} from live.${table}`);
}

const columnsOf = (db: Connection, table: string) =>
  db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table);

/**
 * Open days have to stay days that are not sealed yet; they get new salts when the copy is opened. What an import
 * counts on a sealed day needs its row no more.
 */
function copyDaysWithoutSalts(db: Connection): void {
  const columns = columnsOf(db, 'days');
  const values = columns.map((name) => (name === 'salt' ? "x''" : name));
  const isOpen = `salt is not null${columns.includes('forget_at') ? ' and forget_at is null' : ''}`;
  db.exec(`insert into main.days (${columns}) select ${values} from live.days where ${isOpen}`);
}

function requireSound(db: Connection): void {
  const [found] = findCorruption(db);
  if (found !== undefined) throw damaged(db.name, found);
}

export function unreadable(file: string, cause: unknown): StoreError {
  return new StoreError(
    'damaged',
    `Nothing of the database ${file} can be read, as the beginning of the file is damaged (${(cause as Error).message}). Restore the newest backup: ${aboutDamage}`,
    { cause },
  );
}

function noRoom(file: string, folder: string, cause: unknown): StoreError {
  const megabytes = Math.ceil((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1e6);
  return new StoreError(
    'unusable',
    `There is no room for the copy in ${folder}: it takes up to ${megabytes} MB.`,
    { cause },
  );
}
