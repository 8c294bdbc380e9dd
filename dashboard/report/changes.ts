import type { ChangesReply } from '../../shared/reports/insights.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import type { Range } from '../formats/range.ts';

/** Merged pull requests, releases, notes, and new rules that tell AI apart, on the days of the chart. @param base null: nobody is to know */
export function useChanges(
  base: string | null,
  { from, to }: Pick<Range, 'from' | 'to'>,
): Resource<ChangesReply> {
  const path = base && withQuery(`${base}/changes`, { dateFrom: from, dateTo: to, limit: 250 });
  return useResource<ChangesReply>(path, { isLive: true });
}
