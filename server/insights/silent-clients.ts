import { readUnmeasuredDays } from '../analytics/measured.ts';
import type { Day } from '../counting/calendar.ts';
import { factsOf } from '../identity/client-facts.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { dateOf } from './days.ts';
import { namesOfClients } from './operators.ts';
import { baselineDays, findSilence, longestSilence, type Silence } from './silence.ts';

export interface SilentClients {
  lastAiView: string | null;
  rows: SilentClient[];
}

interface SilentClient extends Omit<Silence, 'lastSeen'> {
  client: string;
  operator: string | null;
  purpose: string | null;
  lastSeen: string;
  isAlone: boolean;
}

/** The days that are looked at. */
export const silenceDays = (today: Day) => ({ from: today - baselineDays - longestSilence, to: today });

/** Clients that came regularly and have stopped, those that read most first. @param today is not over, and left out */
export async function readSilentClients(
  store: AnalyticsStore,
  projectId: string,
  today: Day,
): Promise<SilentClients> {
  const range = { projectId, ...silenceDays(today) };
  const names = await namesOfClients(store, range);
  const rows = await store.readNamedDays({ ...range, of: 'client', names });
  const lastAiDay = rows.reduce((last, { day, views }) => (views.ai > 0 ? Math.max(last, day) : last), -1);
  const unmeasured = (await readUnmeasuredDays(store, range)).ai;
  const unmeasuredBefore = new Set([...unmeasured].filter((day) => day < lastAiDay));
  // Who was seen today is not silent.
  const here = new Set(await namesOfClients(store, { projectId, from: today, to: today + 1 }));
  const silent = names.flatMap((client): SilentClient[] => {
    if (here.has(client)) return [];
    const views = Array.from({ length: range.to - range.from }, () => 0);
    for (const row of rows) if (row.name === client) views[row.day - range.from] = row.views.ai;
    const isAlone = here.size > 0 || (views[lastAiDay - range.from] ?? 0) === 0;
    // Where none comes any more, what reports views may have stopped: that is said of days without it, too.
    const silence = findSilence(views, today - 1, isAlone ? unmeasured : unmeasuredBefore);
    if (!silence) return [];
    const { operator, purpose } = factsOf(client);
    return [{ client, operator, purpose, isAlone, ...rounded(silence), lastSeen: dateOf(silence.lastSeen) }];
  });
  return {
    lastAiView: lastAiDay === -1 ? null : dateOf(lastAiDay),
    rows: silent.sort((a, b) => b.usualViews - a.usualViews || (a.client < b.client ? -1 : 1)),
  };
}

function rounded({ usualViews, probability, ...silence }: Silence): Silence {
  return {
    ...silence,
    usualViews: Math.round(usualViews * 10) / 10,
    probability: Number(probability.toPrecision(2)),
  };
}
