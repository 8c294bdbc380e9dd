import { createHmac, hash } from 'node:crypto';
import type { Request } from 'express';
import {
  type BatchReply,
  batchReply,
  type HitBatch,
  hitBatch,
  type ReportedHit,
  reportedHit,
} from '../../../shared/hit.ts';
import type { Context } from '../../context.ts';
import { parseLanguage } from '../../counting/visitor/visitor.ts';
import { ApiError } from '../../errors.ts';
import { coveredProject } from '../../http/authorize.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { parse } from '../../http/parse.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import { clientAddress, type IsTrusted, parseAddress, parseProxies, withoutPort } from '../../net/address.ts';
import type { Idempotency } from '../../store/page.ts';
import type { Hit, InvalidHit } from '../hit/hit.ts';

/** The common fields of all hits of a batch. */
interface Terms {
  projectId: string;
  leavesPeople: boolean;
  trustedProxies: IsTrusted | undefined;
}

/** 1,000 hits of some 4 KB each. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Views that a site's own server saw, each with the address, user agent and time it states. */
export const batchRoute: Route = route({
  name: 'hits.batch',
  method: 'POST',
  path: '/v1/hits',
  access: 'key',
  scope: 'ingest',
  summary: 'Send up to 1,000 views that a server saw',
  description:
    '202 means counted for good. One bad hit does not spoil its batch: it is listed in `dropped` as `invalid`.',
  headers: {
    'Idempotency-Key':
      'Makes it safe to send it again within 24 hours: the same key and batch count once, and get the first answer.',
  },
  body: { schema: hitBatch, maxBytes: maxBodyBytes, subject: 'The batch' },
  answers: {
    202: {
      says: 'How many were counted, and which were not',
      json: batchReply,
    },
  },
  refusals: ['forbidden', 'not_found', 'overloaded'],
  handle: countBatch,
});

async function countBatch(
  context: Context,
  { key, body: batch, req }: Call<'key', undefined, HitBatch>,
): Promise<BatchReply> {
  const terms: Terms = {
    projectId: await coveredProject(context, key, batch.project),
    leavesPeople: batch.people === 'skip',
    trustedProxies: readProxies(batch.trustedProxies),
  };
  const dropped = await context.ingest.receiveBatch({
    projectId: terms.projectId,
    hits: batch.hits.map((item) => toHit(context, terms, item)),
    idempotency: readIdempotency(req, batch),
  });
  return { accepted: batch.hits.length - dropped.length, dropped };
}

/** Keyed hashes, as a batch has personal data: the key is not kept, so that no guess can be checked against them. */
function readIdempotency(req: Request, batch: HitBatch): Idempotency | null {
  const key = readIdempotencyKey(req);
  if (key === null) return null;
  const requestHash = createHmac('sha256', key).update(JSON.stringify(batch)).digest('base64url');
  return { key: hash('sha256', key, 'base64url'), requestHash };
}

/** @throws ApiError */
function readProxies(list: string | undefined): IsTrusted | undefined {
  try {
    return list === undefined ? undefined : parseProxies(list);
  } catch (error) {
    throw new ApiError('invalid', `trustedProxies cannot be used: ${(error as Error).message}`);
  }
}

function toHit(context: Context, terms: Terms, item: unknown): Hit | InvalidHit {
  try {
    const report = parse<ReportedHit>(reportedHit, item, 'The hit');
    const headers = report.headers && lowerCaseNames(report.headers);
    const sender = findSender(report, headers ?? {}, terms.trustedProxies);
    if (sender === undefined) return invalid('ip: must be an IPv4 or IPv6 address.');
    return {
      ...sender,
      via: 'report',
      projectId: terms.projectId,
      // Only views are left to the script, which does not report these.
      leavesPeople: terms.leavesPeople && report.event === undefined,
      referrer: report.referrer ?? undefined,
      hashRoutes: false,
      userAgent: report.userAgent,
      language: parseLanguage(headers?.['accept-language']),
      at: report.at === undefined ? context.now() : Date.parse(report.at),
      headers,
      method: report.method,
      status: report.status,
      type: report.type,
      bytes: report.bytes,
      event: report.event,
    };
  } catch (error) {
    if (error instanceof ApiError) return invalid(error.message);
    throw error;
  }
}

function invalid(error: string): InvalidHit {
  return { dropped: 'invalid', error };
}

/** The sender and the address of the request, by the headers of trusted proxies. */
function findSender(
  { ip, url }: ReportedHit,
  headers: Record<string, string>,
  isTrusted: IsTrusted | undefined,
): Pick<Hit, 'address' | 'url'> | undefined {
  if (!isTrusted) return atAddress(parseAddress(ip), url);
  const peer = parseAddress(withoutPort(ip.trim()));
  if (peer === undefined || !isTrusted(peer)) return atAddress(peer, url);
  const forwarded = (name: string) => /^[^\s,/?#@]+/.exec(headers[`x-forwarded-${name}`] ?? '')?.[0];
  // Path and query stay as they were sent, as they may be signed.
  const asked = url.replace(
    /^(https?):\/\/([^/?#]*)/i,
    (_, scheme: string, host: string) => `${forwarded('proto') ?? scheme}://${forwarded('host') ?? host}`,
  );
  return atAddress(clientAddress(peer, headers['x-forwarded-for'], isTrusted), asked);
}

function atAddress(address: string | undefined, url: string): Pick<Hit, 'address' | 'url'> | undefined {
  return address === undefined ? undefined : { address, url };
}

/** Field names are case-insensitive (RFC 9110, section 5.1). */
function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
