import type { Connection } from './connection.ts';
import { type Hole, readSalvaged } from './salvage.ts';
import { missingTable } from './schema.ts';
import { damaged, isDamage } from './trouble.ts';

/** What of it is shown, of each table too. */
const maxSentences = 20;

/** What was missing already when the database was saved from a damaged one. */
export function readMissing(db: Connection): string[] {
  const isThere = db.prepare('select 1 from sqlite_schema where name = ?').get(missingTable);
  return isThere
    ? db.prepare<[], string>(`select sentence from ${missingTable} order by id`).pluck().all()
    : [];
}

export function noteMissing(db: Connection, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  db.exec(
    `create table if not exists ${missingTable} (id integer primary key, sentence text not null) strict`,
  );
  const add = db.prepare(`insert into ${missingTable} (sentence) values (?)`);
  for (const sentence of sentences) add.run(sentence);
}

/** Structures that contradict each other, a sentence each. */
export function findCorruption(db: Connection): string[] {
  return integrityOf(db).slice(0, maxSentences);
}

/** A row that cannot be read ends the check, and with it what was found before. */
function integrityOf(db: Connection, table = ''): string[] {
  const found: string[] = [];
  const argument = table === '' ? maxSentences : `'${table}'`;
  try {
    for (const text of db.prepare<[], string>(`pragma integrity_check(${argument})`).pluck().iterate()) {
      if (text !== 'ok') found.push(text.replace(/\s+/g, ' ').trim());
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    found.push((error as Error).message);
  }
  return found;
}

/** Looks at the whole file, which takes seconds for each gigabyte. */
export function findDamage(db: Connection): string[] {
  const corruption = findCorruption(db);
  const hurt = corruption.length === 0 ? [] : hurtTables(db);
  return [...new Set([...hurt, ...corruption, ...findStrays(db)])].slice(0, maxSentences);
}

/** Each by itself, as others may be whole. */
export function hurtTables(db: Connection, tables = tablesOf(db)): string[] {
  return tables.flatMap((table) => {
    if (!isKnown(db, table)) return [`The table ${table} cannot be read`];
    const [first] = integrityOf(db, table);
    if (first === undefined) return [];
    const holes = readSalvaged(db, table, () => undefined);
    if (holes.length > 0) return holes.map((hole) => describeHole(table, hole));
    const indexes = db.prepare<[string], string>('select name from pragma_index_list(?)').pluck().all(table);
    return [
      `All rows of the table ${table} can be read, but not its indexes (${indexes.join(', ') || 'none'}): ${first}`,
    ];
  });
}

/** A schema that is hurt has lost some. */
function isKnown(db: Connection, table: string): boolean {
  return db.prepare('select 1 from pragma_table_info(?)').get(table) !== undefined;
}

export function tablesOf(db: Connection): string[] {
  return db
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and rootpage > 0 order by name")
    .pluck()
    .all();
}

export function describeHole(table: string, { days, after, before }: Hole): string {
  const place = days === undefined ? '' : ` of the days ${days}`;
  return `Rows of the table ${table}${place} cannot be read, between ${after ?? 'its beginning'} and ${before ?? 'its end'}`;
}

/** Puts tables in memory in the place of those that are hurt, with the rows that can be read, for this connection. */
export function standInForHurt(
  db: Connection,
  tables: readonly string[],
): { hurt: string[]; incomplete: string[]; remove(): void } {
  const hurt = tables.flatMap((table) => {
    const [fault] = integrityOf(db, table);
    if (fault === undefined) return [];
    const rows: Record<string, unknown>[] = [];
    const holes = readSalvaged(db, table, ({ rowid: _, ...row }) => rows.push(row));
    return [{ table, fault, rows, isIncomplete: holes.length > 0 }];
  });
  for (const { table, rows } of hurt) {
    const columns = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table);
    db.exec(`create temp table ${table} (${columns})`);
    const insert = db.prepare(`insert into temp.${table} values (${columns.map(() => '?')})`);
    for (const row of rows) insert.run(...columns.map((column) => row[column]));
  }
  return {
    hurt: hurt.map(({ table, fault }) => `table ${table} (${fault})`),
    incomplete: hurt.filter(({ isIncomplete }) => isIncomplete).map(({ table }) => table),
    remove: () => {
      for (const { table } of hurt) db.exec(`drop table temp.${table}`);
    },
  };
}

function findStrays(db: Connection): string[] {
  try {
    const strays = db.pragma('foreign_key_check') as { table: string; parent: string }[];
    return strays.map(
      ({ table, parent }) => `A row of ${table} belongs to a row of ${parent} that is not there`,
    );
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
}

/** More new pages than a batch of hits takes. */
const batchBytes = 1 << 18;

/** Finds out whether anything can be written. */
export function writeProbe(db: Connection) {
  return {
    /** Writes a page as it was, or new pages for a batch, and has them as durable as a count. */
    probeWriting: (size: 'page' | 'batch' = 'page'): void =>
      db
        .transaction(() => {
          const version = db.pragma('user_version', { simple: true });
          db.pragma(`user_version = ${version}`);
          if (size === 'page') return;
          // Deleted pages are overwritten, so that they are written all the same.
          db.exec('create table write_probe (content blob)');
          db.prepare('insert into write_probe values (zeroblob(?))').run(batchBytes);
          db.exec('drop table write_probe');
        })
        .immediate(),

    /** For the start of a server. @throws StoreError `damaged` where the structure of a file of this size is broken */
    requireSound(maxBytes: number): void {
      const pragma = (name: string) => db.pragma(name, { simple: true });
      if (Number(pragma('page_count')) * Number(pragma('page_size')) > maxBytes) return;
      const found = pragma('quick_check(1)');
      if (found !== 'ok') throw damaged(db.name, String(found).replace(/\s+/g, ' '));
    },
  };
}
