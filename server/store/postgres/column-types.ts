import { types } from 'pg';

/** https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat */
const oids = { bytea: 17, int8: 20, int8Array: 1016, date: 1082, numeric: 1700 } as const;

type Parse = (text: string) => unknown;

const parsers = new Map<number, Parse>([
  // A Buffer is not equal to an array of the same bytes.
  [oids.bytea, (text) => Uint8Array.from(types.getTypeParser(oids.bytea)(text))],
  [oids.int8, toNumber],
  // What `sum` makes of bigint.
  [oids.numeric, toNumber],
  [oids.int8Array, toBigInts],
  [oids.date, (text) => text],
]);

/** How columns come: counts as numbers, days as text. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): Parse =>
    (format !== 'binary' && parsers.get(oid)) || types.getTypeParser(oid, format ?? 'text'),
};

function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || text.includes('.')) return number;
  throw new RangeError('A number of the database is too large to be exact.');
}

function toBigInts(text: string): bigint[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt);
}
