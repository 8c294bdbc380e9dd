import { isUnmeasured, readMeasured } from '../analytics/measured.ts';
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
  const asked = { projectId: id, from: to - days, to };
  const [rows, measured] = await Promise.all([
    context.store.readSeries({ ...asked, filter: {} }),
    readMeasured(context.store, asked),
  ]);
  const sum = (kind: 'human' | 'ai', wasMeasured: boolean | null) => {
    const count = rows.reduce((total, { visitors }) => total + visitors[kind], 0);
    return isUnmeasured(count, wasMeasured) ? null : count;
  };
  const [human, ai] = [sum('human', measured.people), sum('ai', measured.ai)];
  res
    .type('image/svg+xml')
    .set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Other sites show it.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    .send(drawBadge({ name: settings.name, human, ai, days }));
}
