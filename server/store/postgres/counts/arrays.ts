// Arrays as PostgreSQL takes them in binary, which neither side has to parse: header, and each element with its length
// (src/backend/utils/adt/arrayfuncs.c, array_recv). As words of 32 bits, turned round at the end.

const oids = { int: 23, bigint: 20 } as const;
const headerWords = 5;

const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

export function intArray(values: ArrayLike<number>): Uint8Array {
  const { length } = values;
  const words = begin(oids.int, length, 2);
  for (let i = 0, at = headerWords; i < length; i++) {
    words[at++] = 4;
    words[at++] = values[i] as number;
  }
  return end(words);
}

export function bigintArray(values: ArrayLike<bigint>): Uint8Array {
  const { length } = values;
  const words = begin(oids.bigint, length, 3);
  for (let i = 0, at = headerWords; i < length; i++) {
    whole[0] = values[i] as bigint;
    words[at++] = 8;
    words[at++] = halves[1] as number;
    words[at++] = halves[0] as number;
  }
  return end(words);
}

/** Of bigint[], from their halves. */
export function halvesArray(high: ArrayLike<number>, low: ArrayLike<number>): Uint8Array {
  const { length } = high;
  const words = begin(oids.bigint, length, 3);
  for (let i = 0, at = headerWords; i < length; i++) {
    words[at++] = 8;
    words[at++] = high[i] as number;
    words[at++] = low[i] as number;
  }
  return end(words);
}

/** A column of rows for each of these keys. */
export function columnsOf<Row, Key extends keyof Row>(rows: readonly Row[], ...keys: Key[]): Row[Key][][] {
  return keys.map((key) => rows.map((row) => row[key]));
}

/** The same in binary, of numbers. */
export function intsOf<Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  ...keys: Key[]
): Uint8Array[] {
  return columnsOf(rows, ...keys).map(intArray);
}

function begin(oid: number, length: number, wordsEach: number): Int32Array {
  if (length === 0) return Int32Array.of(0, 0, oid);
  const words = new Int32Array(headerWords + length * wordsEach);
  // One dimension, no nulls, and the first element is number 1.
  words.set([1, 0, oid, length, 1]);
  return words;
}

function end({ buffer }: Int32Array): Uint8Array {
  return Buffer.from(buffer).swap32();
}
