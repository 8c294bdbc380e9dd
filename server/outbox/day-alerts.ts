import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import { type HitWay, hitWays } from '../../shared/reports/tallies.ts';
import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import { baselineDays, findSilence, longestSilence } from '../insights/silence.ts';
import { findSurge, minSurgeDays, surgeDays } from '../insights/surge.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { DroppedRow } from '../store/counts/analytics-store.ts';
import type { Alert, FindAlerts, SealedDay } from './alert.ts';
import { busyClients, newClients, silentClients } from './client-alerts.ts';
import { round, writeCount, writeNumber } from './letter.ts';

type DayAlert = Exclude<AlertKind, 'finished_job'>;

const ways: Readonly<Record<HitWay, { name: string; advice: string }>> = {
  script: { name: 'the script', advice: 'See whether its line is still in the pages.' },
  image: { name: 'the image', advice: 'See whether its line is still in the pages.' },
  report: {
    name: "reports of the site's server",
    advice: 'See whether it runs, and what it logs of its key.',
  },
  log: {
    name: 'access logs',
    advice: 'See whether they are still imported, and from where they are written.',
  },
};

/** Ways in by which something came regularly, and nothing any more: by the same rule as silent clients. */
const silentWays: FindAlerts = async (store, { projectId, day }) => {
  const from = day + 1 - baselineDays - longestSilence;
  // What came after the day, which is not sealed, ends a silence.
  const rows = await store.readTallyDays({ projectId, from, to: day + 3, tally: 'ways-in' });
  return hitWays.flatMap((way): Alert[] => {
    const ofWay = rows.filter(({ group }) => group === way);
    if (ofWay.some((row) => row.day > day)) return [];
    const hits = Array.from({ length: day + 1 - from }, () => 0);
    for (const row of ofWay) hits[row.day - from] = (hits[row.day - from] ?? 0) + row.hits;
    const silence = findSilence(hits, day);
    if (!silence) return [];
    const { name, advice } = ways[way];
    const lastDay = dateOf(day - silence.silentDays);
    const usualHits = round(silence.usualViews);
    const says = `Nothing came in by ${name} since ${lastDay}, for ${writeCount(silence.silentDays, 'whole day')}. Before, it was ${usualHits} hits a day on average, and never nothing for more than ${writeCount(silence.longestGap, 'day')}.`;
    return [
      {
        kind: 'silent_way',
        key: `${way} ${lastDay}`,
        title: `nothing comes in by ${name} any more`,
        paragraphs: [says, advice],
        page: '/install',
        facts: { way, lastDay, silentDays: silence.silentDays, usualHits },
      },
    ];
  });
};

/** Fewer hits are everyday noise. */
const leastHits = 50;
/** Reasons and families of a project are fewer. */
const allRows = { limit: 10_000, offset: 0 };
const maxNamed = 3;

/** Hits that claim to be an AI client and are not, where they become three times as many. */
const spoofing: FindAlerts = async (store, { projectId, day, firstDay }) => {
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

const finders: Readonly<Record<DayAlert, FindAlerts>> = {
  new_client: newClients,
  silent_client: silentClients,
  busy_client: busyClients,
  spoofing,
  silent_way: silentWays,
};

/** What the sums of the day give reason to tell, of the kinds that are asked for. */
export async function findDayAlerts(
  store: AnalyticsStore,
  sealed: SealedDay,
  kinds: readonly AlertKind[],
): Promise<Alert[]> {
  const found: Alert[] = [];
  for (const kind of kinds) {
    if (kind !== 'finished_job') found.push(...(await finders[kind](store, sealed)));
  }
  return found;
}
