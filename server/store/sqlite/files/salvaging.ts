import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import Database, { type Statement } from 'better-sqlite3';
import { parentOf, what } from '../../../counting/what.ts';
import { declared } from '../../../database/tables/tables.ts';
import type { CopyOptions } from '../../store-files.ts';
import type { Connection } from '../connection.ts';
import { readPending } from '../counts/pending-counts.ts';
import { describeHole, hurtTables, noteMissing, readMissing, tablesOf } from '../damage.ts';
import { readSalvaged } from '../salvage.ts';
import { makeTables, newestVersion, requireKnown, versionOf } from '../schema.ts';
import { damaged, isDamage } from '../trouble.ts';

/** Whether a copy has rows of a table. */
export function isCopied(name: string, withVisitors: boolean): boolean {
  const copied = declared(name)?.copied;
  return copied === undefined || (copied === 'with visitors' && withVisitors);
}

/** Columns that are null in a copy. */
export function emptyColumns(name: string, withVisitors: boolean): readonly string[] {
  return (!withVisitors && declared(name)?.visitorColumns) || [];
}

/** Fills an empty database with the rows that can be read of a damaged one. @returns what is missing */
export function salvageInto(db: Connection, source: string, options: CopyOptions): string[] {
  const live = openDamaged(source);
  try {
    return db.transaction(() => salvageTables(db, live, options))();
  } finally {
    live.close();
  }
}

/** Of a file that is shorter than it says, or that has lost a part of its schema, what is there can be read. */
function openDamaged(file: string): Connection {
  const live = new Database(file, { readonly: true, timeout: 10_000 });
  live.unsafeMode();
  live.pragma('writable_schema = ON');
  live.exec('begin');
  return live;
}

