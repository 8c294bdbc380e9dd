import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import { memoize } from '../memo.ts';
import { isLocalAddress, parseAddress } from '../net/address.ts';

/** How many proxies and hosts the log names at most; requests can be made up. */
const maxNamed = 3;
/** Public addresses that are watched for being a proxy, and the visitors that make one. */
const maxSuspects = 100;
const visitorsOfProxy = 10;

interface Parts {
  config: Pick<Config, 'baseUrl' | 'isBaseUrlGiven' | 'trustedProxies'>;
  log: Log;
}

type Cause = 'proxy' | 'scheme' | 'host';

/** Warns the operator, once for each cause, where requests do not arrive as the settings say. */
export class SetupNotice {
  readonly #parts: Parts;
  readonly #isTrusted: (peer: string) => boolean;
  readonly #named: Record<Cause, Set<string>> = { proxy: new Set(), scheme: new Set(), host: new Set() };
  readonly #suspects = new Map<string, Set<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#isTrusted = memoize((peer) => parts.config.trustedProxies(parseAddress(peer) ?? peer), 1000);
  }

  /** For each forwarded request: does it come from a proxy that is not trusted? */
  forwarded(peer: string, forwardedFor: string): void {
    if (this.#isTrusted(peer) || this.#isKnown('proxy', peer)) return;
    const address = parseAddress(peer) ?? peer;
    // The log names no visitor, and a client that sends the field itself is one.
    if (!isLocalAddress(address) && !this.#hasManyVisitors(peer, forwardedFor)) return;
    this.#warn(
      'proxy',
      peer,
      `Requests come from ${address} with X-Forwarded-For, but it is not among HEADCOUNT_TRUSTED_PROXIES, so all of them count as one visitor: if it is your proxy, add it there.`,
    );
  }

  /** For each request but hits. */
  request(req: IncomingMessage): void {
    const { headers, socket } = req;
    const peer = socket.remoteAddress ?? '';
    const forwardedFor = headers['x-forwarded-for'];
    if (typeof forwardedFor === 'string') this.forwarded(peer, forwardedFor);
    const { baseUrl, isBaseUrlGiven } = this.#parts.config;
    if (headers['x-forwarded-proto'] === 'https' && baseUrl.startsWith('http:') && this.#isTrusted(peer)) {
      this.#warn(
        'scheme',
        'https',
        `The proxy says that browsers use https, but HEADCOUNT_BASE_URL is ${this.#describeBaseUrl()}: set it to the https address, so that session cookies are Secure and links lead there.`,
      );
    }
    // Scanners ask for all kinds of hosts: where one is set, only requests of signed-in users count.
    if (!isBaseUrlGiven) this.#compareHost(headers.host);
  }

  /** For requests of signed-in users. */
  person({ headers, socket }: IncomingMessage): void {
    const forwarded = headers['x-forwarded-host'];
    const isForwarded = typeof forwarded === 'string' && this.#isTrusted(socket.remoteAddress ?? '');
    this.#compareHost(isForwarded ? forwarded.split(',')[0]?.trim() : headers.host);
  }

  #compareHost(host: string | undefined): void {
    const url = URL.parse(`http://${host}`);
    if (!url || !host || host.length > 255 || !/^[\w.:[\]-]+$/.test(host) || !isPublicName(url.hostname))
      return;
    if (url.hostname === new URL(this.#parts.config.baseUrl).hostname) return;
    this.#warn(
      'host',
      host,
      `Requests come for ${host}, but HEADCOUNT_BASE_URL is ${this.#describeBaseUrl()}: links, the lines to paste and cookies go by it.`,
    );
  }

  #describeBaseUrl(): string {
    const { baseUrl, isBaseUrlGiven } = this.#parts.config;
    return isBaseUrlGiven ? baseUrl : 'not set';
  }

  #hasManyVisitors(peer: string, forwardedFor: string): boolean {
    const visitors = this.#suspects.get(peer) ?? new Set();
    if (visitors.size === 0 && this.#suspects.size >= maxSuspects) this.#suspects.clear();
    this.#suspects.set(peer, visitors.add(forwardedFor.slice(0, 100)));
    return visitors.size >= visitorsOfProxy;
  }

  #isKnown(cause: Cause, what: string): boolean {
    const named = this.#named[cause];
    return named.has(what) || named.size >= maxNamed;
  }

  #warn(cause: Cause, what: string, message: string): void {
    if (this.#isKnown(cause, what)) return;
    this.#named[cause].add(what);
    this.#parts.log.warn(message);
  }
}

/** Not the machine itself, which a tunnel leads to, and no name that only a local network knows. */
function isPublicName(hostname: string): boolean {
  if (hostname.startsWith('[')) return hostname !== '[::1]';
  return hostname.includes('.') && !hostname.startsWith('127.') && hostname !== '0.0.0.0';
}
