import { longSilenceMs } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { Calendar, type Day, fromDay } from '../../counting/calendar.ts';
import { program } from '../../process/program.ts';
import type { ProjectCalendar } from '../../store/counts/counting-store.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** At the start only the data shows whether the clock is right: warns where the two disagree. */
export async function compareClockWithData({
  store,
  registry,
  clock,
  log,
}: Pick<Context, 'store' | 'registry' | 'clock' | 'log'>): Promise<void> {
  const now = clock.now();
  const calendars = await store.listCalendars();
  const todayOf = ({ projectId }: ProjectCalendar) =>
    new Calendar(registry.project(projectId)?.settings.timeZone ?? 'UTC').dayOf(now);
  const ahead = calendars.filter((calendar) => lastDayOf(calendar) > todayOf(calendar) + 1);
  if (ahead.length > 0) {
    const last = Math.max(...ahead.map(lastDayOf));
    // Whatever the time zone, that day has begun then.
    clock.learn((last - 1) * dayMs);
    log.error(
      `The clock shows ${new Date(now).toISOString()}, and the database has days up to ${fromDay(last)} (${describe(ahead)}). Is the clock behind? Then set it, and counting goes on by itself. Was it ahead once? "${program} check" shows what that left, and repairs it. Projects whose days are sealed beyond tomorrow refuse hits until then (503).`,
    );
    return;
  }
  const newest = Math.max(...calendars.map(({ newestDay }) => newestDay ?? Number.NEGATIVE_INFINITY));
  const gap = Math.floor(now / dayMs) - newest;
  if (gap <= longSilenceMs / dayMs || !Number.isFinite(gap)) return;
  clock.suspect((newest + 0.5) * dayMs);
  log.info(
    `The newest view is of ${fromDay(newest)}, ${gap} days ago. If the server was not off and had visitors, the clock is ahead: set it. Views are counted, and days are closed in an hour.`,
  );
}

function lastDayOf({ newestDay, sealedThrough }: ProjectCalendar): Day {
  return Math.max(newestDay ?? Number.NEGATIVE_INFINITY, sealedThrough ?? Number.NEGATIVE_INFINITY);
}

function describe(calendars: readonly ProjectCalendar[]): string {
  const [first] = calendars;
  return calendars.length === 1 ? `project ${first?.projectId}` : `${calendars.length} projects`;
}
