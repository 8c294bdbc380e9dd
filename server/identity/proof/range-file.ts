import { isIP } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { JsonTooComplex, parseBoundedJson } from '../../text/bounded-json.ts';

/** No crawler uses more than this; wider ranges are a mistake or a trap (`0.0.0.0/0` confirms every address). */
const shortestPrefix = { 4: 8, 6: 20 } as const;
const maxRanges = 20_000;
const rangesPerTurn = 500;

/** Operators name the same thing differently; all but a few write `ipv4Prefix` and `ipv6Prefix`. */
const names = [
  'ipv4Prefix',
  'ipv6Prefix',
  'ip_prefix',
  'ipv6_prefix',
  'ip_address',
  'prefix',
  'cidr',
] as const;

const entry = z.union([
  z.string(),
  z.record(z.string(), z.unknown()).transform((fields, context) => {
    const name = names.find((candidate) => typeof fields[candidate] === 'string');
    if (name !== undefined) return String(fields[name]);
    context.addIssue({ code: 'custom', message: 'has no address' });
    return z.NEVER;
  }),
]);
const entries = z.array(entry).min(1).max(maxRanges);
const file = z.union([
  z.object({ prefixes: entries }).transform(({ prefixes }) => prefixes),
  z.object({ ips: entries }).transform(({ ips }) => ips),
  entries,
]);

/**
 * Reads what an operator publishes: JSON, or a page that shows this JSON (Amazon). One bad range makes the
 * whole file bad, as half a list would report the other half as spoofed.
 * @returns CIDR ranges, sorted and each once. @throws Error that says what is wrong
 */
export async function parseRangeFile(text: string): Promise<string[]> {
  const json = text.trimStart().startsWith('<') ? jsonInPage(text) : text;
  const value = await parseBoundedJson(json).catch((error) => {
    throw error instanceof JsonTooComplex ? error : new Error('It is not JSON.');
  });
  await nextTurn();
  const parsed = file.safeParse(value);
  if (!parsed.success) throw new Error(`It does not have the form of a list of 1 to ${maxRanges} ranges.`);
  return await parseRanges(parsed.data);
}

/** @returns sorted and each once. @throws Error if one is not a plausible range */
export async function parseRanges(texts: readonly string[]): Promise<string[]> {
  const ranges = new Set<string>();
  for (const [at, text] of texts.entries()) {
    if (at % rangesPerTurn === 0) await nextTurn();
    ranges.add(parseRange(text));
  }
  await nextTurn();
  return [...ranges].sort();
}

/** @throws Error if this is not a plausible range */
export function parseRange(text: string): string {
  const [address = '', length, ...rest] = text.trim().split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  const bits = version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (
    (version !== 4 && version !== 6) ||
    rest.length > 0 ||
    !/^\d{1,3}$/.test(length ?? '0') ||
    prefix > bits
  ) {
    throw new Error(`"${text.slice(0, 60)}" in it is not an IP range.`);
  }
  if (prefix < shortestPrefix[version])
    throw new Error(`"${text}" in it is far too wide to belong to one client.`);
  const spelled = `${ipaddr.parse(address).toString()}/${prefix}`;
  const network =
    version === 4 ? ipaddr.IPv4.networkAddressFromCIDR(spelled) : ipaddr.IPv6.networkAddressFromCIDR(spelled);
  return `${network.toString()}/${prefix}`;
}

/** How many addresses there are in the ranges, by IP version. */
export function addressSpace(ranges: readonly string[]): { ipv4: number; ipv6: number } {
  const space = { ipv4: 0, ipv6: 0 };
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    if (isIP(address) === 4) space.ipv4 += 2 ** (32 - Number(length));
    else space.ipv6 += 2 ** (128 - Number(length));
  }
  return space;
}

/** The object around `"prefixes": [...]` in the text of a page. */
function jsonInPage(page: string): string {
  const text = page
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:nbsp|#160);/gi, ' ');
  const at = text.indexOf('"prefixes"');
  const from = text.lastIndexOf('{', at);
  const to = text.indexOf(']', at);
  if (at < 0 || from < 0 || to < 0) throw new Error('It is a page that shows no list of ranges.');
  return `${text.slice(from, to + 1)}}`;
}
