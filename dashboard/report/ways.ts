import type { WayIn } from '../../shared/tallies.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import type { Range } from '../formats/range.ts';

/** `GET …/ways-in` */
interface WaysInReply {
  ways: { way: WayIn; kind: string; hits: number }[];
}

/** How many hits came by each way in; empty where that is not known, as of days before it was kept. */
export type Ways = ReadonlyMap<WayIn, number>;

/** @param base null: nobody is to know */
export function useWays(base: string | null, { from, to }: Pick<Range, 'from' | 'to'>): Ways {
  const path = base && withQuery(`${base}/ways-in`, { dateFrom: from, dateTo: to, limit: 250 });
  const rows = useResource<WaysInReply>(path, { isLive: true }).data?.ways ?? [];
  const ways = new Map<WayIn, number>();
  for (const { way, hits } of rows) ways.set(way, (ways.get(way) ?? 0) + hits);
  return ways;
}

/** Most AI clients run no script: only a server or its log sees them. */
export const missesAi = (ways: Ways): boolean => ways.size > 0 && !ways.has('report') && !ways.has('log');
