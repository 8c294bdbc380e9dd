import type { ReportedHit } from '../shared/hit.ts';
import type { Exchange } from './exchange.ts';
import { isPage, isTold } from './page.ts';
import { createPost } from './post.ts';
import { createSender, type Sender, type WaitUntil } from './sender.ts';
import type { Options } from './types/options.d.ts';

type Known = Options & { filter?: unknown };

/** The pattern of each option, as `<type> <value>` (`u` is undefined), and an example. */
const rules: Record<keyof Known, readonly [RegExp, string]> = {
  server: [/^string https?:\/\/[^?#\s]+$/, 'https://count.example.com'],
  key: [/^string hc_(ingest|admin)_/, 'hc_ingest_…'],
  project: [/^(u|string)/, '7kq2m9'],
  countPeople: [/^(u|b)/, 'true'],
  trustedProxies: [/^(u|string [\w\s,.:/]+$)/, 'loopback,10.0.0.0/8'],
  addressHeader: [/^(u|string [\w-]+$)/, 'cf-connecting-ip'],
  filter: [/^(u|f)/, '() => true'],
  log: [/^(u|f)/, 'console.warn'],
};

function check(options: Known): void {
  for (const name of Object.keys({ ...rules, ...options })) {
    const [pattern, example] = rules[name as keyof Known] ?? [];
    const value = options[name as keyof Known];
    if (!pattern) throw Error(`There is no option ${name}.`);
    // Never with the value, as it may be a key.
    if (!pattern.test(`${typeof value} ${value}`)) throw Error(`${name} must be like ${example}`);
  }
}

export interface Reporter extends Pick<Sender, 'flush'> {
  /** Reports what `read` answers, if that was a page and the filter lets it pass. Never throws. */
  report(read: () => Exchange, passes: () => boolean | undefined, waitUntil?: WaitUntil): void;
}

/** @throws Error with a sentence for the person who sets it up */
export function prepare(options: Known): Reporter {
  check(options);
  const { addressHeader = '' } = options;
  // biome-ignore lint/suspicious/noConsole: where warnings go when the site names no log of its own
  const { log: warn = (message: string) => console.warn(message) } = options;
  const log = (message: string) => {
    try {
      warn(message);
    } catch {
      // The site goes on, whatever its log does.
    }
  };
  const { add, flush } = createSender(createPost(options), log);
  let warnOnce: typeof log | undefined = log;
  return {
    flush,
    report(read, passes, waitUntil) {
      try {
        const hit = toHit(read(), addressHeader.toLowerCase());
        if (hit && passes() !== false) add(hit, waitUntil);
      } catch (error) {
        warnOnce?.(`Headcount cannot report a view: ${error}`);
        warnOnce = undefined;
      }
    },
  };
}

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
function toHit(exchange: Exchange, addressHeader: string): Hit | undefined {
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
