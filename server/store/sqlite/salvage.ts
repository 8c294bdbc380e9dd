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
  const names = key.map(({ name }) => name);
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
    holes.push(holeBetween(names, last, found));
    if (found === undefined) return holes;
    next = found;
  }
}

interface Source {
  table: string;
  key: readonly KeyColumn[];
}

/** A column of a key, whose values are gone through as numbers in their order: of texts and bytes, those that they begin with. */
interface KeyColumn {
  name: string;
  isNumber: boolean;
  /** The SQL expression of a value. */
  given: string;
}

/** The number of the row, or the primary key of a table without one. */
function keyOf(db: Connection, table: string): KeyColumn[] {
  const hasRowid = db
    .prepare<[string], number>("select wr from pragma_table_list where schema = 'main' and name = ?")
    .pluck()
    .get(table);
  if (hasRowid !== 1) return [{ name: 'rowid', isNumber: true, given: '?' }];
  return db
    .prepare<[string], { name: string; type: string }>(
      'select name, type from pragma_table_info(?) where pk > 0 order by pk',
    )
    .all(table)
    .map(({ name, type }) => ({
      name,
      isNumber: type.startsWith('INT'),
      given: type === 'TEXT' ? 'cast(? as text)' : '?',
    }));
}

function selectFrom({ table, key }: Source, where: string, direction = 'asc'): string {
  const names = key.map(({ name }) => name);
  const order = names.map((name) => `${name} ${direction}`);
  return `select ${names[0] === 'rowid' ? 'rowid as rowid, *' : '*'} from "${table}" ${where} order by ${order}`;
}

function* readFrom(
  db: Connection,
  source: Source,
  last: Row | undefined,
  next: Row | undefined,
): Generator<Row> {
  const { key } = source;
  const from = next ?? last;
  const names = key.map(({ name }) => name);
  const where =
    from === undefined ? '' : `where (${names}) ${next ? '>=' : '>'} (${key.map(() => '?').join(', ')})`;
  const values = from === undefined ? [] : names.map((name) => from[name] ?? null);
  yield* db
    .prepare<Value[], Row>(selectFrom(source, where))
    .safeIntegers()
    .iterate(...values);
}

/** Longer values are compared by so many bytes. */
const maxBytes = 256;

/** How values of a column are numbered, those near one of them, and by which part of themselves steps grow. */
function numbersNear({ isNumber }: KeyColumn, near: Value | undefined) {
  if (isNumber) {
    const toNumber = (value: Value | undefined) => (typeof value === 'bigint' ? value : 0n);
    return {
      start: toNumber(near),
      end: 2n ** 63n,
      growth: 4n,
      toNumber,
      toValue: (number: bigint): Value => number,
    };
  }
  const bytesOf = (value: Value | undefined) => Buffer.from((value as string | Buffer | undefined) ?? '');
  const width = Math.min(Math.max(bytesOf(near).length, 48) + 8, maxBytes);
  const toNumber = (value: Value | undefined) =>
    BigInt(
      `0x${bytesOf(value)
        .toString('hex', 0, width)
        .padEnd(width * 2, '0')}`,
    );
  const toValue = (number: bigint): Value =>
    Buffer.from(
      number
        .toString(16)
        .padStart(width * 2, '0')
        .replace(/(00)+$/, ''),
      'hex',
    );
  return { start: toNumber(near), end: 2n ** BigInt(width * 8), growth: 1n, toNumber, toValue };
}

/** Between what cannot be read and what can it is looked at so many places, as another hole may lie between. */
const places = 8n;

/** The next row that can be read, found from its end of the key by steps that grow, and then by smaller ones. */
function seekBehind(db: Connection, source: Source, last: Row | undefined, coarsest = 0): Row | undefined {
  const { key } = source;
  for (let depth = key.length - 1; depth >= coarsest; depth--) {
    const column = key[depth] as KeyColumn;
    const { start, end, growth, toNumber, toValue } = numbersNear(column, last?.[column.name]);
    const { seek, newest } = seeker(db, source, last, depth);
    const at = (step: bigint) => seek(toValue(start + step));
    /** What has this value, and lies behind the damage. */
    const finer = (value: Value) => {
      const below = key.slice(depth + 1).map((column) => [column.name, least(column)]);
      return seekBehind(
        db,
        source,
        { ...last, [column.name]: value, ...Object.fromEntries(below) },
        depth + 1,
      );
    };
    // What lies behind `failed` cannot be read at once; behind `reached` it can, or there is nothing.
    let [failed, reached] = [0n, 1n];
    const furthest = (newest ? toNumber(newest[column.name]) : end - 1n) - start;
    let found = at(reached);
    while (found === undefined && reached < furthest) {
      failed = reached;
      const further = reached + 1n + reached / growth;
      reached = further < furthest ? further : furthest;
      found = at(reached);
    }
    if (found === undefined) {
      // All but the last value begin in what cannot be read.
      const behind = newest && finer(newest[column.name] ?? null);
      if (behind) return behind;
      continue;
    }
    while (reached - failed > 1n) {
      const [from, stretch] = [failed, reached - failed];
      const steps = stretch < places ? stretch : places;
      for (let place = 1n; place < steps; place++) {
        const step = from + (stretch * place) / steps;
        const seen = at(step);
        if (seen !== undefined) {
          [found, reached] = [seen, step];
          break;
        }
        failed = step;
      }
    }
    if (failed > 0n) found = finer(toValue(start + failed)) ?? found;
    if (found !== null) return found;
  }
  return undefined;
}

const least = ({ isNumber }: KeyColumn): Value => (isNumber ? 0n : Buffer.alloc(0));

/** For the first row whose key is as before up to a column, and from there on so large, and for the last one. Null: there is none; undefined: unknown. */
function seeker(db: Connection, source: Source, last: Row | undefined, depth: number) {
  const above = source.key.slice(0, depth);
  const conditions = above.map(({ name, given }) => `${name} = ${given}`);
  const values = above.map((column) => last?.[column.name] ?? least(column));
  const column = source.key[depth] as KeyColumn;
  const where = `where ${[...conditions, `${column.name} >= ${column.given}`].join(' and ')}`;
  const find = (sql: string, given: Value[]) => {
    try {
      return (
        db
          .prepare<Value[], Row>(`${sql} limit 1`)
          .safeIntegers()
          .get(...given) ?? null
      );
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  };
  const first = selectFrom(source, where);
  return {
    seek: (from: Value) => find(first, [...values, from]),
    newest: find(selectFrom(source, `where ${['true', ...conditions].join(' and ')}`, 'desc'), values),
  };
}

function holeBetween(key: readonly string[], after: Row | undefined, before: Row | undefined): Hole {
  const inWords = (row: Row | undefined) =>
    row && key.map((name) => `${name} ${inShort(row[name] ?? null)}`).join(', ');
  return { after: inWords(after), before: inWords(before), days: daysBetween(key, after, before) };
}

function inShort(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return value instanceof Uint8Array ? value.toString('hex', 0, 30) : String(value);
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
