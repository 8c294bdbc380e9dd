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

type OnNetwork = (high: number, low: number, found: number) => void;

/** What the networks of at most so many bits below a node begin with, and where each leads to, in order. */
function forEachNetwork(tree: SearchTree, from: number, bits: 32 | 64, onNetwork: OnNetwork): void {
  const visit = (node: number, depth: number, high: number, low: number): void => {
    if (node >= tree.nodes || depth === bits) {
      onNetwork(high, low, tree.first(node));
      return;
    }
    visit(tree.next(node, 0), depth + 1, high, low);
    const bit = 2 ** (31 - (depth % 32));
    if (depth < 32) visit(tree.next(node, 1), depth + 1, high + bit, low);
    else visit(tree.next(node, 1), depth + 1, high, low + bit);
  };
  visit(from, 0, 0, 0);
}

function addressOf(high: number, low: number): string {
  const digits = [high, low].map((number) => number.toString(16).padStart(8, '0')).join('');
  return `${(digits.match(/.{4}/g) ?? []).join(':')}::`;
}

const addressOf4 = (number: number) => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');

function readRanges(bytes: Buffer): { ranges4: Range4[]; ranges6: Range6[] } {
  const reader = new Reader(bytes);
  const tree = new SearchTree(bytes, reader.metadata);
  const codes = new Map<number, string | null>([[tree.nodes, null]]);
  const countryOf = (found: number, address: () => string) => {
    if (!codes.has(found)) codes.set(found, codeOf(reader.get(address())));
    return codes.get(found) ?? null;
  };
  const ranges4: Range4[] = [];
  forEachNetwork(tree, tree.start4, 32, (start, _low, found) => {
    const country = countryOf(found, () => addressOf4(start));
    if (ranges4.at(-1)?.country !== country) ranges4.push({ start, country });
  });
  // The first network has IPv4 in it, and nothing of IPv6.
  const ranges6: Range6[] = [{ high: 0, low: 0, country: null }];
  forEachNetwork(tree, 0, 64, (high, low, found) => {
    if (high === 0 && low === 0) return;
    const country = countryOf(found, () => addressOf(high, low));
    if (ranges6.at(-1)?.country !== country) ranges6.push({ high, low, country });
  });
  return { ranges4, ranges6 };
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
