import type { z } from 'zod';
import { findPrivateAddress } from '../../net/reach.ts';
import { boundJson } from '../../text/bounded-json.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { redactTokens } from '../text/redaction.ts';
import { ForgeRefusal, refuse } from './refusal.ts';

export type Fetch = typeof globalThis.fetch;

export interface CallOptions {
  fetch: Fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  signal: Signal;
}

/** Ends a request early. */
export type Signal = AbortSignal | undefined;

/** What a code host needs to know of a request, and what to call the host. */
export interface Host {
  /** The API's address, without a trailing slash. */
  url: string;
  permission: string;
}

const timeoutMs = 30_000;
const maxBytes = 8_000_000;

/**
 * A fetch that ends in time, reads a bounded answer, and follows no redirect: those would take the token elsewhere, or
 * turn a POST into a GET. Nothing is tried twice: the queue does that, with pauses and after looking.
 */
export function boundFetch({ fetch, signal }: Pick<CallOptions, 'fetch' | 'signal'>): Fetch {
  return async (input, init) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await fetch(input, {
      ...init,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const body = await readBounded(response);
    await boundJson(body.toString('latin1'));
    const { status, statusText, headers } = response;
    return new Response([204, 205, 304].includes(status) ? null : body, { status, statusText, headers });
  };
}

/** @throws Error where it is too large */
export async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('The answer was too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Unsigned {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Below the API's address, with a leading slash. */
  path: string;
  body?: unknown;
  /** The code host may answer with another address of the same API, which is then asked in its place. */
  sentOn?: boolean;
}

export interface JsonRequest extends Unsigned {
  headers: Record<string, string>;
}

/** Signs a request and sends it. @throws ForgeRefusal, or the reason of the signal */
export type Ask = (request: Unsigned, signal: Signal) => Promise<unknown>;

/** The API of one code host, signed in to. */
export class Client {
  readonly ask: Ask;
  readonly #host: Host;

  constructor(host: Host, ask: Ask) {
    this.#host = host;
    this.ask = ask;
  }

  async get<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    signal: Signal,
    sentOn = false,
  ): Promise<z.output<Schema>> {
    return this.parse(schema, await this.ask({ method: 'GET', path, sentOn }, signal));
  }

  /** Undefined: there is no such thing. */
  async find<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    signal: Signal,
  ): Promise<z.output<Schema> | undefined> {
    try {
      return await this.get(schema, path, signal);
    } catch (error) {
      if (error instanceof ForgeRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  async send(method: Unsigned['method'], path: string, body: unknown, signal: Signal): Promise<unknown> {
    return await this.ask({ method, path, body }, signal);
  }

  parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#host);
  }
}

/** A path with its query. */
export function withQuery(path: string, query: Readonly<Record<string, string | number>>): string {
  const fields = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${path}?${new URLSearchParams(fields)}`;
}

/** Of a code host where every request is signed in the same way. */
export function clientWith(
  options: Omit<CallOptions, 'signal'>,
  host: Host,
  headers: Record<string, string>,
): Client {
  return new Client(host, (request, signal) =>
    callJson({ ...options, signal }, host, { ...request, headers }),
  );
}

/** One request of JSON for JSON. @throws ForgeRefusal, or the reason of the signal */
export async function callJson(options: CallOptions, host: Host, request: JsonRequest): Promise<unknown> {
  const response = await send(options, host, request);
  const text = await response.text();
  const { status, headers } = response;
  if (status < 300) return parseJson(text, host);
  const path = request.sentOn ? pathWithin(host, headers.get('location')) : undefined;
  if (path !== undefined) return await callJson(options, host, { ...request, path, sentOn: false });
  const message = redactTokens(messageOf(text, headers), secretsIn(request));
  throw refuse({ status, headers, message, now: options.now() }, host);
}

/** Whole, and what a Basic header is made of. */
function secretsIn({ headers }: JsonRequest): string[] {
  const signedIn = [headers.authorization, headers['private-token']].filter((value) => value !== undefined);
  const values = signedIn.map((value) => value.replace(/^\S+ /, ''));
  const pairs = values.map((value) => Buffer.from(value, 'base64').toString());
  const passwords = pairs.flatMap((pair) => /^[^:\s]+:(.+)$/.exec(pair)?.[1] ?? []);
  return [...values, ...passwords];
}

function pathWithin({ url }: Host, location: string | null): string | undefined {
  const address = location === null ? undefined : URL.parse(location, url)?.href;
  return address?.startsWith(`${url}/`) ? address.slice(url.length) : undefined;
}

async function send(
  options: CallOptions,
  host: Host,
  { method, path, headers, body }: JsonRequest,
): Promise<Response> {
  try {
    return await boundFetch(options)(`${host.url}${path}`, {
      method,
      headers: { accept: 'application/json', 'user-agent': 'headcount', ...headers, ...contentType(body) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw brokenOff(error, host, options.now());
  }
}

function contentType(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

/**
 * The innermost cause says why, such as ECONNREFUSED; none of them holds headers.
 * @throws JobFailure private_network
 */
function brokenOff(error: unknown, host: Host, now: number): ForgeRefusal {
  throwIfPrivate(error, host.url);
  const code = codeOf(error);
  if (isOfCertificate(code)) throw badCertificate(host.url, code);
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const message = cause instanceof Error ? cause.message : '';
  return refuse({ status: undefined, headers: new Headers(), message, now }, host);
}

function parseJson(text: string, host: Host): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(host);
  }
}

/** @throws JobFailure server_error for what the API does not answer */
function parseReply<Schema extends z.ZodType>(schema: Schema, data: unknown, host: Host): z.output<Schema> {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw unexpected(host);
  return parsed.data;
}

/** Something between us and the code host may have answered in its place. */
function unexpected(host: Host): JobFailure {
  return new JobFailure(
    'server_error',
    `${host.url} gave an answer that is not one of its API: if this goes on, check the code host and the address of its API ${inSettings('--forge and --forge-url')}.`,
  );
}

/** Error bodies of all code hosts, flattened: texts are what people can act on. */
function messageOf(text: string, headers: Headers): string {
  if (!headers.get('content-type')?.includes('json')) return '';
  try {
    return flatten(JSON.parse(text));
  } catch {
    return '';
  }
}

/** `{"message": "…", "errors": [{"field": "head", "code": "invalid"}]}` becomes words in order. */
function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(flatten).filter(Boolean).join(', ');
  if (value === null || typeof value !== 'object') return '';
  const given = Object.entries(value).filter(
    ([key]) => !/^(?:documentation_url|url|status|resource|type)$/.test(key),
  );
  return given
    .map(([key, item]) =>
      /^(?:message|errors?|code|fields?)$/.test(key) ? flatten(item) : `${key} ${flatten(item)}`,
    )
    .filter(Boolean)
    .join(' ');
}

/** Of what lies at the bottom of an error; '' where it has none. */
export function codeOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
export function isOfCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|ALTNAME|^CRL_/.test(code);
}

export function badCertificate(url: string, code: string): JobFailure {
  return new JobFailure(
    'certificate',
    `The certificate of ${url} could not be checked (${code}): renew it, or name your own authority with NODE_EXTRA_CA_CERTS, and for git with GIT_SSL_CAINFO.`,
  );
}

/** @throws JobFailure private_network */
export function throwIfPrivate(error: unknown, url: string): void {
  if (!findPrivateAddress(error)) return;
  throw new JobFailure(
    'private_network',
    `${url} is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS, or correct the address ${inSettings('--forge-url or --repository')}.`,
  );
}
