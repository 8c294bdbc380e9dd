import type { Count, HoursReply } from '../../shared/analytics.ts';
import type { Context } from '../context.ts';
import { Calendar, type Day, fromDay, hourNames } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { HourRow } from '../store/counts/analytics-store.ts';

/** Days before today: the second is about to be sealed, or clocks were turned. */
const mostBefore = 2;
const none: Count = { human: 0, ai: 0, total: 0 };

/**
 * Today as far as it has come, and what of the days before is not sealed, which leaves nothing of hours: yesterday as a rule.
 * Another node may have sealed it whose clock is ahead.
 */
export async function readHours({ store, now }: Context, project: LiveProject): Promise<HoursReply> {
  const calendar = new Calendar(project.settings.timeZone);
  const at = now();
  const today = calendar.dayOf(at);
  const hour = calendar.hourOf(at);
  const from = today - mostBefore;
  const { sealedThrough, rows } = await store.readHours({ projectId: project.id, from, to: today + 1 });
  const first = Math.max(from, (sealedThrough ?? calendar.lastDueDay(at)) + 1);
  const days = Array.from({ length: today - first + 1 }, (_, i) => {
    const day = first + i;
    return { date: dateOf(day), hours: hoursOf(day, rows, day === today ? hour : '23') };
  });
  return { now: { date: dateOf(today), hour: Number(hour) }, days };
}

const dateOf = (day: Day) => fromDay(day).toString();

function hoursOf(day: Day, rows: readonly HourRow[], last: string): HoursReply['days'][number]['hours'] {
  const found = new Map(rows.filter((row) => row.day === day).map((row) => [row.hour, row]));
  return hourNames
    .filter((hour) => hour <= last)
    .map((hour) => {
      const { visitors = none, views = none } = found.get(hour) ?? {};
      return { hour: Number(hour), visitors, views };
    });
}
