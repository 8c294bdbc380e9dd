import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { droppedHeader, hitOf } from './hit-route.ts';

const pixelQuery = z.object({
  /** Project id. */
  p: z.string().min(1).max(100),
  /** Address of the page; left out: the request's Referer, which is what an image on the page sends. */
  u: z.string().max(8192).optional(),
  /** Referrer of the page. */
  r: z.string().max(8192).optional(),
});

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** `GET /v1/pixel.gif?p=…`: a view from where no script runs. Answered with the image once it is counted. */
export async function handlePixel(context: Context, req: Request, res: Response): Promise<void> {
  const query = parse(pixelQuery, req.query, 'The query');
  const url = query.u ?? req.get('referer');
  if (url === undefined) {
    throw new ApiError(
      'invalid',
      'The page is not known: give its address as "u", or let the image send a Referer (referrerpolicy="no-referrer-when-downgrade").',
    );
  }
  const told = { projectId: query.p, url, referrer: query.r, hashRoutes: false };
  const hit = hitOf(context, req, 'pixel', told);
  const [outcome] = await context.ingest.receiveAll([hit]);
  if (outcome?.dropped === 'invalid')
    throw new ApiError('invalid', outcome.error ?? 'The page is not known.');
  if (outcome?.dropped !== undefined) res.set(droppedHeader, outcome.dropped);
  res.status(202).set('Cache-Control', 'no-store').type('gif').send(pixel);
}
