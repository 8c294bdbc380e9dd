import type { Request, Response } from 'express';
import type { Context } from '../context.ts';
import { drawBadge } from './badge.ts';
import { sharedProject } from './link.ts';

const days = 30;

/** An image of the visitors of the last 30 days, today among them. */
export async function handleBadge(context: Context, req: Request, res: Response): Promise<void> {
  const { id, settings } = sharedProject(context, req, 'badge');
  const to = context.ingest.dayOf(settings.timeZone, context.now()) + 1;
  const rows = await context.store.readSeries({
    projectId: id,
    from: to - days,
    to,
    path: null,
    client: null,
  });
  const sum = (kind: 'human' | 'ai') => rows.reduce((total, { visitors }) => total + visitors[kind], 0);
  res
    .type('image/svg+xml')
    .set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Other sites show it.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    .send(drawBadge({ name: settings.name, human: sum('human'), ai: sum('ai'), days }));
}
