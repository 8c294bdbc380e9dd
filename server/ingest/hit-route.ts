import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DropReason, type TrackerHit, trackerHit } from '../../shared/hit.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../http/body.ts';
import { parse, parseJson } from '../http/parse.ts';
import { clientAddress } from '../net/address.ts';
import type { Hit, Via } from './hit.ts';

/** A referrer and an address of 8 KiB each at the most, and their JSON. */
const maxBodyBytes = 32 * 1024;

/** Says why a hit was not counted. */
export const droppedHeader = 'X-Headcount-Dropped';

/** Any page may send hits and read the answer. Names and values in one list, as Node takes it the fastest. */
const acceptedHeaders = ['Access-Control-Allow-Origin', '*', 'Content-Length', '0'];

/**
 * `POST /v1/hit`: one view from the tracker. 202 once it is counted and durable, or dropped for a reason; what is wrong
 * with it otherwise goes to `fail`. Throws nothing.
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
      const {
        p: projectId,
        u: url,
        r: referrer,
        h,
        a: pageSigns,
      } = parse<TrackerHit>(trackerHit, parseJson(body), 'The hit');
      const hit = hitOf(context, req, 'script', { projectId, url, referrer, hashRoutes: h === 1, pageSigns });
      context.ingest.receive(hit, (outcome) => {
        if (outcome instanceof ApiError) return fail(outcome);
        res.writeHead(202, outcome.dropped === undefined ? acceptedHeaders : droppedHeaders(outcome.dropped));
        res.end();
      });
    } catch (error) {
      fail(error);
    }
  });
}

/** `OPTIONS /v1/hit`: the tracker needs no preflight, but a page's own code that sends JSON does. */
export function handleHitPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '86400',
  });
  res.end();
}

/** A hit that is told by the request itself: whose address, user agent and time it is. */
export function hitOf(
  { config, now }: Context,
  req: IncomingMessage,
  via: Via,
  {
    projectId,
    url,
    referrer,
    hashRoutes,
    pageSigns,
  }: Pick<Hit, 'projectId' | 'url' | 'referrer' | 'hashRoutes' | 'pageSigns'>,
): Hit {
  const { userAgent, forwardedFor } = readSender(req);
  return {
    via,
    projectId,
    url,
    referrer,
    hashRoutes,
    pageSigns,
    address: clientAddress(req.socket.remoteAddress ?? '', forwardedFor, config.trustedProxies),
    userAgent,
    at: now(),
    headers: undefined,
  };
}

/** From the raw list: `req.headers` would make an object of all fields, for the two that a hit needs. */
function readSender({ rawHeaders }: IncomingMessage): {
  userAgent: string;
  forwardedFor: string | undefined;
} {
  let userAgent: string | undefined;
  let forwardedFor: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const value = rawHeaders[i + 1] as string;
    // Lengths first: most names differ in theirs.
    if (name.length === 10 && name.toLowerCase() === 'user-agent') userAgent ??= value;
    else if (name.length === 15 && name.toLowerCase() === 'x-forwarded-for') {
      // A field that stands twice is one list (RFC 9110, section 5.3).
      forwardedFor = forwardedFor === undefined ? value : `${forwardedFor},${value}`;
    }
  }
  return { userAgent: userAgent ?? '', forwardedFor };
}

function droppedHeaders(reason: DropReason): string[] {
  return [...acceptedHeaders, droppedHeader, reason, 'Access-Control-Expose-Headers', droppedHeader];
}
