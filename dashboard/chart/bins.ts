import type { BoundedCount, CombinedSeriesReply, Measure, Measured } from '../../shared/reports/analytics.ts';
import { addDays, formatDay } from '../formats/day.ts';
import { addCounts } from '../formats/measured.ts';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';

/** A point of the chart: a day, or the days of a week or month added up. */
export type Bin = BoundedCount & {
  /** First and last day. */
  from: string;
  to: string;
  name: string;
  /** On the axis; left out: the first day. */
  tick?: string;
  /** What could be counted on any of its days; left out: what could be in the whole range. */
  measured?: Pick<Measured, 'people' | 'ai'>;
  /** Today is among its days, and is not over. */
  isPartial?: boolean;
};

export const sizes = ['day', 'week', 'month'] as const;

type Size = (typeof sizes)[number];

/** @param chosen by the reader; anything else: by the number of days */
export function sizeOf(days: number, chosen: string | null): Size {
  const size = sizes.find((one) => one === chosen);
  if (size) return size;
  if (days <= 100) return 'day';
  return days <= 800 ? 'week' : 'month';
}

/** Days are disjoint, so that sums of their visitors are exact. */
export function toBins(
  days: CombinedSeriesReply['days'],
  measure: Measure,
  interval: string | null,
  today?: string,
): Bin[] {
  const size = sizeOf(days.length, interval);
  const bins = new Map<string, Bin>();
  for (const { date, measured, [measure]: count } of days) {
    const key = keyOf(date, size);
    const bin = bins.get(key) ?? { from: date, to: date, name: '', human: 0, ai: 0, total: 0, measured };
    bins.set(key, {
      ...bin,
      ...addCounts(bin, count),
      to: date,
      measured: {
        people: onEither(bin.measured?.people, measured.people),
        ai: onEither(bin.measured?.ai, measured.ai),
      },
    });
  }
  return [...bins.values()].map((bin) => ({
    ...bin,
    name: nameBin(bin, size),
    isPartial: today !== undefined && bin.to >= today,
  }));
}

/** Null where nothing is known of either day. */
function onEither(one: boolean | null | undefined, other: boolean | null): boolean | null {
  return one || other || (one ?? other);
}

function keyOf(date: string, size: Size): string {
  if (size === 'day') return date;
  if (size === 'month') return date.slice(0, 7);
  // Weeks begin on Monday.
  return addDays(date, -((new Date(date).getUTCDay() + 6) % 7));
}

function nameBin({ from, to }: Bin, size: Size): string {
  if (size === 'day') return formatDay(from, 'weekday');
  if (size === 'month') return formatDay(from, 'month');
  return fill(t.fromTo, { from: formatDay(from), to: formatDay(to) });
}
