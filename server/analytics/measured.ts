import type { Coverage, Measured } from '../../shared/replies/analytics.ts';
import { type WayIn, waysIn } from '../../shared/tallies.ts';
import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { AnalyticsStore, TallyRow } from '../store/counts/analytics-store.ts';
import type { RangeQuery } from '../store/counts/range-query.ts';

/** Ways and kinds are fewer. */
const allWays = { limit: 100, offset: 0 };

/** What could be counted in a range, by the ways in which hits came. */
export async function readMeasured(
  store: AnalyticsStore,
  { projectId, from, to }: Omit<RangeQuery, 'limit' | 'offset'>,
): Promise<Measured> {
  const { rows } = await store.readTally({ projectId, from, to, tally: 'ways-in', ...allWays });
  return measuredBy(rows);
}

/**
 * The script and the image see everybody who looks at a page, and no AI client that runs no scripts. A report or a log sees
 * all requests, and may leave people to the script.
 */
export function measuredBy(rows: readonly Pick<TallyRow, 'group' | 'name'>[]): Measured {
  if (rows.length === 0) return { people: null, ai: null, ways: [] };
  const ways = waysIn.filter((way) => rows.some(({ group }) => group === way));
  const seesPeople = ways.includes('script') || ways.includes('image');
  return {
    people: seesPeople || rows.some(({ name }) => name === 'people'),
    ai: ways.includes('report') || ways.includes('log'),
    ways,
  };
}

/** Runs of days on which something came in that way, the oldest first. */
export function coverageOf(rows: readonly (Pick<TallyRow, 'group'> & { day: Day })[]): Coverage[] {
  return waysIn.flatMap((way) =>
    runsOf(way, new Set(rows.filter(({ group }) => group === way).map(({ day }) => day))),
  );
}

function runsOf(way: WayIn, days: ReadonlySet<Day>): Coverage[] {
  const firsts = [...days].filter((day) => !days.has(day - 1)).sort((a, b) => a - b);
  return firsts.map((first) => {
    let last = first;
    while (days.has(last + 1)) last++;
    return { way, from: String(fromDay(first)), to: String(fromDay(last)) };
  });
}
