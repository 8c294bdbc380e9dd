import { searchableText } from '../../../counting/names/name-search.ts';
import { movedColumns } from '../../../database/tables/tables.ts';
import { parseRecord } from '../../jobs/job-rows.ts';
import {
  lastNames,
  type MovedCell,
  type MovedRow,
  type MovedTable,
  rowsAtATime,
  type Special,
  withoutEnded,
} from '../../moved-tables.ts';
import type { Connection } from '../connection.ts';
import {
  bytesOfOrigins,
  bytesOfViews,
  makeOrigins,
  makeViews,
  unpackOrigins,
  unpackViews,
} from '../counts/visits/packed-views.ts';

type Value = bigint | number | string | Uint8Array | null;

export const usual: Special = {
  ...lastNames,
  names: { searchable: 'searchable(text)' },
  seen: { sightings: 'sightings_of(sightings)' },
  visit_views: {
    visitors: 'visitors_of(views)',
    views: 'views_of(views)',
    origins: 'origins_of(origins)',
  },
  turns: { record: 'joined(record)' },
};

const truth = (column: string) => `case when t.${column} then 'true' when not t.${column} then 'false' end`;

/** Reads a table of a database that knows the functions of `define`. */
export function* readRows(
  db: Connection,
  table: MovedTable,
  special: Special = usual,
): Generator<MovedRow[]> {
  const selected = Object.entries(movedColumns(table)).map(
    ([column, type]) => special[table]?.[column] ?? (type === 'boolean' ? truth(column) : `t.${column}`),
  );
  const rows = db
    .prepare<[], Value[]>(`select ${selected} from ${withoutEnded(table)} t`)
    .safeIntegers()
    .raw();
  let some: MovedRow[] = [];
  for (const row of rows.iterate()) {
    some.push(row.map(toCell));
    if (some.length < rowsAtATime(table)) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** No text of PostgreSQL can hold U+0000. */
export function toCell(value: Value): MovedCell {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value).replaceAll('\0', '\uFFFD');
}

/** What `readRows` asks the database for. */
export function define(db: Connection): void {
  db.function('searchable', { deterministic: true }, (text: unknown) => {
    const searchable = searchableText(String(text));
    return searchable === text ? null : searchable;
  });
  db.function('joined', { deterministic: true }, (list: unknown) =>
    JSON.stringify(parseRecord(String(list))),
  );
  db.function('visitors_of', { deterministic: true }, (bytes: unknown) => {
    return listOf(unpackViews(bytes as Uint8Array).visitors);
  });
  db.function('views_of', { deterministic: true }, (bytes: unknown) => {
    const { moments, paths } = unpackViews(bytes as Uint8Array);
    return listOf(Array.from(moments, (moment, i) => toNumber(moment, paths[i] as number)));
  });
  db.function('origins_of', { deterministic: true }, (bytes: unknown) => {
    if (bytes === null) return null;
    const { sources, countries } = unpackOrigins(bytes as Uint8Array);
    return listOf(Array.from(sources, (source, i) => toOrigin(source, countries[i] as number)));
  });
  db.function('sightings_of', { deterministic: true }, (bytes: unknown) => sightingsOf(bytes as Uint8Array));
}

/** Here one number tells of both kinds, and there each has its own. */
function sightingsOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const all = [...new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength))];
  const single = all.flatMap((one) => ((one & 3) === 3 ? [one - 2, one - 1] : [one]));
  return `{${single}}`;
}

/** The other way round; of the same name the one stands beside the other. */
export function bytesOfSightings(single: readonly number[]): Uint8Array {
  const kinds = new Map<number, number>();
  for (const one of single) {
    const name = Math.floor(one / 4);
    kinds.set(name, (kinds.get(name) ?? 0) | (one & 3));
  }
  return new Uint8Array(Uint32Array.from(kinds, ([name, kind]) => name * 4 + kind).buffer);
}

export function parseSightings(list: string): number[] {
  return list === '{}' ? [] : list.slice(1, -1).split(',').map(Number);
}

function listOf(numbers: ArrayLike<bigint>): string {
  return `{${Array.from(numbers)}}`;
}

/** A view as PostgreSQL has it: 28 bits of the moment, 29 of the path, 2 of the kind. */
function toNumber(moment: number, path: number): bigint {
  return (BigInt(moment >>> 2) << 31n) | BigInt(path * 4 + (moment & 3));
}

/** Where a view came from as PostgreSQL has it: 29 bits of the source, 29 of the country. */
function toOrigin(source: number, country: number): bigint {
  return (BigInt(source) << 29n) | BigInt(country);
}

/** @param renumber a name's number here */
export function bytesOfMovedOrigins(origins: string, renumber: (name: number) => number): Uint8Array {
  const all = parseBigints(origins);
  const packed = makeOrigins(all.length);
  for (const [i, origin] of all.entries()) {
    packed.sources[i] = renumber(Number(origin >> 29n));
    packed.countries[i] = renumber(Number(origin & nameBits));
  }
  return bytesOfOrigins(packed);
}

/** The same list, with the names' numbers of before. */
export function withFormerOrigins(origins: string, formerOf: (name: number) => number): string {
  const former = (origin: bigint) =>
    toOrigin(formerOf(Number(origin >> 29n)), formerOf(Number(origin & nameBits)));
  return `{${parseBigints(origins).map(former)}}`;
}

/** @param renumber the path's number here */
export function bytesOfMovedViews(
  visitors: string,
  views: string,
  renumber: (path: number) => number,
): Uint8Array {
  const [ids, numbers] = [parseBigints(visitors), parseBigints(views)];
  const packed = makeViews(ids.length);
  packed.visitors.set(ids);
  for (const [i, view] of numbers.entries()) {
    packed.moments[i] = Number(view >> 31n) * 4 + Number(view & 3n);
    packed.paths[i] = renumber(Number((view >> 2n) & nameBits));
  }
  return bytesOfViews(packed);
}

const nameBits = (1n << 29n) - 1n;

/** The same list, with the paths' numbers of before. */
export function withFormerPaths(views: string, formerOf: (path: number) => number): string {
  const former = (view: bigint) => {
    const path = Number((view >> 2n) & nameBits);
    return view + (BigInt(formerOf(path) - path) << 2n);
  };
  return `{${parseBigints(views).map(former)}}`;
}

function parseBigints(list: string): bigint[] {
  return list === '{}' ? [] : list.slice(1, -1).split(',').map(BigInt);
}
