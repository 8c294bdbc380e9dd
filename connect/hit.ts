import type { ReportedHit } from '../shared/hit.ts';
import type { Exchange } from './exchange.ts';
import { isPage, isTold } from './page.ts';

/** The headers that tell who it is and which language, and none that is a credential. */
const identifying =
  /^(accept(-language)?|(sec-|signature).*|x-(browser-agent|forwarded-(for|host|proto))|cf-brapi-request-id)$/;
const secret = /^(cookie|(proxy-)?authorization)$/;

/** A hit before JSON: a date becomes its text, and what is undefined is left out. */
type Hit = { [Name in keyof ReportedHit]: unknown };

/**
 * @param addressHeader lower case
 * @returns undefined if it was no page that somebody read, nor what a program did not get
 * @throws Error if the visitor's IP address is not known
 */
export function toHit(exchange: Exchange, addressHeader: string): Hit | undefined {
  const { method, url, headers, peer, status, type, bytes } = exchange;
  const header = (name: string) => headers.get(name);
  if (!isPage(exchange) && !isTold(exchange)) return undefined;
  // Its last entry was written by the peer. The server goes on from there, as it knows which proxies are trusted.
  const ip = header(addressHeader)?.split(',').pop() ?? peer;
  if (!ip) throw Error('no IP address, set addressHeader');
  return {
    url,
    method,
    ip,
    userAgent: header('user-agent') ?? '',
    referrer: header('referer'),
    at: new Date(),
    status,
    type: type || undefined,
    // Not sent in answer to HEAD, nor to who has it already.
    bytes: status === 200 && method === 'GET' && bytes >= 0 ? bytes : undefined,
    headers: Object.fromEntries(
      [...headers].filter(
        // A signature names the fields that it covers (RFC 9421, section 4.1).
        ([name]) =>
          !secret.test(name) && (identifying.test(name) || header('signature-input')?.includes(`"${name}"`)),
      ),
    ),
  };
}
