import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type DropReason,
  isPlainView,
  seenByPage,
  type TrackerHit,
  trackerHit,
} from '../../../shared/hit.ts';
import type { Context } from '../../context.ts';
import { splitReferrer } from '../../counting/page/source.ts';
import { parseLanguage } from '../../counting/visitor/visitor.ts';
import { ApiError } from '../../errors.ts';
import { parse, parseJson, readBody } from '../../http/parse.ts';
import { clientAddress } from '../../net/address.ts';
import type { Hit, Via } from '../hit/hit.ts';

/** A referrer and an address of 8 KiB each at the most, and their JSON. */
export const maxBodyBytes = 32 * 1024;

/** Says why a hit was not counted. */
export const droppedHeader = 'X-Headcount-Dropped';
export const droppedText = 'Why the view was left out on purpose.';

/** Any page may send hits and read the answer. Names and values in one list, as Node takes it the fastest. */
const acceptedHeaders = ['Access-Control-Allow-Origin', '*', 'Content-Length', '0'];

/**
 * `POST /v1/hit`: one view from the tracker. 202 once it is counted and durable, or dropped for a reason; other
 * errors go to `fail`. Never throws.
 */
export function handleHit(
  context: Context,
  req: IncomingMessage,
  res: ServerResponse,
  fail: (error: unknown) => void,
): void {
  readBody(req, maxBodyBytes, (body) => {
    try {
      if (body instanceof ApiError) throw body;
      const value = parseJson(body);
      const sent = isPlainView(value) ? value : parse<TrackerHit>(trackerHit, value, 'The hit');
      const { p: projectId, u: url, r, h, a: pageSigns, e, v, t: seenFor } = sent;
      if (e !== undefined && seenFor !== undefined) throw bothReported();
      const { referrer, directive } = splitReferrer(r);
      const hit = hitOf(context, req, 'script', {
        projectId,
        url,
        referrer,
        directive,
        hashRoutes: h !== undefined,
        pageSigns,
        seen: seenByPage(sent),
        event: e === undefined ? undefined : { name: e, properties: v },
        seenFor,
      });
      context.ingest.receive(hit, (outcome) => {
        if (outcome instanceof ApiError) return refuse(outcome, res, fail);
        res.writeHead(202, outcome.dropped === undefined ? acceptedHeaders : droppedHeaders(outcome.dropped));
        res.end();
      });
    } catch (error) {
      if (error instanceof ApiError) context.ingest.outcomeCounts.invalid++;
      refuse(error, res, fail);
    }
  });
}

function bothReported(): ApiError {
  return new ApiError(
    'invalid',
    'A hit reports an event ("e") or the time that a page was seen ("t"), not both.',
  );
}

/** A page may read the error of its hit, and its console stays free of CORS errors. */
function refuse(error: unknown, res: ServerResponse, fail: (error: unknown) => void): void {
  if (!res.headersSent) res.setHeader('Access-Control-Allow-Origin', '*');
  fail(error);
}

/** A hit of the request's own sender, with its address, user agent and time. */
export function hitOf(
  { config, setupNotice, now }: Context,
  req: IncomingMessage,
  via: Via,
  {
    projectId,
    url,
    referrer,
    hashRoutes,
    pageSigns,
    seen,
    directive,
    event,
    seenFor,
  }: Pick<
    Hit,
    'projectId' | 'url' | 'referrer' | 'hashRoutes' | 'pageSigns' | 'seen' | 'directive' | 'event' | 'seenFor'
  >,
): Hit {
  const { userAgent, forwardedFor, acceptLanguage } = readSender(req);
  const peer = req.socket.remoteAddress ?? '';
  if (forwardedFor !== undefined) setupNotice.forwarded(peer, forwardedFor);
  return {
    via,
    projectId,
    url,
    referrer,
    hashRoutes,
    pageSigns,
    seen,
    directive,
    event,
    seenFor,
    address: clientAddress(peer, forwardedFor, config.trustedProxies),
    userAgent,
    language: parseLanguage(acceptLanguage),
    at: now(),
    headers: undefined,
  };
}

/** From the raw list: `req.headers` would make an object of all fields, for the three that a hit needs. */
function readSender({ rawHeaders }: IncomingMessage): {
  userAgent: string;
  forwardedFor: string | undefined;
  acceptLanguage: string | undefined;
} {
  let userAgent: string | undefined;
  let forwardedFor: string | undefined;
  let acceptLanguage: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const value = rawHeaders[i + 1] as string;
    // Lengths first: most names differ in theirs.
    if (name.length === 10 && name.toLowerCase() === 'user-agent') userAgent ??= value;
    else if (name.length === 15) {
      const lowered = name.toLowerCase();
      // A field that occurs twice is one list (RFC 9110, section 5.3).
      if (lowered === 'x-forwarded-for') {
        forwardedFor = forwardedFor === undefined ? value : `${forwardedFor},${value}`;
      } else if (lowered === 'accept-language') acceptLanguage ??= value;
    }
  }
  return { userAgent: userAgent ?? '', forwardedFor, acceptLanguage };
}

function droppedHeaders(reason: DropReason): string[] {
  return [...acceptedHeaders, droppedHeader, reason, 'Access-Control-Expose-Headers', droppedHeader];
}
