import type { Context } from '../context.ts';
import type { Call } from '../http/route.ts';
import { drawBadge } from './badge.ts';

const days = 30;

/** An image of the visitors of the last 30 days, today among them. */
export async function sendBadge(
  context: Context,
  { project: { id, settings }, res }: Call<'badge_link'>,
): Promise<void> {
  const to = context.ingest.dayOf(settings.timeZone, context.now()) + 1;
  const rows = await context.store.readSeries({
    projectId: id,
    from: to - days,
    to,
    filter: {},
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
