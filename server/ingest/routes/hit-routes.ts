import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { trackerHit } from '../../../shared/hit.ts';
import { fetchedAhead } from '../../../shared/project/page-rules.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import { droppedHeader, droppedText, handleHit, hitOf, maxBodyBytes } from './hit-handler.ts';
import type { HitOutcome } from './outcomes.ts';

const imageQuery = z.object({
  u: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe(
      "Address of the page; left out: the request's Referer, which is what an image on the page sends.",
    ),
  r: z.string().max(8192).optional().describe('Referrer of the page.'),
});
const pixelQuery = imageQuery.extend({ p: z.string().min(1).max(100).describe('Project id.') });

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const answers = {
  202: {
    says: 'Counted, or left out on purpose: an image of one pixel',
    types: ['image/gif'],
    headers: { [droppedHeader]: droppedText },
  },
} as const;

/** A view from where no script runs. The image is sent once it is counted. */
const imageRoute: Route = route({
  name: 'hits.image',
  method: 'GET',
  path: '/v1/image/:projectId',
  access: 'anyone',
  summary: 'Send a view by an image',
  description: 'For pages without scripts. Without `u` the `Referer` is the page.',
  query: imageQuery,
  answers,
  handle: (context, call) => countImage(context, call, String(call.req.params.projectId)),
});

/** The same by the address of earlier lines, which lists such as EasyPrivacy block on all sites (`/pixel.gif?`). */
const pixelRoute: Route = route({
  name: 'hits.pixel',
  method: 'GET',
  path: '/v1/pixel.gif',
  access: 'anyone',
  summary: 'Send a view by an image, at its earlier address',
  description: 'As `/v1/image/{projectId}`, which fewer blockers know.',
  query: pixelQuery,
  answers,
  handle: (context, call) => countImage(context, call, call.query.p),
});

async function countImage(
  context: Context,
  { query, req, res }: Call<'anyone', z.infer<typeof imageQuery>>,
  projectId: string,
): Promise<void> {
  const url = query.u ?? req.get('referer');
  if (url === undefined) {
    throw new ApiError(
      'invalid',
      'The page is not known: give its address as "u", or let the image send a Referer (referrerpolicy="no-referrer-when-downgrade").',
    );
  }
  const sent = { projectId, url, referrer: query.r, hashRoutes: false };
  const purpose = req.get('sec-purpose') ?? req.get('purpose') ?? '';
  const isAhead = fetchedAhead.test(`purpose,${purpose}`);
  const hit = { ...hitOf(context, req, 'pixel', sent), isAhead };
  const { dropped } = await new Promise<HitOutcome>((resolve, reject) =>
    context.ingest.receive(hit, (outcome) =>
      outcome instanceof ApiError ? reject(outcome) : resolve(outcome),
    ),
  );
  if (dropped !== undefined) res.set(droppedHeader, dropped);
  res.status(202).set('Cache-Control', 'no-store').type('gif').send(pixel);
}

/** One view from the tracker or by an image, and the question of browsers whether a page may send one. */
export const hitRoutes: readonly Route[] = [
  {
    name: 'hits.send',
    method: 'POST',
    path: '/v1/hit',
    access: 'anyone',
    summary: 'Send a view from a page',
    description:
      'What the script does, from any origin. 202 means counted for good, or dropped on purpose, with the reason in `X-Headcount-Dropped`.',
    body: { schema: trackerHit, maxBytes: maxBodyBytes, subject: 'The hit', anyType: true },
    answers: { 202: { says: 'Counted, or left out on purpose', headers: { [droppedHeader]: droppedText } } },
    refusals: ['overloaded'],
    handlerFor: (context) => (req, res, next) => handleHit(context, req, res, next),
  },
  route({
    name: 'hits.preflight',
    method: 'OPTIONS',
    path: '/v1/hit',
    access: 'anyone',
    summary: 'Ask whether a page may send a view as JSON',
    answers: { 204: { says: 'It may' } },
    handle: (_context, { res }) => sendPreflight(res),
  }),
  imageRoute,
  pixelRoute,
];

/** The tracker needs no preflight, but a page's own code that sends JSON does. */
function sendPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '86400',
  });
  res.end();
}
