import type { Measured } from '../../shared/replies/analytics.ts';
import type { Coverage } from '../../shared/replies/series.ts';
import { waysIn } from '../../shared/reports/tallies.ts';
import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { TallyRow, WayDays } from '../store/counts/analytics-store.ts';
import type { RangeQuery } from '../store/counts/range-query.ts';

/** Ways and kinds are fewer. */
const allWays = { limit: 100, offset: 0 };

type Days = Omit<RangeQuery, 'limit' | 'offset'>;

/** What could be counted in a range, by the ways in which hits came. */
export async function readMeasured(store: AnalyticsStore, range: Days): Promise<Measured> {
  return measuredBy(await readWays(store, range));
}

async function readWays(store: AnalyticsStore, { projectId, from, to }: Days): Promise<TallyRow[]> {
  const { rows } = await store.readTally({ projectId, from, to, tally: 'ways-in', ...allWays });
  return rows;
}

const keptMs = 60_000;

/** Of projects, by their ids. */
interface Kept {
  measured: Promise<Measured>;
  today: Day;
  until: number;
}

/**
 * What could be counted yesterday and today, as of a minute ago, for those who ask every few seconds: a day that has just begun
 * tells of nothing yet. Days that another tool counted tell nothing of who comes now.
 */
export class LatelyMeasured {
  readonly #kept = new Map<string, Kept>();

  async read(store: AnalyticsStore, projectId: string, today: Day, now: number): Promise<Measured> {
    const known = this.#kept.get(projectId);
    if (known?.today === today && now < known.until) return known.measured;
    const range = { projectId, from: today - 1, to: today + 1 };
    const measured = readWays(store, range).then((rows) =>
      measuredBy(rows.filter(({ group }) => wayAndTool(group).way !== 'history')),
    );
    this.#kept.set(projectId, { measured, today, until: now + keptMs });
    const { ways } = await measured.catch((error: unknown) => {
      this.#kept.delete(projectId);
      throw error;
    });
    // Whoever has just begun sees at once what comes.
    if (ways.length === 0) this.#kept.delete(projectId);
    return measured;
  }
}

/**
 * The script and the image see everybody who looks at a page, and no AI client that runs no scripts. A report or a log sees
 * all requests, and may leave people to the script. Other tools tell of people alone.
 */
export function measuredBy(rows: readonly Way[]): Measured {
  if (rows.length === 0) return { people: null, ai: null, ways: [] };
  const ways = waysIn.filter((way) => rows.some(({ group }) => wayAndTool(group).way === way));
  return { people: rows.some(sees.human), ai: rows.some(sees.ai), ways };
}

type Way = Pick<TallyRow, 'group' | 'name'>;

/** Whether who came in so tells that these were measured. */
const sees = {
  human: ({ group, name }: Way) => name === 'people' || ['script', 'image'].includes(wayAndTool(group).way),
  ai: ({ group }: Way) => ['report', 'log'].includes(wayAndTool(group).way),
};

/** Days on which something came in, and nothing that measures people, or AI. */
export function unmeasuredDays(ways: readonly WayDays[]): Record<keyof typeof sees, Set<Day>> {
  const daysOf = (rows: readonly WayDays[]) => new Set(rows.flatMap(({ days }) => days));
  const all = daysOf(ways);
  return {
    human: all.difference(daysOf(ways.filter(sees.human))),
    ai: all.difference(daysOf(ways.filter(sees.ai))),
  };
}

export type MeasuredKinds = Pick<Measured, 'people' | 'ai'>;

/** What could be counted on a day: where a server joined later, nobody measured AI on the days before. */
export function measuredDays(
  rows: readonly (Pick<TallyRow, 'group' | 'name'> & { day: Day })[],
): (day: Day) => MeasuredKinds {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return (day) => {
    const { people, ai } = measuredBy(byDay.get(day) ?? []);
    return { people, ai };
  };
}

/** Whether a count is zero because nobody measured. What was counted all the same is told. */
export function isUnmeasured(count: number, wasMeasured: boolean | null): boolean {
  return count === 0 && wasMeasured === false;
}

/** What a group of the tally says: the way in, and the tool of days that another one counted. */
function wayAndTool(group: string): { way: string; tool?: string } {
  const [way = '', tool] = group.split('\t');
  return tool === undefined ? { way } : { way, tool };
}

/** Runs of days on which something came in that way, the oldest first; of history by the tool that counted it. */
export function coverageOf(rows: readonly (Pick<TallyRow, 'group'> & { day: Day })[]): Coverage[] {
  const groups = [...new Set(rows.map(({ group }) => group))].sort();
  return waysIn.flatMap((way) =>
    groups
      .filter((group) => wayAndTool(group).way === way)
      .flatMap((group) => {
        const { tool } = wayAndTool(group);
        const days = new Set(rows.filter((row) => row.group === group).map(({ day }) => day));
        return runsOf(days).map((run) => ({ way, ...run, ...(tool !== undefined && { tool }) }));
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
