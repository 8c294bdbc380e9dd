import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import { type HitDataSource, hitDataSources } from '../../shared/reports/counters.ts';
import { readUnmeasuredDays } from '../analytics/measured.ts';
import type { Day } from '../counting/calendar.ts';
import { findClient } from '../identity/catalogue.ts';
import { dateOf } from '../insights/days.ts';
import { namesOfClients } from '../insights/operators.ts';
import { baselineDays, findSilence, longestSilence } from '../insights/silence.ts';
import { readSilentClients } from '../insights/silent-clients.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { DroppedRow } from '../store/counts/analytics-store.ts';
import type { Alert, FindAlerts, SealedDay } from './alert.ts';
import { round, writeCount, writeNumber } from './notification.ts';

/** A project of fewer days has nothing but new clients. */
const minHistory = 14;
/** Fewer views of a client are chance. */
const leastViews = 30;

/** Clients that no day before has. */
export const newClients: FindAlerts = async (store, { projectId, day, firstDay }) => {
  if (day - firstDay < minHistory) return [];
  const names = await namesOfClients(store, { projectId, from: day, to: day + 1 });
  const known = new Set(await namesOfClients(store, { projectId, from: firstDay, to: day }));
  const fresh = names.filter((name) => !known.has(name));
  if (fresh.length === 0) return [];
  const { ai } = await readUnmeasuredDays(store, { projectId, from: firstDay, to: day + 1 });
  // What the script sees, it could see on any day.
  const unmeasured = ai.has(day) ? new Set<Day>() : ai;
  if (day - firstDay - unmeasured.size < minHistory) return [];
  const before =
    unmeasured.size === 0
      ? 'the days before'
      : `the ${day - firstDay - unmeasured.size} days on which AI was measured`;
  const counts = await viewsOn(store, projectId, { from: day, to: day + 1 }, fresh);
  return fresh.map((client): Alert => {
    const [views = 0] = counts.get(client) ?? [];
    return {
      kind: 'new_client',
      key: client,
      title: `a new AI client, ${client}`,
      paragraphs: [
        `${describe(client)} read the site for the first time on ${dateOf(day)}: ${writeCount(views, 'view')}. On none of ${before}, since ${dateOf(firstDay)}, was it seen.`,
      ],
      page: pageOf(client),
      facts: { client, date: dateOf(day), views },
    };
  });
};

/** Clients that came regularly and have stopped, as *Silent clients* has them. */
export const silentClients: FindAlerts = async (store, { projectId, day }) => {
  const { lastAiView, rows } = await readSilentClients(store, projectId, day + 1);
  const alone = rows.filter(({ isAlone }) => isAlone);
  const others = rows.filter(({ isAlone }) => !isAlone);
  const ofAll = others.length === 0 ? [] : [noClient(lastAiView, others)];
  const ofEach = alone.map(({ client, lastSeen, silentDays, usualViews, longestGap, probability }): Alert => {
    const facts = { client, lastSeen, silentDays, usualViews, longestGap, probability };
    const areAll = dateOf(day - silentDays) === lastSeen;
    const days = writeCount(silentDays, 'whole day');
    const since = areAll ? `${days} ago` : `and on none of the ${days} since on which AI was measured`;
    return {
      kind: 'silent_client',
      key: `${client} ${lastSeen}`,
      title: `${client} has stopped coming`,
      paragraphs: [
        `${describe(client)} was seen last on ${lastSeen}, ${since}. Before, it read ${usualViews} pages a day on average, and was never away for more than ${writeCount(longestGap, 'day')}.`,
        `If nothing had changed, such a silence would come with a chance of ${percent(probability)} at most. Other AI clients still come, so that it may have been blocked, or its operator may have lost interest.`,
      ],
      page: pageOf(client),
      facts,
    };
  });
  return [...ofAll, ...ofEach];
};

function noClient(lastAiView: string | null, rows: readonly { client: string }[]): Alert {
  const clients = rows.map(({ client }) => client);
  return {
    kind: 'silent_client',
    key: `all ${lastAiView}`,
    title: `no AI client since ${lastAiView}`,
    paragraphs: [
      `No AI client was seen since ${lastAiView}, though ${clients.join(', ')} came regularly. As no other comes either, what reports views may have stopped: the site's server or its log.`,
    ],
    page: '',
    facts: { lastAiView, clients },
  };
}

