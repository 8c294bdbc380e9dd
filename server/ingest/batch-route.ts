import type { Request, Response } from 'express';
import { type BatchReply, hitBatch, type ReportedHit, reportedHit } from '../../shared/hit.ts';
import { parseAddress } from '../address.ts';
import { coveredProject } from '../authorize.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../parse.ts';
import type { Hit } from './hit.ts';

type Rejected = BatchReply['dropped'][number];

/** `POST /v1/hits`: views that a site's own server saw, each with the address, user agent and time it states. */
export async function handleBatch(context: Context, req: Request, res: Response): Promise<void> {
  const batch = parse(hitBatch, req.body, 'The batch');
  const projectId = coveredProject(context, req, batch.project);
  const hits: Hit[] = [];
  const indexes: number[] = [];
  const dropped: Rejected[] = [];
  for (const [index, item] of batch.hits.entries()) {
    const hit = toHit(context, projectId, item);
    if ('error' in hit) dropped.push({ index, reason: 'invalid', error: hit.error });
    else indexes[hits.push(hit) - 1] = index;
  }
  const outcomes = await context.ingest.receiveAll(hits);
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.dropped === undefined) continue;
    const { dropped: reason, ...rest } = outcome;
    dropped.push({ index: indexes[i] as number, reason, ...rest });
  }
  dropped.sort((a, b) => a.index - b.index);
  res.status(202).json({ accepted: batch.hits.length - dropped.length, dropped } satisfies BatchReply);
}

function toHit(context: Context, projectId: string, item: unknown): Hit | { error: string } {
  try {
    const report = parse<ReportedHit>(reportedHit, item, 'The hit');
    const address = parseAddress(report.ip);
    if (address === undefined) return { error: 'ip: must be an IPv4 or IPv6 address.' };
    return {
      via: 'report',
      projectId,
      url: report.url,
      referrer: report.referrer ?? undefined,
      hashRoutes: false,
      address,
      userAgent: report.userAgent,
      at: report.at === undefined ? context.now() : Date.parse(report.at),
      headers: report.headers && lowerCaseNames(report.headers),
      method: report.method,
    };
  } catch (error) {
    if (error instanceof ApiError) return { error: error.message };
    throw error;
  }
}

/** Field names are case-insensitive (RFC 9110, section 5.1). */
function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
