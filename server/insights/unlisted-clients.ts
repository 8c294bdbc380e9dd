import { parseUnlisted, unlistedWord } from '../identity/unlisted/unlisted-name.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { RangeQuery } from '../store/counts/analytics-store.ts';

const pageSize = 1000;

/** Names by which AI clients that the catalogue does not hold were counted. */
export async function listUnlisted(
  store: Pick<AnalyticsStore, 'readClients'>,
  range: Pick<RangeQuery, 'projectId' | 'from' | 'to'>,
): Promise<string[]> {
  const names = new Set<string>();
  for (let offset = 0, hasMore = true; hasMore; offset += pageSize) {
    const page = await store.readClients({ ...range, search: unlistedWord, limit: pageSize, offset });
    for (const { name } of page.rows) if (parseUnlisted(name)) names.add(name);
    hasMore = page.hasMore;
  }
  return [...names];
}
