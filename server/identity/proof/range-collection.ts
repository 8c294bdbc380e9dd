import { z } from 'zod';
import { parseBoundedJson } from '../../text/bounded-json.ts';
import { parseRanges } from './range-file.ts';

/** A public collection (CC0-1.0) of operators' lists, used when an operator's own file is unavailable. */
export const collectionUrl = 'https://raw.githubusercontent.com/ipverse/bot-ip-blocks/master/crawlers.json';

const service = z.object({
  source_url: z.string(),
  last_changed_at: z.iso.datetime(),
  /** False: the addresses of a whole network, where others live too. */
  ip_list_authoritative: z.boolean(),
  ipv4: z.array(z.string()),
  ipv6: z.array(z.string()),
});
const collection = z.object({ services: z.record(z.string(), service) });

export interface RangeCollection {
  /** When anything in it last changed: since then at the latest it has been looked after. */
  asOf: string;
  /** CIDR ranges by the address of the operator's own file. */
  rangesBySource: ReadonlyMap<string, string[]>;
}

/** @throws Error that says what is wrong */
export async function parseCollection(text: string): Promise<RangeCollection> {
  const services = Object.values(collection.parse(await parseBoundedJson(text)).services);
  const usable = services.filter(
    (entry) => entry.ip_list_authoritative && entry.ipv4.length + entry.ipv6.length > 0,
  );
  const newest = Math.max(0, ...services.map((entry) => Date.parse(entry.last_changed_at)));
  const rangesBySource = new Map<string, string[]>();
  for (const { source_url, ipv4, ipv6 } of usable) {
    rangesBySource.set(source_url, await parseRanges([...ipv4, ...ipv6]));
  }
  return { asOf: new Date(newest).toISOString(), rangesBySource };
}
