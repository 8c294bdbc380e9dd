import { useMemo } from 'preact/hooks';
import type { ChangesReply } from '../../shared/insights.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import type { ChartMark } from '../chart/marks.ts';
import type { Range } from '../formats/range.ts';

/** Merged pull requests, releases, and new rules that tell AI apart, on the days of the chart. @param base null: nobody is to know */
export function useChanges(
  base: string | null,
  { from, to }: Pick<Range, 'from' | 'to'>,
): readonly ChartMark[] {
  const path = base && withQuery(`${base}/changes`, { dateFrom: from, dateTo: to, limit: 250 });
  const { data } = useResource<ChangesReply>(path, { isLive: true });
  return useMemo(() => data?.changes ?? [], [data]);
}
