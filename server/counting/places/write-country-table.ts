/**
 * Makes the table of countries that comes with Headcount, of a database from the npm registry:
 *
 *   node server/counting/places/write-country-table.ts <file>
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Reader } from 'mmdb-lib';
import { encodeCountryTable, type Range4, type Range6 } from './country-table.ts';
import { SearchTree } from './search-tree.ts';

const source = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** Where an address of 128 bits leads to, from this one on. */
interface Leaf {
  start: bigint;
  found: number;
}

function* leavesOf(tree: SearchTree, node = 0, start = 0n, depth = 0): Generator<Leaf> {
  if (node >= tree.nodes) {
    yield { start, found: node };
    return;
  }
  yield* leavesOf(tree, tree.next(node, 0), start, depth + 1);
  yield* leavesOf(tree, tree.next(node, 1), start + (1n << BigInt(127 - depth)), depth + 1);
}

function addressOf(start: bigint): string {
  const digits = start.toString(16).padStart(32, '0');
  return (digits.match(/.{4}/g) ?? []).join(':');
}

const ipv4End = 1n << 32n;
const hostBits = (1n << 64n) - 1n;

function readRanges(bytes: Buffer): { ranges4: Range4[]; ranges6: Range6[] } {
  const reader = new Reader(bytes);
  const tree = new SearchTree(bytes, reader.metadata);
  const codes = new Map<number, string | null>([[tree.nodes, null]]);
  const ranges4: Range4[] = [];
  const ranges6: Range6[] = [];
  for (const { start, found } of leavesOf(tree)) {
    if (!codes.has(found)) codes.set(found, codeOf(reader.get(addressOf(start))));
    const country = codes.get(found) ?? null;
    if (start < ipv4End) {
      if (ranges4.at(-1)?.country !== country) ranges4.push({ start: Number(start), country });
    } else if ((start & hostBits) === 0n) {
      // What is not the beginning of a network of 64 bits is a part of one.
      if (ranges6.at(-1)?.country === country) continue;
      ranges6.push({ high: Number(start >> 96n), low: Number((start >> 64n) & 0xffff_ffffn), country });
    }
  }
  return { ranges4, ranges6: [{ high: 0, low: 0, country: null }, ...ranges6] };
}

function codeOf(known: unknown): string | null {
  const { country_code: code } = known as { country_code?: string };
  return code && /^[A-Z]{2}$/.test(code) ? code : null;
}

const bytes = readFileSync(createRequire(import.meta.url).resolve(source));
const { ranges4, ranges6 } = readRanges(bytes);
const file = String(process.argv[2]);
writeFileSync(`${file}.new`, encodeCountryTable(ranges4, ranges6));
// A server that runs has the one before open.
renameSync(`${file}.new`, file);
