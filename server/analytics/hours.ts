import { maxHoursDays } from '../../shared/project/project.ts';
import type { Count, HoursReply, SeriesQuery } from '../../shared/reports/analytics.ts';
import type { Context } from '../context.ts';
import { Calendar, type Day, fromDay, hourNames } from '../counting/calendar.ts';
import type { Call } from '../http/route.ts';
import type { HourRow } from '../store/counts/analytics-store.ts';
import { countCells } from './csv.ts';
import type { Found } from './declared-route.ts';
import { sayIncluded } from './filters.ts';
import { measuredDays } from './measured.ts';
import { parseRange } from './range.ts';
import type { Audience } from './report-limits.ts';

/** Days before today: the second is about to be sealed, or clocks were turned. */
const mostBefore = 2;
const none: Count = { human: 0, ai: 0, total: 0 };

/**
 * The days of the range that have hours; without one today as far as it has come, and what of the days before is not sealed:
 * yesterday as a rule. Another node may have sealed it whose clock is ahead.
 */
export async function readHours(
  { store, now }: Context,
  { project, query }: Call<Audience, SeriesQuery>,
): Promise<Found<HoursReply>> {
  const calendar = new Calendar(project.settings.timeZone);
  const at = now();
  const today = calendar.dayOf(at);
  const range = parseRange(query, project.settings.timeZone);
  const from = Math.max(range.from ?? today - mostBefore, today - maxHoursDays);
  const to = Math.min(range.to ?? today + 1, today + 1);
  const asked = { projectId: project.id, from, to };
  const [{ sealedThrough, rows, without }, dataSources] = await Promise.all([
    store.readHours(asked),
    store.readCounterDays({ ...asked, counter: 'data-sources' }),
  ]);
  const firstOpen = (sealedThrough ?? calendar.lastDueDay(at)) + 1;
  const firstAsked = range.from === null ? firstOpen : Math.min(firstOpen, rows[0]?.day ?? firstOpen);
  const first = Math.max(from, firstAsked);
  const hour = calendar.hourOf(at);
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const measuredOn = measuredDays(dataSources);
  const days = Array.from({ length: Math.max(0, to - first) }, (_, i) => first + i)
    .filter((day) => !without.has(day))
    .map((day) => ({
      date: dateOf(day),
      hours: hoursOf(byDay.get(day), day === today ? hour : '23'),
      measured: measuredOn(day),
    }));
  return {
    included: sayIncluded(project.settings),
    answer: () => ({ now: { date: dateOf(today), hour: Number(hour) }, days }),
    rows: days
      .values()
      .flatMap(({ date, hours, measured }) =>
        hours.map(({ hour, ...count }) => ({ date, hour, ...countCells(count, measured) })),
      ),
  };
}

const dateOf = (day: Day) => fromDay(day).toString();

function hoursOf(rows: readonly HourRow[] | undefined, last: string): HoursReply['days'][number]['hours'] {
  const found = new Map(rows?.map((row) => [row.hour, row]));
  return hourNames
    .filter((hour) => hour <= last)
    .map((hour) => {
      const { visitors = none, views = none } = found.get(hour) ?? {};
      return { hour: Number(hour), visitors, views };
    });
}
