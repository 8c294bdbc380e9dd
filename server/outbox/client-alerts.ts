import type { Day } from '../counting/calendar.ts';
import { findClient } from '../identity/catalogue.ts';
import { dateOf } from '../insights/days.ts';
import { namesOfClients } from '../insights/operators.ts';
import { readSilentClients } from '../insights/silent-clients.ts';
import { findSurge, surgeDays } from '../insights/surge.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { Alert, FindAlerts } from './alert.ts';
import { round, writeCount, writeNumber } from './letter.ts';

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
  const counts = await viewsOn(store, projectId, { from: day, to: day + 1 }, fresh);
  return fresh.map((client): Alert => {
    const [views = 0] = counts.get(client) ?? [];
    return {
      kind: 'new_client',
      key: client,
      title: `a new AI client, ${client}`,
      paragraphs: [
        `${describe(client)} read the site for the first time on ${dateOf(day)}: ${writeCount(views, 'view')}. On none of the days before, since ${dateOf(firstDay)}, was it seen.`,
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
    return {
      kind: 'silent_client',
      key: `${client} ${lastSeen}`,
      title: `${client} has stopped coming`,
      paragraphs: [
        `${describe(client)} was seen last on ${lastSeen}, ${writeCount(silentDays, 'whole day')} ago. Before, it read ${usualViews} pages a day on average, and was never away for more than ${writeCount(longestGap, 'day')}.`,
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
  const counts = await viewsOn(store, projectId, { from: day - surgeDays - 1, to: day + 1 }, names);
  return names.flatMap((client): Alert[] => {
    const views = counts.get(client) ?? [];
    const first = views.findIndex((count) => count > 0);
    const surge = findSurge(views.slice(Math.max(0, first)), leastViews);
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
