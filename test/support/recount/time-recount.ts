import type { TimeReply } from '../../../shared/reports/analytics.ts';
import { visibleSeconds } from '../../../shared/visible-time.ts';
import type { ProjectClient } from '../headcount.ts';
import type { Batch } from './hit-stream.ts';

/** Views of each page that were seen for so long: 10, 30, 60, 180 and 600 seconds. */
type Times = Record<string, number[]>;

export function recountTimes(batches: readonly Batch[]): Times {
  const seen = batches
    .flatMap(({ landings }) => landings)
    .filter(({ way, steps }) => way === 'script' && steps > 0);
  const paths = Map.groupBy(seen, ({ path }) => path);
  const reached = (landings: typeof seen) =>
    visibleSeconds.map((_seconds, step) => landings.filter(({ steps }) => steps > step).length);
  return Object.fromEntries(paths.entries().map(([path, landings]) => [path, reached(landings)]));
}

export async function readTimes({ projectId, get }: ProjectClient): Promise<Times> {
  const { pages } = await get<TimeReply>(`/v1/analytics/${projectId}/time-on-page`);
  return Object.fromEntries(pages.map(({ path, ...seen }) => [path, Object.values(seen)]));
}
