import { z } from 'zod';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import { droppedHeader, droppedText, hitOf } from './hit-handler.ts';
import type { HitOutcome } from './outcomes.ts';

const pixelQuery = z.object({
  p: z.string().min(1).max(100).describe('Project id.'),
  u: z
    .string()
    .max(8192)
    .optional()
    .describe(
      "Address of the page; left out: the request's Referer, which is what an image on the page sends.",
    ),
  r: z.string().max(8192).optional().describe('Referrer of the page.'),
});

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A view from where no script runs. The image is sent once it is counted. */
export const pixelRoute: Route = route({
  name: 'hits.pixel',
  method: 'GET',
  path: '/v1/pixel.gif',
  access: 'anyone',
  summary: 'Send a view by an image',
  description: 'For pages without scripts. Without `u` the `Referer` is the page.',
  query: pixelQuery,
  answers: {
    202: {
      says: 'Counted, or left out on purpose: an image of one pixel',
      types: ['image/gif'],
      headers: { [droppedHeader]: droppedText },
    },
  },
  handle: countPixel,
});

async function countPixel(
  context: Context,
  { query, req, res }: Call<'anyone', z.infer<typeof pixelQuery>>,
): Promise<void> {
  const url = query.u ?? req.get('referer');
  if (url === undefined) {
    throw new ApiError(
      'invalid',
      'The page is not known: give its address as "u", or let the image send a Referer (referrerpolicy="no-referrer-when-downgrade").',
    );
  }
  const told = { projectId: query.p, url, referrer: query.r, hashRoutes: false };
  const hit = hitOf(context, req, 'pixel', told);
  const { dropped } = await new Promise<HitOutcome>((resolve, reject) =>
    context.ingest.receive(hit, (outcome) =>
      outcome instanceof ApiError ? reject(outcome) : resolve(outcome),
    ),
  );
  if (dropped !== undefined) res.set(droppedHeader, dropped);
  res.status(202).set('Cache-Control', 'no-store').type('gif').send(pixel);
}
