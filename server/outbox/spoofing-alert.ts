import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import { findSurge, minSurgeDays, surgeDays } from '../insights/surge.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { DroppedRow } from '../store/counts/analytics-store.ts';
import type { FindAlerts } from './alert.ts';
import { round, writeCount, writeNumber } from './letter.ts';

/** Fewer hits are everyday noise. */
const leastHits = 50;
/** Reasons and families of a project are fewer. */
const allRows = { limit: 10_000, offset: 0 };
const maxNamed = 3;

/** Hits that claim to be an AI client and are not, where they become three times as many. */
export const spoofing: FindAlerts = async (store, { projectId, day, firstDay }) => {
  const today = await spoofedOn(store, projectId, day);
  const count = hitsOf(today);
  if (count < leastHits) return [];
  const from = Math.max(firstDay, day - surgeDays - 1);
  if (day - from < minSurgeDays) return [];
  const counts: number[] = [];
  for (let one = from; one < day; one++) counts.push(hitsOf(await spoofedOn(store, projectId, one)));
  const surge = findSurge([...counts, count], leastHits);
  if (!surge) return [];
  const usual = round(surge.usual);
  const named = today.slice(0, maxNamed).map(({ family, hits }) => `${family} (${writeNumber(hits)})`);
  const says = `On ${dateOf(day)} ${writeCount(count, 'hit')} claimed to be an AI client and came from elsewhere than its operator publishes, against ${usual} a day on average before. Most claimed to be ${named.join(', ')}.`;
  return [
    {
      kind: 'spoofing',
      key: dateOf(day),
      title: `${writeCount(count, 'hit')} in the name of AI clients that did not send them`,
      paragraphs: [says, 'They are not counted: this tells who pretends, not who reads.'],
      page: '',
      facts: { date: dateOf(day), hits: count, usualHits: usual, clients: today.map(toFact) },
    },
  ];
};

async function spoofedOn(store: AnalyticsStore, projectId: string, day: Day): Promise<DroppedRow[]> {
  const { rows } = await store.readDropped({ projectId, from: day, to: day + 1, ...allRows });
  return rows.filter(({ reason }) => reason === 'spoofed');
}

function hitsOf(rows: readonly DroppedRow[]): number {
  return rows.reduce((sum, { hits }) => sum + hits, 0);
}

function toFact({ family, hits }: DroppedRow) {
  return { client: family, hits };
}
