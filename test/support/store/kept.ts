import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Headcount } from '../headcount.ts';
import { runIn } from './postgres-client.ts';

type Server = Pick<Headcount, 'dataDir' | 'context'>;

/** What a server has of the days that still count. */
export interface KeptDays {
  salts: Buffer[];
  visitors: bigint[];
  /** In order. */
  days: number[];
}

/** All stored data, for tests that search it for what must not be there. */
export interface Kept {
  holds(secret: string | Buffer): boolean;
  holdsVisitor(visitor: bigint): boolean;
}

export async function readDays({ dataDir, context }: Server): Promise<KeptDays> {
  const { databaseUrl } = context.config;
  return databaseUrl === null ? daysInFile(join(dataDir, 'headcount.db')) : daysIn(databaseUrl);
}

/** Statements that mean the same to both engines. */
export async function execute({ dataDir, context }: Server, statements: string): Promise<void> {
  const { databaseUrl } = context.config;
  if (databaseUrl !== null) await runIn(databaseUrl, statements);
  else new Database(join(dataDir, 'headcount.db')).exec(statements).close();
}

/** The same, for what they answer. */
export async function select<Row extends object>(
  { dataDir, context }: Server,
  statement: string,
): Promise<Row[]> {
  const { databaseUrl } = context.config;
  if (databaseUrl !== null) return runIn<Row>(databaseUrl, statement);
  const db = new Database(join(dataDir, 'headcount.db'), { readonly: true });
  const rows = db.prepare<[], Row>(statement).all();
  db.close();
  return rows;
}

export async function readKept({ dataDir, context }: Server): Promise<Kept> {
  const { databaseUrl } = context.config;
  const files = await readdir(dataDir, { withFileTypes: true });
  const contents = files.filter((file) => file.isFile()).map((file) => readFile(join(dataDir, file.name)));
  const bytes = Buffer.concat(await Promise.all(contents));
  if (databaseUrl === null) return keptIn(bytes);
  const text = await allRows(databaseUrl);
  return {
    holds: (secret) =>
      bytes.includes(secret) || text.includes(secret.toString(isText(secret) ? 'utf8' : 'hex')),
    holdsVisitor: (visitor) => text.includes(String(visitor)),
  };
}

function isText(secret: string | Buffer): secret is string {
  return typeof secret === 'string';
}

function keptIn(bytes: Buffer): Kept {
  return {
    holds: (secret) => bytes.includes(secret),
    // SQLite stores integers with the highest byte first, and what was newly seen has the lowest first.
    holdsVisitor: (visitor) => {
      const highFirst = Buffer.alloc(8);
      highFirst.writeBigInt64BE(visitor);
      return bytes.includes(highFirst) || bytes.includes(highFirst.toReversed());
    },
  };
}

function daysInFile(file: string): KeptDays {
  const db = new Database(file, { readonly: true });
  const rows = db
    .prepare<[], { day: number; salt: Buffer }>(
      'select day, salt from days where salt is not null order by day',
    )
    .all();
  const sorted = db.prepare<[], bigint>('select visitor from seen').pluck().safeIntegers().all();
  const unsorted = db.prepare<[], Buffer>('select visitors_and_sightings from newly_seen').pluck().all();
  db.close();
  const visitors = [...new Set([...sorted, ...unsorted.flatMap(visitorsIn)])];
  return { salts: rows.map(({ salt }) => salt), visitors, days: rows.map(({ day }) => day) };
}

/** A row of what was newly seen begins with the visitors, two thirds of its bytes. */
function visitorsIn(row: Buffer): bigint[] {
  return Array.from({ length: row.length / 12 }, (_, i) => row.readBigInt64LE(i * 8));
}

async function daysIn(url: string): Promise<KeptDays> {
  const rows = await runIn<{ day: number; salt: Buffer }>(
    url,
    'select day, salt from days where salt is not null order by day',
  );
  const seen = await runIn<{ visitor: string }>(url, 'select visitor::text from seen');
  return {
    salts: rows.map(({ salt }) => salt),
    visitors: seen.map(({ visitor }) => BigInt(visitor)),
    days: rows.map(({ day }) => day),
  };
}

/** Bytes are hexadecimal there. */
async function allRows(url: string): Promise<string> {
  const tables = await runIn<{ name: string }>(
    url,
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await runIn<{ row: string }>(url, `select row_to_json(t)::text as row from ${name} t`);
    rows.push(...found.map(({ row }) => row));
  }
  return rows.join('\n');
}
