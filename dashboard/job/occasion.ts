import type { Occasion, Weekday } from '../../shared/jobs/automation.ts';
import { t } from '../texts/automations.ts';
import { fill, list } from '../texts/part.ts';

/** Not those that the schema declares, which would bring its library along. */
export const weekdays = (): Weekday[] => Object.keys(t.weekdayNames) as Weekday[];

export const hourOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** In a line. */
export function describeOccasion(when: Occasion): string {
  switch (when.kind) {
    case 'weekly':
      return describeDays(when.weekdays, hourOf(when.hour));
    case 'monthly':
      return fill(t.monthlyAt, { day: when.day, hour: hourOf(when.hour) });
    case 'missing_page':
      return fill(t.missingPage, { requests: when.requests });
    case 'unread_page':
      return fill(t.unreadPage, { days: when.days });
    case 'release':
      return fill(t.release, { repository: when.repository });
    default:
      return when satisfies never;
  }
}

function describeDays(chosen: readonly Weekday[], hour: string): string {
  const named = weekdays().filter((weekday) => chosen.includes(weekday));
  if (named.length === weekdays().length) return fill(t.everyDayAt, { hour });
  return fill(t.weeklyAt, { days: list(named.map((weekday) => t.weekdayNames[weekday])), hour });
}