/** What cannot be read of a file that cannot be opened as others are, a sentence each. */
export function findHurt(file: string): string[] {
  const look = (source: string) => {
    const live = openDamaged(source);
    const model = new Database(':memory:');
    try {
      makeTables(model, readableVersion(live));
      const tables = tablesOf(model);
      const hurt = hurtTables(live, tables);
      if (hurt.filter(isGone).length === tables.length) throw damaged(live.name, 'no table can be read');
      return hurt;
    } finally {
      live.close();
      model.close();
    }
  };
  try {
    return look(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return withMendedHeader(file, look);
  }
}

function readableVersion(live: Connection): number {
  const version = versionOf(live);
  requireKnown(version, live.name);
  if (version === 0) throw damaged(live.name, 'its schema cannot be read');
  return version;
}

function salvageTables(db: Connection, live: Connection, { withVisitors }: CopyOptions): string[] {
  makeTables(db, readableVersion(live));
  const tables = tablesOf(db)
    .filter((table) => !table.startsWith('sqlite_'))
    .filter((table) => isCopied(table, withVisitors));
  const missing = new Map(tables.map((table) => [table, salvageRows(db, live, table, withVisitors)]));
  if ([...missing.values()].flat().filter(isGone).length === tables.length) {
    throw damaged(live.name, 'no table can be read');
  }
  if (!withVisitors) {
    db.exec(`update days set salt = x'' where salt is not null;
      delete from days where salt is null or forget_at is not null`);
  }
  const isHurt = (table: string) => (missing.get(table)?.length ?? 0) > 0;
  const lost = [...earlier(live), ...[...missing.values()].flat()];
  if (isHurt('projects')) lost.push(...standInForProjects(db));
  if (isHurt('names')) lost.push(...standInForNames(db));
  lost.push(...removeStrays(db));
  noteMissing(db, lost);
  return lost;
}

/** A database that was saved before. */
function earlier(live: Connection): string[] {
  try {
    return readMissing(live);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
}

const gone = ' cannot be read';
const isGone = (sentence: string) => sentence.startsWith('The table ') && sentence.endsWith(gone);

function salvageRows(db: Connection, live: Connection, table: string, withVisitors: boolean): string[] {
  let insert: Statement<unknown[]> | undefined;
  let refused = 0;
  const empty = emptyColumns(table, withVisitors);
  const take = ({ rowid, ...row }: Record<string, unknown>) => {
    for (const column of empty) if (column in row) row[column] = null;
    if (!insert) {
      // What a new database begins with stays only where nothing can be read.
      db.exec(`delete from ${table}`);
      const names = Object.keys(row);
      insert = db.prepare(`insert or ignore into ${table} (${names}) values (${names.map(() => '?')})`);
    }
    try {
      refused += 1 - insert.run(...Object.values(row)).changes;
    } catch (error) {
      if (!(error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT')) throw error;
      refused++;
    }
  };
  const missing: string[] = [];
  try {
    missing.push(...readSalvaged(live, table, take).map((hole) => describeHole(table, hole)));
  } catch (error) {
    // SQLITE_ERROR: the schema has lost the table.
    if ((error as { code?: string }).code !== 'SQLITE_ERROR' && !isDamage(error)) throw error;
    missing.push(`The table ${table}${gone}`);
  }
  if (refused > 0) missing.push(`${refused} rows of the table ${table} hold what it cannot have`);
  return missing;
}

/** Their counts, keys and jobs are there: under a name that says so. */
function standInForProjects(db: Connection): string[] {
  const referring = db
    .prepare<[], string>(
      `select t.name from sqlite_schema t join pragma_table_info(t.name) c on c.name = 'project'
       where t.type = 'table' and c.type = 'INTEGER'`,
    )
    .pluck()
    .all();
  const found = referring.map((table) => `select project as id from ${table}`).join(' union ');
  const added = db
    .prepare<[], string>(
      `insert into projects (id, public_id, settings, created_at, sealed_through)
       select id, 'damaged-' || id, json_object('name', '(damaged ' || id || ')'), strftime('%Y-%m-%dT%H:%M:%fZ'),
         coalesce((select min(day) - 1 from days where project = f.id),
           (select max(day) from counts where project = f.id and span = 1))
       from (${found}) f where id not in (select id from projects) returning public_id`,
    )
    .pluck()
    .all();
  return added.map(
    (id) => `A project without its id, name and settings: what can be read of it belongs to ${id} now`,
  );
}

interface LostName {
  id: number;
  project: number;
  what: number;
  parent: number;
}

/** Reports, exports and imports go by names, and a new name must not get the number of a lost one. */
function standInForNames(db: Connection): string[] {
  const add = db.prepare<[number, number, number, number, string]>(
    'insert or ignore into names (id, project, what, parent, text) values (?, ?, ?, ?, ?)',
  );
  let added = 0;
  const standIn = ({ id, project, what: kind, parent }: LostName) => {
    const text =
      kind === what.client || kind === what.clientProof ? `(damaged ${id})\tclaimed` : `(damaged ${id})`;
    added += add.run(id, project, kind, parent, text).changes;
  };
  const all = `select project, what, parent, name as id from counts where name <> 0
    union select project, what, parent, id from names union select * from temp.waiting`;
  db.exec('create temp table waiting (project, what, parent, id)');
  const addWaiting = db.prepare('insert into temp.waiting values (?, ?, ?, ?)');
  for (const project of db.prepare<[], number>('select id from projects').pluck().all()) {
    for (const { sums } of readPending(db, project)) {
      for (const { name } of sums.inOrder())
        if (name.id) addWaiting.run(project, name.what, name.parent, name.id);
    }
  }
  const lost = db
    .prepare<[], LostName>(`select * from (${all}) where id not in (select id from names)`)
    .all();
  const above = db
    .prepare<[], LostName>(
      `select distinct project, what, 0 as parent, parent as id from (${all})
       where parent <> 0 and parent not in (select id from names)`,
    )
    .all();
  for (const name of above) standIn({ ...name, what: parentOf[name.what] ?? what.path });
  for (const name of lost) standIn(name);
  db.exec('drop table temp.waiting');
  return added === 0 ? [] : [`${added} names: what was counted under them is under "(damaged …)" now`];
}

/** Rows that belong to lost ones. */
function removeStrays(db: Connection): string[] {
  const removed = new Map<string, number>();
  const keys = db
    .prepare<[], { child: string; parent: string; columns: string; matches: string }>(
      `select t.name as child, k."table" as parent,
         group_concat(format('t."%w" is not null', k."from"), ' and ') as columns,
         group_concat(format('p."%w" = t."%w"', k."to", k."from"), ' and ') as matches
       from sqlite_schema t join pragma_foreign_key_list(t.name) k where t.type = 'table' group by t.name, k.id`,
    )
    .all();
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const { child, parent, columns, matches } of keys) {
      const { changes } = db
        .prepare(
          `delete from ${child} as t where ${columns} and not exists (select 1 from ${parent} p where ${matches})`,
        )
        .run();
      if (changes === 0) continue;
      isDone = false;
      const key = `rows of the table ${child}, which belong to lost rows of ${parent}`;
      removed.set(key, (removed.get(key) ?? 0) + changes);
    }
  }
  return [...removed].map(([words, rows]) => `${rows} ${words}`);
}

/** https://sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100;
const pageBytes = 4096;

/** With a copy of a file whose first page has lost its header, and that has it again. It has what every database of ours has. */
export function withMendedHeader<T>(file: string, use: (mended: string) => T): T {
  const mended = `${file}.scratch-${randomBytes(6).toString('hex')}`;
  try {
    for (const suffix of ['', '-wal']) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, mended + suffix, constants.COPYFILE_FICLONE);
    }
    const header = Buffer.alloc(headerBytes);
    header.write('SQLite format 3\0', 'latin1');
    header.writeUInt16BE(pageBytes, 16);
    // Write and read version (a log), and the fractions that are fixed.
    header.set([2, 2, 0, 64, 32, 32], 18);
    const pages = Math.floor(statSync(file).size / pageBytes);
    // Change counter, pages; schema format; root of the largest tree and whether it is vacuumed in steps; UTF-8; version.
    for (const [at, value] of [
      [24, 1],
      [28, pages],
      [44, 4],
      [52, 1],
      [56, 1],
      [60, newestVersion()],
      [64, 1],
      [92, 1],
    ] as const)
      header.writeUInt32BE(value, at);
    const descriptor = openSync(mended, 'r+');
    writeSync(descriptor, header, 0, headerBytes, 0);
    closeSync(descriptor);
    return use(mended);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(mended + suffix, { force: true });
  }
}
