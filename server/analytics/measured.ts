import { dataSources } from '../../shared/reports/counters.ts';
import type { Coverage, Measured } from '../../shared/reports/replies.ts';
import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { CounterRow, DataSourceDays, RangeQuery } from '../store/counts/analytics-store.ts';

/** More than all sources and kinds. */
const allSources = { limit: 100, offset: 0 };

type Days = Omit<RangeQuery, 'limit' | 'offset'>;

/** What a range could count, by the sources of its hits. */
export async function readMeasured(store: AnalyticsStore, range: Days): Promise<Measured> {
  return measuredBy(await readDataSources(store, range));
}

async function readDataSources(store: AnalyticsStore, { projectId, from, to }: Days): Promise<CounterRow[]> {
  const { rows } = await store.readCounter({ projectId, from, to, counter: 'data-sources', ...allSources });
  return rows;
}

const keptMs = 60_000;

/** By project id. */
interface Kept {
  measured: Promise<Measured>;
  today: Day;
  until: number;
}

/**
 * What could be counted yesterday and today, as of a minute ago, for clients that poll every few seconds: a day that has just
 * begun has no data yet. Days that another tool counted say nothing about current visitors.
 */
export function latelyMeasured() {
  const kept = new Map<string, Kept>();
  return {
    async read(store: AnalyticsStore, projectId: string, today: Day, now: number): Promise<Measured> {
      const known = kept.get(projectId);
      if (known?.today === today && now < known.until) return known.measured;
      const range = { projectId, from: today - 1, to: today + 1 };
      const measured = readDataSources(store, range).then((rows) =>
        measuredBy(rows.filter(({ group }) => sourceAndTool(group).dataSource !== 'history')),
      );
      kept.set(projectId, { measured, today, until: now + keptMs });
      const { ways } = await measured.catch((error: unknown) => {
        kept.delete(projectId);
        throw error;
      });
      // A new project sees its first hits at once.
      if (ways.length === 0) kept.delete(projectId);
      return measured;
    },
  };
}

/**
 * The script and the image see everybody who looks at a page, and no AI client that runs no scripts. A report or a log sees
 * all requests, and may leave people to the script. Other tools report people alone.
 */
export function measuredBy(rows: readonly DataSourceRow[]): Measured {
  if (rows.length === 0) return { people: null, ai: null, ways: [] };
  const ways = dataSources.filter((each) =>
    rows.some(({ group }) => sourceAndTool(group).dataSource === each),
  );
  return { people: rows.some(sees.human), ai: rows.some(sees.ai), ways };
}

type DataSourceRow = Pick<CounterRow, 'group' | 'name'>;

/** Whether a source of hits measures people, or AI. */
const sees = {
  human: ({ group, name }: DataSourceRow) =>
    name === 'people' || ['script', 'image'].includes(sourceAndTool(group).dataSource),
  ai: ({ group }: DataSourceRow) => ['report', 'log'].includes(sourceAndTool(group).dataSource),
};

/** Days with hits, but from no source that measures people, or AI. */
export function unmeasuredDays(rows: readonly DataSourceDays[]): Record<keyof typeof sees, Set<Day>> {
  const daysOf = (some: readonly DataSourceDays[]) => new Set(some.flatMap(({ days }) => days));
  const all = daysOf(rows);
  return {
    human: all.difference(daysOf(rows.filter(sees.human))),
    ai: all.difference(daysOf(rows.filter(sees.ai))),
  };
}

/** The same of a range. */
export async function readUnmeasuredDays(
  store: AnalyticsStore,
  range: Days,
): Promise<ReturnType<typeof unmeasuredDays>> {
  const rows = await store.readCounterDays({ ...range, counter: 'data-sources' });
  return unmeasuredDays(rows.map((row) => ({ ...row, days: [row.day] })));
}

/** Null: there are none. */
export function runOf(days: Iterable<Day>): { days: number; first: string; last: string } | null {
  const sorted = [...days].sort((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { days: sorted.length, first: String(fromDay(first)), last: String(fromDay(last)) };
}

/** Such as `2 days from 2026-11-16 to 2026-11-17`. */
export const writeRun = ({ days, first, last }: NonNullable<ReturnType<typeof runOf>>) =>
  days === 1 ? first : `${days} days from ${first} to ${last}`;

export type MeasuredKinds = Pick<Measured, 'people' | 'ai'>;

/** What a day could count: where server reports began later, AI was not measured on the days before. */
export function measuredDays(
  rows: readonly (Pick<CounterRow, 'group' | 'name'> & { day: Day })[],
): (day: Day) => MeasuredKinds {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return (day) => {
    const { people, ai } = measuredBy(byDay.get(day) ?? []);
    return { people, ai };
  };
}

/** Whether a count is zero because nobody measured. A count above zero is always shown. */
export function isUnmeasured(count: number, wasMeasured: boolean | null): boolean {
  return count === 0 && wasMeasured === false;
}

/** The source in a group of the counter, and the tool where another one counted the day. */
function sourceAndTool(group: string): { dataSource: string; tool?: string } {
  const [dataSource = '', tool] = group.split('\t');
  return tool === undefined ? { dataSource } : { dataSource, tool };
}

/** Runs of days with hits from each source, the oldest first; history by the tool that counted it. */
export function coverageOf(rows: readonly (Pick<CounterRow, 'group'> & { day: Day })[]): Coverage[] {
  const groups = [...new Set(rows.map(({ group }) => group))].sort();
  return dataSources.flatMap((dataSource) =>
    groups
      .filter((group) => sourceAndTool(group).dataSource === dataSource)
      .flatMap((group) => {
        const { tool } = sourceAndTool(group);
        const days = new Set(rows.filter((row) => row.group === group).map(({ day }) => day));
        return runsOf(days).map((run) => ({ way: dataSource, ...run, ...(tool !== undefined && { tool }) }));
      }),
  );
}

function runsOf(days: ReadonlySet<Day>): Pick<Coverage, 'from' | 'to'>[] {
  const firsts = [...days].filter((day) => !days.has(day - 1)).sort((a, b) => a - b);
  return firsts.map((first) => {
    let last = first;
    while (days.has(last + 1)) last++;
    return { from: String(fromDay(first)), to: String(fromDay(last)) };
  });
}
