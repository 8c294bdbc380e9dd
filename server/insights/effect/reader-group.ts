import { measuredBy } from '../../analytics/measured.ts';
import { otherName } from '../../counting/names/name-cap.ts';
import { factsOf } from '../../identity/client-facts.ts';
import { type Purpose, purposes } from '../../identity/identity.ts';
import type { AnalyticsStore } from '../../store/counts/analytics.ts';
import type { BoundedRange } from '../days.ts';
import { namesOfClients } from '../operators.ts';

/** Whose views of pages are counted: people, all AI, or AI clients of a purpose. */
export type ReaderGroup = 'people' | 'ai' | Purpose;

export type ViewsOfPages = Map<string, number>;

/** Pages that are looked at, those with the most views first. */
const maxPages = 5000;

/** Views of each page in the days, by group. */
export async function readViews(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<Map<ReaderGroup, ViewsOfPages>> {
  const page = { limit: maxPages, offset: 0 };
  const { rows } = await store.readCounts({ ...range, ...page, dimension: 'path', measure: 'views' });
  const pages = rows.filter(({ name }) => name !== otherName);
  const views = new Map<ReaderGroup, ViewsOfPages>([
    ['people', new Map(pages.map(({ name, human }) => [name, human]))],
    ['ai', new Map(pages.map(({ name, ai }) => [name, ai]))],
  ]);
  for (const client of await namesOfClients(store, range)) {
    const { purpose } = factsOf(client);
    if (purpose === null) continue;
    const sums = views.get(purpose) ?? new Map<string, number>();
    views.set(purpose, sums);
    const read = await store.readClientPaths({ ...range, ...page }, client);
    for (const { path, views: count } of read.rows) {
      if (path !== otherName) sums.set(path, (sums.get(path) ?? 0) + count);
    }
  }
  return views;
}

export const readerGroups: readonly ReaderGroup[] = ['people', 'ai', ...purposes];

/**
 * Who was counted in the days: people where anything came in by a way that sees them, as a report may tell of none on a day; AI
 * where that was so on at least half of the days on which something came in. Where nothing came in, nothing was missed.
 */
export async function readCounted(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<Record<'people' | 'ai', boolean>> {
  const rows = await store.readTallyDays({ ...range, tally: 'ways-in' });
  const days = [...Map.groupBy(rows, ({ day }) => day).values()].map(measuredBy);
  return {
    people: days.length === 0 || days.some(({ people }) => people),
    ai: 2 * days.filter(({ ai }) => ai).length >= days.length,
  };
}
