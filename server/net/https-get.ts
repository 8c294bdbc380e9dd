import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { DnsResolver } from './dns-resolver.ts';
import { isMetadataAddress, isMetadataName } from './metadata.ts';

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
}

export interface HttpsAnswer extends Answered {
  body: string;
}

interface HttpsBytesAnswer extends Answered {
  bytes: Buffer;
}

interface HttpsGetOptions {
  headers?: Record<string, string>;
  /** For everything together: name look-up, handshake, redirects and body. */
  timeoutMs: number;
  maxBytes: number;
  /** 0 if left out: a redirect is an answer like any other. */
  maxRedirects?: number;
  signal?: AbortSignal;
}

interface HttpsBytesOptions extends HttpsGetOptions {
  /** What comes after `maxBytes` is left out; otherwise more is an error. */
  isCut?: boolean;
  /** The body may be packed and stays so; otherwise that is an error. */
  mayBePacked?: boolean;
}

/** @throws Error that says in a sentence why there is no answer. */
export type HttpsGet = (url: string, options: HttpsGetOptions) => Promise<HttpsAnswer>;

/** @throws Error that says in a sentence why there is no answer. */
export type HttpsGetBytes = (url: string, options: HttpsBytesOptions) => Promise<HttpsBytesAnswer>;

export interface HttpsGetSettings {
  /** `any` also reaches private addresses and other ports: for tests only, as anybody may name a host here. */
  reach?: 'public' | 'any';
  /** Certificate authorities (PEM) to trust in place of the usual ones. */
  ca?: string;
  /**
   * Names are asked for over the network, not by dns.lookup, which takes one of the process's few threads for as
   * long as a stranger's name server likes.
   */
  resolver?: Pick<DnsResolver, 'resolve4' | 'resolve6'>;
}

/** `createHttpsGetBytes` for texts in UTF-8. */
export function createHttpsGet(settings: HttpsGetSettings = {}): HttpsGet {
  const get = createHttpsGetBytes(settings);
  return async (address, options) => {
    const { bytes, ...answer } = await get(address, options);
    return { ...answer, body: bytes.toString('utf8') };
  };
}

/**
 * A GET over https to hosts that strangers may name. The address that a name resolves to is judged inside the
 * connection's own look-up, so that a name which answers differently the second time (DNS rebinding) gains nothing.
 */
export function createHttpsGetBytes({
  reach = 'public',
  ca,
  resolver = new Resolver(),
}: HttpsGetSettings = {}): HttpsGetBytes {
  const lookup = lookupThatRefuses(resolver, reach);
  return async function get(address, { maxRedirects = 0, timeoutMs, signal, ...options }) {
    const url = readAddress(address, reach);
    const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    const request = { ...options, lookup, signal: AbortSignal.any(signals), ...(ca ? { ca } : {}) };
    let answer = await getOnce(url, request);
    for (let hop = 0, from = url; hop < maxRedirects; hop++) {
      const next = redirectOf(answer, from);
      if (!next) break;
      from = readAddress(next, reach);
      answer = await getOnce(from, request);
    }
    return answer;
  };
}

/** All of IPv6 that is given out: https://www.iana.org/assignments/ipv6-address-space */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether the open internet is there: not private, loopback, link-local or otherwise set aside (RFC 6890). */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || isMetadataAddress(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast)) return false;
  return parsed.range() === 'unicast';
}

function readAddress(address: string, reach: 'public' | 'any'): URL {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:') throw new Error(`"${address}" is not an https address.`);
  if (reach === 'any') return url;
  // A name without a dot is one of the local network.
  const isAddress = isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (url.port !== '' || isAddress || !url.hostname.includes('.') || isMetadataName(url.hostname)) {
    throw new Error(
      `${url.host} is not a public host name on the usual port, so nothing is fetched from it.`,
    );
  }
  return url;
}

function redirectOf(answer: Answered, from: URL): string | undefined {
  const { location } = answer.headers;
  if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return undefined;
  return URL.parse(location, from)?.href;
}

type AddressResolver = NonNullable<HttpsGetSettings['resolver']>;

function lookupThatRefuses(resolver: AddressResolver, reach: 'public' | 'any'): LookupFunction {
  return (host, options, done) => {
    addressesOf(host, resolver).then(
      (found) => {
        const usable = reach === 'any' ? found : found.filter(({ address }) => isPublicAddress(address));
        const [first] = usable;
        if (!first) done(new Error(`${host} has no public address.`), '');
        else if (options.all) done(null, usable);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

async function addressesOf(host: string, resolver: AddressResolver): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ];
}

interface OnceOptions extends Pick<HttpsBytesOptions, 'headers' | 'maxBytes' | 'isCut' | 'mayBePacked'> {
  lookup: LookupFunction;
  signal: AbortSignal;
  ca?: string;
}

function getOnce(
  url: URL,
  { headers, maxBytes, isCut = false, mayBePacked = false, ...options }: OnceOptions,
): Promise<HttpsBytesAnswer> {
  // With it comes all of TLS, a tenth of a start.
  const https = process.getBuiltinModule('node:https');
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explained(error, url, options.signal));
    // No agent: a pooled connection would skip the look-up.
    const request = https.get(url, {
      ...options,
      agent: false,
      headers: { 'user-agent': 'Headcount', 'accept-encoding': 'identity', ...headers },
    });
    request.on('error', fail);
    request.on('response', (response) => {
      readBody(response, { maxBytes, isCut, mayBePacked }).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }),
        (error: Error) => {
          request.destroy();
          fail(error);
        },
      );
    });
  });
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, isCut, mayBePacked }: Required<Pick<HttpsBytesOptions, 'maxBytes' | 'isCut' | 'mayBePacked'>>,
): Promise<Buffer> {
  // Nothing is unpacked here: a few packed bytes can stand for gigabytes.
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && !mayBePacked)
    throw new Error(`It answered packed (${encoding}), which was not asked for.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes && !isCut) throw new Error(`It answered with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
    // Leaving the loop ends the connection.
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

function explained(error: Error, url: URL, signal: AbortSignal): Error {
  const timedOut = signal.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  const reason = timedOut ? 'It took too long.' : error.message;
  return new Error(`${url.host} could not be read: ${reason}`, { cause: error });
}
