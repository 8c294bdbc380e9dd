import type { ReadPart } from '../../files/shipped.ts';
import { ipv4Number, upperBits } from '../../net/address.ts';
import { type FindPlace, nowhere, type Place } from './place.ts';

/** From this IPv4 address on, up to the next range, a country; null: none. */
export interface Range4 {
  start: number;
  country: string | null;
}

/** The same of IPv6, by the first 64 bits. */
export interface Range6 {
  high: number;
  low: number;
  country: string | null;
}

const headNumbers = 3;

const blockBits = 10;
const perBlock = 1 << blockBits;

/**
 * Countries as a table of ranges: three numbers of 32 bits (how many ranges of IPv4, of IPv6, and countries), where the
 * ranges begin, and the index of each one's country among the codes, which are at the end. Numbers are little-endian, as
 * on all machines that Headcount is built for.
 */
export function encodeCountryTable(ranges4: readonly Range4[], ranges6: readonly Range6[]): Buffer {
  const codes = [...new Set([...ranges4, ...ranges6].map(({ country }) => country ?? noCountry))].sort();
  if (codes.length > 256) throw new Error(`A table holds 256 countries, and these are ${codes.length}.`);
  const places = new Map(codes.map((code, place) => [code, place]));
  const placeOf = ({ country }: Range4 | Range6) => places.get(country ?? noCountry) as number;
  const numbers = Uint32Array.from([
    ...[ranges4.length, ranges6.length, codes.length],
    ...ranges4.map(({ start }) => start),
    ...ranges6.map(({ high }) => high),
    ...ranges6.map(({ low }) => low),
  ]);
  const countries = Uint8Array.from([...ranges4.map(placeOf), ...ranges6.map(placeOf)]);
  return Buffer.concat([Buffer.from(numbers.buffer), countries, Buffer.from(codes.join(''), 'latin1')]);
}

const noCountry = '--';

/** Finds the country of an address in an encoded table, of which it reads what is asked for. */
export function readCountryTable(read: ReadPart): FindPlace {
  const [length4 = 0, length6 = 0, length = 0] = words(read(0, headNumbers * 4));
  const starts = new Numbers(read, { at: headNumbers * 4, length: length4, bytesEach: 4 });
  const highs = new Numbers(read, { at: starts.end, length: length6, bytesEach: 4 });
  const lows = new Numbers(read, { at: highs.end, length: length6, bytesEach: 4 });
  const countries4 = new Numbers(read, { at: lows.end, length: length4, bytesEach: 1 });
  const countries6 = new Numbers(read, { at: countries4.end, length: length6, bytesEach: 1 });
  const places = readPlaces(Buffer.from(read(countries6.end, length * 2)));
  return (address) => {
    if (!address.includes(':')) return places[countries4.get(last4(starts, ipv4Number(address)))] ?? nowhere;
    const { high, low } = upperBits(address);
    return places[countries6.get(last6(highs, lows, high, low))] ?? nowhere;
  };
}

interface Column {
  at: number;
  length: number;
  bytesEach: 1 | 4;
}

/** Numbers of a table, read a block at a time: of the whole table a search looks at little, and most networks never come. */
class Numbers {
  readonly length: number;
  /** Where in the table they end. */
  readonly end: number;
  readonly #read: ReadPart;
  readonly #column: Column;
  readonly #blocks: (Uint8Array | Uint32Array | undefined)[];

  constructor(read: ReadPart, column: Column) {
    this.#read = read;
    this.#column = column;
    this.length = column.length;
    this.end = column.at + column.length * column.bytesEach;
    this.#blocks = Array(Math.ceil(column.length / perBlock)).fill(undefined);
  }

  get(i: number): number {
    const block = this.#blocks[i >>> blockBits] ?? this.#load(i >>> blockBits);
    return block[i & (perBlock - 1)] as number;
  }

  #load(block: number): Uint8Array | Uint32Array {
    const { at, length, bytesEach } = this.#column;
    const first = block * perBlock;
    const part = this.#read(at + first * bytesEach, Math.min(perBlock, length - first) * bytesEach);
    const numbers = bytesEach === 4 ? words(part) : part;
    this.#blocks[block] = numbers;
    return numbers;
  }
}

/** In place, where the machine can. */
function words(part: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = part.byteOffset % 4 === 0 ? part : Uint8Array.from(part);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

function readPlaces(codes: Buffer): Place[] {
  const all = codes.toString('latin1').match(/../g) ?? [];
  return all.map((country) => (country === noCountry ? nowhere : { ...nowhere, country }));
}

/** The last of the sorted numbers that is at most this one; the first is 0. */
function last4(starts: Numbers, number: number): number {
  let from = 0;
  let to = starts.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (starts.get(middle) <= number) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function last6(highs: Numbers, lows: Numbers, high: number, low: number): number {
  let from = 0;
  let to = highs.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = highs.get(middle);
    if (found < high || (found === high && lows.get(middle) <= low)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
