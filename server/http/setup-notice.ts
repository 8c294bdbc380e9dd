import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import { memoize } from '../memo.ts';
import { isLocalAddress, parseAddress } from '../net/address.ts';

/** How many proxies and hosts the log names at most; requests can be made up. */
const maxTold = 3;
/** Public addresses that are watched for being a proxy, and the visitors that make one. */
const maxSuspects = 100;
const visitorsOfProxy = 10;

interface Parts {
  config: Pick<Config, 'baseUrl' | 'isBaseUrlGiven' | 'trustedProxies'>;
  log: Log;
}

type Cause = 'proxy' | 'scheme' | 'host';

/** Tells the operator, once for each cause, where requests come in another way than the settings say. */
export class SetupNotice {
  readonly #parts: Parts;
  readonly #isTrusted: (peer: string) => boolean;
  readonly #told: Record<Cause, Set<string>> = { proxy: new Set(), scheme: new Set(), host: new Set() };
  readonly #suspects = new Map<string, Set<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#isTrusted = memoize((peer) => parts.config.trustedProxies(parseAddress(peer) ?? peer), 1000);
  }

  /** For each request that was passed on by somebody: is it a proxy that nobody trusts? */
  forwarded(peer: string, forwardedFor: string): void {
    if (this.#isTrusted(peer) || this.#isTold('proxy', peer)) return;
    const address = parseAddress(peer) ?? peer;
    // The log names no visitor, and whoever sends the field himself is one.
    if (!isLocalAddress(address) && !this.#hasManyVisitors(peer, forwardedFor)) return;
    this.#tell(
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
      this.#tell(
        'scheme',
        'https',
        `The proxy tells that browsers use https, but HEADCOUNT_BASE_URL is ${this.#describeBaseUrl()}: set it to the https address, so that session cookies are Secure and links lead there.`,
      );
    }
    // Scanners ask for all kinds of hosts: where one is set, somebody has to be signed in.
    if (!isBaseUrlGiven) this.#compareHost(headers.host);
  }

  /** For requests of somebody who is signed in. */
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
    this.#tell(
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

  #isTold(cause: Cause, what: string): boolean {
    const told = this.#told[cause];
    return told.has(what) || told.size >= maxTold;
  }

  #tell(cause: Cause, what: string, message: string): void {
    if (this.#isTold(cause, what)) return;
    this.#told[cause].add(what);
    this.#parts.log.warn(message);
  }
}

/** Not the machine itself, which a tunnel leads to, and no name that only a local network knows. */
function isPublicName(hostname: string): boolean {
  if (hostname.startsWith('[')) return hostname !== '[::1]';
  return hostname.includes('.') && !hostname.startsWith('127.') && hostname !== '0.0.0.0';
}
