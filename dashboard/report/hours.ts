import type { BoundedCount, HoursReply, Measure } from '../../shared/reports/analytics.ts';
import type { Bin } from '../chart/bins.ts';
import { addDays, formatDay } from '../formats/day.ts';
import { addCounts } from '../formats/measured.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

type Day = HoursReply['days'][number];

export interface Compared {
  now: Sums;
  before: Sums;
  /** Whether these were measured all of the time, now and before. */
  has: Record<'human' | 'ai', boolean>;
  /** Of what is before, as a sentence ends. */
  period: string;
  /** What of the days that are shown is not compared, as a sentence. */
  without?: string | undefined;
}

/**
 * Today up to the last full hour, and the same hours of yesterday; undefined in the first hour of a day, and where one has
 * none.
 *
 * @param has what was measured on both days
 */
export function compareHours({ now, days }: HoursReply, has: Compared['has']): Compared | undefined {
  const of = (date: string) => days.find((day) => day.date === date);
  const [yesterday, today] = [of(addDays(now.date, -1)), of(now.date)];
  if (!yesterday || !today || now.hour === 0) return undefined;
  const until = ({ hours }: Day) => sumOf(hours.filter(({ hour }) => hour < now.hour));
  const period = fill(t.byOnTheDayBefore, { hour: clock(now.hour) });
  return { now: until(today), before: until(yesterday), has, period };
}

export function hasHours({ days }: HoursReply, day: string): boolean {
  return days.some(({ date }) => date === day);
}

/** Points of a chart. */
export function toHourBins({ days }: HoursReply, measure: Measure): Bin[] {
  return days.flatMap(({ date, hours, measured }) =>
    hours.map(({ hour, [measure]: count }) => ({
      ...count,
      measured,
      from: date,
      to: date,
      name: `${formatDay(date, 'weekday')}, ${clock(hour)}`,
      tick: hour === 0 ? formatDay(date, 'shortDay') : clock(hour),
    })),
  );
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

export type Sums = Record<Measure, BoundedCount>;

export function sumOf(counts: readonly Sums[]): Sums {
  const none = { human: 0, ai: 0, total: 0 };
  return {
    visitors: counts.map(({ visitors }) => visitors).reduce(addCounts, none),
    views: counts.map(({ views }) => views).reduce(addCounts, none),
  };
}
