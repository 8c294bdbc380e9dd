import type { ReportedHit } from '../shared/hit.ts';
import { isPage } from './page.ts';

/** A request and what was answered, whichever framework handed them over. */
export interface Seen {
  method: string;
  /** Absolute. */
  url: string;
  /** By lower-case name; the values of a field that came several times joined by `, `. */
  headers: ReadonlyMap<string, string>;
  /** IP address of whoever connected; undefined: not known. */
  peer: string | undefined;
  /** Of the answer; undefined: not known. */
  status: number | undefined;
  type: string | null | undefined;
}

/** All that tells who it is, and nothing that opens anything. */
const telling =
  /^(accept|sec-.+|signature.*|x-(browser-agent|forwarded-(for|host|proto))|cf-brapi-request-id)$/;
const secret = /^(cookie|(proxy-)?authorization)$/;

/** A hit as JSON makes one: a date becomes its text, and what is undefined stays away. */
type Hit = { [Name in keyof ReportedHit]: unknown };

/**
 * @param addressHeader lower case
 * @returns undefined if nobody read a page
 * @throws Error if nobody tells who asked
 */
export function toHit(seen: Seen, addressHeader: string): Hit | undefined {
  const { method, url, headers, peer } = seen;
  const header = (name: string) => headers.get(name);
  if (!isPage(seen)) return undefined;
  // Its last entry was written by whoever called. The server goes on from there, as it knows who may be believed.
  const ip = header(addressHeader)?.split(',').pop() ?? peer;
  if (!ip) throw new Error('no address, set addressHeader');
  return {
    url,
    method,
    ip,
    userAgent: header('user-agent') ?? '',
    referrer: header('referer'),
    at: new Date(),
    headers: Object.fromEntries(
      [...headers].filter(
        // Whoever signs names the fields that are signed (RFC 9421, section 4.1).
        ([name]) =>
          !secret.test(name) && (telling.test(name) || header('signature-input')?.includes(`"${name}"`)),
      ),
    ),
  };
}
