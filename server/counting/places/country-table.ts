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

/**
 * Countries as a table of ranges: three numbers of 32 bits (how many ranges of IPv4, of IPv6, and countries), where the
 * ranges begin, and the place of each one's country among the codes, which stand at the end. Numbers are little-endian, as
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

/** Finds the country of an address in an encoded table, which is used where it lies. */
export function readCountryTable(encoded: Uint8Array): FindPlace {
  const { buffer, byteOffset } = encoded.byteOffset % 4 === 0 ? encoded : encoded.slice();
  let at = byteOffset;
  const numbers = (length: number) => {
    at += length * 4;
    return new Uint32Array(buffer, at - length * 4, length);
  };
  const [length4 = 0, length6 = 0, length = 0] = numbers(headNumbers);
  const [starts, highs, lows] = [numbers(length4), numbers(length6), numbers(length6)];
  const countries4 = new Uint8Array(buffer, at, length4);
  const countries6 = new Uint8Array(buffer, at + length4, length6);
  const places = readPlaces(Buffer.from(buffer, at + length4 + length6, length * 2));
  return (address) => {
    if (!address.includes(':'))
      return places[countries4[last4(starts, ipv4Number(address))] as number] ?? nowhere;
    const { high, low } = upperBits(address);
    return places[countries6[last6(highs, lows, high, low)] as number] ?? nowhere;
  };
}

function readPlaces(codes: Buffer): Place[] {
  const all = codes.toString('latin1').match(/../g) ?? [];
  return all.map((country) => (country === noCountry ? nowhere : { ...nowhere, country }));
}

/** The last of the sorted numbers that is at most this one; the first is 0. */
function last4(starts: Uint32Array, number: number): number {
  let from = 0;
  let to = starts.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((starts[middle] as number) <= number) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function last6(highs: Uint32Array, lows: Uint32Array, high: number, low: number): number {
  let from = 0;
  let to = highs.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = highs[middle] as number;
    if (found < high || (found === high && (lows[middle] as number) <= low)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
