import type { Connection } from './connection.ts';
import { isDamage } from './trouble.ts';

type Value = bigint | number | string | Buffer | null;
type Row = Record<string, Value>;

/** Rows that cannot be read, between the nearest that can. */
export interface Hole {
  after: string | undefined;
  before: string | undefined;
  /** Where rows have a day: of what is around the hole, if that is one stretch of days. */
  days: string | undefined;
}

/** More of one table are no longer listed one by one. */
const maxHoles = 1000;

/**
 * Hands over every row that can be read, in the order of the table's key, and goes on behind pages that are damaged.
 *
 * @returns what could not be read
 */
export function readSalvaged(db: Connection, table: string, use: (row: Row) => void): Hole[] {
  const key = keyOf(db, table);
  const holes: Hole[] = [];
  let last: Row | undefined;
  let next: Row | undefined;
  for (;;) {
    let isWhole = false;
    try {
      for (const row of readFrom(db, { table, key }, last, next)) {
        last = row;
        next = undefined;
        use(row);
      }
      isWhole = true;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    if (isWhole) return holes;
    const found = holes.length < maxHoles ? seekBehind(db, { table, key }, last) : undefined;
    holes.push(holeBetween(key, last, found));
    if (found === undefined) return holes;
    next = found;
  }
}

interface Source {
  table: string;
  key: readonly string[];
}

/** The number of the row, or the primary key of a table without one. */
function keyOf(db: Connection, table: string): string[] {
  const hasRowid = db
    .prepare<[string], number>("select wr from pragma_table_list where schema = 'main' and name = ?")
    .pluck()
    .get(table);
  if (hasRowid !== 1) return ['rowid'];
  return db
    .prepare<[string], string>('select name from pragma_table_info(?) where pk > 0 order by pk')
    .pluck()
    .all(table);
}

function* readFrom(
  db: Connection,
  { table, key }: Source,
  last: Row | undefined,
  next: Row | undefined,
): Generator<Row> {
  const from = next ?? last;
  const where =
    from === undefined ? '' : `where (${key}) ${next ? '>=' : '>'} (${key.map(() => '?').join(', ')})`;
  const values = from === undefined ? [] : key.map((name) => from[name] ?? null);
  yield* db
    .prepare<Value[], Row>(
      `select ${key[0] === 'rowid' ? 'rowid as rowid, *' : '*'} from "${table}" ${where} order by ${key}`,
    )
    .safeIntegers()
    .iterate(...values);
}

/** The next row that can be read, found from its end of the key by steps that double, and then halve again. */
function seekBehind(db: Connection, source: Source, last: Row | undefined, coarsest = 0): Row | undefined {
  const { key } = source;
  for (let depth = key.length - 1; depth >= coarsest; depth--) {
    const column = key[depth] as string;
    const start = last?.[column] ?? (last === undefined ? 0n : null);
    if (typeof start !== 'bigint') continue;
    const at = (step: bigint) => seek(db, source, last, depth, start + step);
    // What lies behind `failed` cannot be read at once; behind `reached` it can, or there is nothing.
    let [failed, reached] = [0n, 1n];
    let found = at(reached);
    for (; found === undefined && start + reached * 2n < 2n ** 63n; found = at(reached)) {
      failed = reached;
      reached *= 2n;
    }
    if (found === undefined) continue;
    while (reached - failed > 1n) {
      const middle = (failed + reached) / 2n;
      const seen = at(middle);
      if (seen === undefined) failed = middle;
      else [found, reached] = [seen, middle];
    }
    if (failed > 0n && depth < key.length - 1) {
      // What has this value, and lies behind the damage.
      const finer = key.slice(depth + 1).map((name) => [name, 0n]);
      const from = { ...last, [column]: start + failed, ...Object.fromEntries(finer) };
      found = seekBehind(db, source, from, depth + 1) ?? found;
    }
    if (found !== null) return found;
  }
  return undefined;
}

/** The first row whose key is as before up to a column, and from there on so large. Null: there is none; undefined: unknown. */
function seek(
  db: Connection,
  { table, key }: Source,
  last: Row | undefined,
  depth: number,
  from: bigint,
): Row | null | undefined {
  const conditions = key.slice(0, depth).map((name) => `${name} = ?`);
  const values = key.slice(0, depth).map((name) => last?.[name] ?? 0n);
  const sql = `select ${key[0] === 'rowid' ? 'rowid as rowid, *' : '*'} from "${table}"
    where ${[...conditions, `${key[depth]} >= ?`].join(' and ')} order by ${key} limit 1`;
  try {
    return (
      db
        .prepare<Value[], Row>(sql)
        .safeIntegers()
        .get(...values, from) ?? null
    );
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

function holeBetween(key: readonly string[], after: Row | undefined, before: Row | undefined): Hole {
  const inWords = (row: Row | undefined) =>
    row &&
    key
      .map(
        (name) =>
          `${name} ${typeof row[name] === 'string' ? JSON.stringify(row[name].slice(0, 60)) : row[name]}`,
      )
      .join(', ');
  return { after: inWords(after), before: inWords(before), days: daysBetween(key, after, before) };
}

function daysBetween(
  key: readonly string[],
  after: Row | undefined,
  before: Row | undefined,
): string | undefined {
  const [first, last] = [after?.day, before?.day]
    .filter((day) => typeof day === 'bigint')
    .map(Number)
    .sort((a, b) => a - b);
  if (first === undefined || first < 10_000) return undefined;
  const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
  const isOneStretch = key
    .slice(0, Math.max(0, key.indexOf('day')))
    .every((name) => after?.[name] === before?.[name]);
  if (last === undefined || !isOneStretch)
    return `around ${date(first)}${last === undefined ? '' : ` and ${date(last)}`}`;
  return first === last ? date(first) : `${date(first)} to ${date(last)}`;
}
