import { type BatchReply, type HitBatch, hitBatch, type ReportedHit, reportedHit } from '../../shared/hit.ts';
import type { Context } from '../context.ts';
import { parseLanguage } from '../counting/language.ts';
import { ApiError } from '../errors.ts';
import { coveredProject } from '../http/authorize.ts';
import { parse } from '../http/parse.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { clientAddress, type IsTrusted, parseAddress, parseProxies, withoutPort } from '../net/address.ts';
import type { Hit } from './hit.ts';

type Rejected = BatchReply['dropped'][number];

/** What holds for all hits of a batch. */
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
  summary: 'Send up to 1,000 views that a server saw',
  description:
    '202 means counted for good. One bad hit does not spoil its batch: it stands among `dropped` as `invalid`.',
  body: { schema: hitBatch, maxBytes: maxBodyBytes, subject: 'The batch' },
  answers: {
    202: {
      says: 'How many were counted, and which were not',
      json: async () => (await import('../../shared/replies/hit.ts')).batchReply,
    },
  },
  refusals: ['forbidden', 'not_found', 'overloaded'],
  handle: countBatch,
});

async function countBatch(
  context: Context,
  { key, body: batch }: Call<'key', undefined, HitBatch>,
): Promise<BatchReply> {
  const terms: Terms = {
    projectId: await coveredProject(context, key, batch.project),
    leavesPeople: batch.people === 'skip',
    trustedProxies: readProxies(batch.trustedProxies),
  };
  const hits: Hit[] = [];
  const indexes: number[] = [];
  const dropped: Rejected[] = [];
  for (const [index, item] of batch.hits.entries()) {
    const hit = toHit(context, terms, item);
    if ('error' in hit) {
      context.ingest.fates.invalid++;
      dropped.push({ index, reason: 'invalid', error: hit.error });
    } else indexes[hits.push(hit) - 1] = index;
  }
  const outcomes = await context.ingest.receiveAll(hits);
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.dropped === undefined) continue;
    const { dropped: reason, ...rest } = outcome;
    dropped.push({ index: indexes[i] as number, reason, ...rest });
  }
  dropped.sort((a, b) => a.index - b.index);
  return { accepted: batch.hits.length - dropped.length, dropped };
}

/** @throws ApiError */
function readProxies(list: string | undefined): IsTrusted | undefined {
  try {
    return list === undefined ? undefined : parseProxies(list);
  } catch (error) {
    throw new ApiError('invalid', `trustedProxies cannot be used: ${(error as Error).message}`);
  }
}

function toHit(context: Context, terms: Terms, item: unknown): Hit | { error: string } {
  try {
    const report = parse<ReportedHit>(reportedHit, item, 'The hit');
    const headers = report.headers && lowerCaseNames(report.headers);
    const sender = findSender(report, headers ?? {}, terms.trustedProxies);
    if (sender === undefined) return { error: 'ip: must be an IPv4 or IPv6 address.' };
    return {
      ...sender,
      via: 'report',
      projectId: terms.projectId,
      leavesPeople: terms.leavesPeople,
      referrer: report.referrer ?? undefined,
      hashRoutes: false,
      userAgent: report.userAgent,
      language: parseLanguage(headers?.['accept-language']),
      at: report.at === undefined ? context.now() : Date.parse(report.at),
      headers,
      method: report.method,
    };
  } catch (error) {
    if (error instanceof ApiError) return { error: error.message };
    throw error;
  }
}

/** Who asked for which address, as far as those who passed it on may be believed. */
function findSender(
  { ip, url }: ReportedHit,
  headers: Record<string, string>,
  isTrusted: IsTrusted | undefined,
): Pick<Hit, 'address' | 'url'> | undefined {
  if (!isTrusted) return atAddress(parseAddress(ip), url);
  const peer = parseAddress(withoutPort(ip.trim()));
  if (peer === undefined || !isTrusted(peer)) return atAddress(peer, url);
  const told = (name: string) => /^[^\s,/?#@]+/.exec(headers[`x-forwarded-${name}`] ?? '')?.[0];
  // Path and query stay as they were sent, as they may be signed.
  const asked = url.replace(
    /^(https?):\/\/([^/?#]*)/i,
    (_, scheme: string, host: string) => `${told('proto') ?? scheme}://${told('host') ?? host}`,
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