/** Clients that read three times as much as they do. */
export const busyClients: FindAlerts = async (store, { projectId, day }) => {
  const names = await namesOfClients(store, { projectId, from: day, to: day + 1 });
  const days = { from: day - surgeDays - 1, to: day + 1 };
  const counts = await viewsOn(store, projectId, days, names);
  // Without views of a client they say nothing of it.
  const unmeasured = (await readUnmeasuredDays(store, { projectId, ...days })).ai;
  return names.flatMap((client): Alert[] => {
    const views = counts.get(client) ?? [];
    const first = Math.max(
      0,
      views.findIndex((count) => count > 0),
    );
    const measured = views.filter((count, i) => i >= first && (count > 0 || !unmeasured.has(days.from + i)));
    const surge = findSurge(measured, leastViews);
    if (!surge) return [];
    const { count, usual } = surge;
    return [
      {
        kind: 'busy_client',
        key: `${client} ${dateOf(day)}`,
        title: `${client} reads ${writeNumber(Math.floor(count / usual))} times as much as usual`,
        paragraphs: [
          `${describe(client)} read ${writeCount(count, 'page')} on ${dateOf(day)}, against ${round(usual)} a day on average in up to ${surgeDays} days before.`,
        ],
        page: pageOf(client),
        facts: { client, date: dateOf(day), views: count, usualViews: round(usual) },
      },
    ];
  });
};

/** Views of each day of the range, by client. */
async function viewsOn(
  store: AnalyticsStore,
  projectId: string,
  { from, to }: { from: Day; to: Day },
  names: readonly string[],
): Promise<Map<string, number[]>> {
  const rows = await store.readNamedDays({ projectId, from, to, of: 'client', names });
  const counts = new Map(names.map((name) => [name, Array.from({ length: to - from }, () => 0)]));
  for (const { name, day, views } of rows) {
    const days = counts.get(name);
    if (days) days[day - from] = views.ai;
  }
  return counts;
}

function describe(client: string): string {
  const { operator, purpose } = findClient(client) ?? {};
  return operator === undefined ? client : `${client} (${operator}, ${purpose})`;
}

function pageOf(client: string): string {
  return `?client=${encodeURIComponent(client)}`;
}

function percent(probability: number): string {
  return `${Number((probability * 100).toPrecision(1))} %`;
}

type DayAlert = Exclude<AlertKind, 'finished_job'>;

const dataSourceTexts: Readonly<Record<HitDataSource, { name: string; advice: string }>> = {
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

/** Data sources from which something came regularly, and nothing any more: by the same rule as silent clients. */
const silentSources: FindAlerts = async (store, { projectId, day }) => {
  const from = day + 1 - baselineDays - longestSilence;
  // Hits after the day, which are not sealed yet, end a silence.
  const rows = await store.readCounterDays({ projectId, from, to: day + 3, counter: 'data-sources' });
  return hitDataSources.flatMap((dataSource): Alert[] => {
    const ofSource = rows.filter(({ group }) => group === dataSource);
    if (ofSource.some((row) => row.day > day)) return [];
    const hits = Array.from({ length: day + 1 - from }, () => 0);
    for (const row of ofSource) hits[row.day - from] = (hits[row.day - from] ?? 0) + row.hits;
    const silence = findSilence(hits, day);
    if (!silence) return [];
    const { name, advice } = dataSourceTexts[dataSource];
    const lastDay = dateOf(silence.lastSeen);
    const usualHits = round(silence.usualViews);
    const says = `Nothing came in by ${name} since ${lastDay}, for ${writeCount(silence.silentDays, 'whole day')}. Before, it was ${usualHits} hits a day on average, and never nothing for more than ${writeCount(silence.longestGap, 'day')}.`;
    return [
      {
        kind: 'silent_way',
        key: `${dataSource} ${lastDay}`,
        title: `nothing comes in by ${name} any more`,
        paragraphs: [says, advice],
        page: '/install',
        facts: { way: dataSource, lastDay, silentDays: silence.silentDays, usualHits },
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
  const unmeasured = (await readUnmeasuredDays(store, { projectId, from, to: day })).ai;
  const counts: number[] = [];
  for (let one = from; one < day; one++)
    if (!unmeasured.has(one)) counts.push(hitsOf(await spoofedOn(store, projectId, one)));
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
      paragraphs: [says, 'They are not counted: this shows impostors, not readers.'],
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
  silent_way: silentSources,
};

/** Alerts from the sums of the day, of the given kinds. */
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

/** The baseline of a surge: the days before it. */
const surgeDays = 28;
/** Fewer days say nothing of what is usual. */
const minSurgeDays = 14;
const factor = 3;

interface Surge {
  count: number;
  /** On a day before, on average. */
  usual: number;
}

/**
 * Whether a day has more than three times what is usual, and the day before had not: one that goes on is reported once.
 *
 * @param counts of each day, the newest last, from the first on which anything could have been counted
 * @param least that is worth a report
 */
function findSurge(counts: readonly number[], least: number): Surge | null {
  const surge = surgeOf(counts, least);
  return surge && !surgeOf(counts.slice(0, -1), least) ? surge : null;
}

function surgeOf(counts: readonly number[], least: number): Surge | null {
  const count = counts.at(-1) ?? 0;
  const before = counts.slice(-surgeDays - 1, -1);
  if (before.length < minSurgeDays || count < least) return null;
  const usual = before.reduce((sum, one) => sum + one, 0) / before.length;
  return count > factor * usual ? { count, usual } : null;
}
