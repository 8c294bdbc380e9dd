import type { Day } from '../counting/calendar.ts';
import { weekdayOf } from './days.ts';

/** The baseline of a silence: the days that end with the last view. */
export const baselineDays = 28;
/** Silences of more whole days are no news any more. */
export const longestSilence = 28;
/** A client is regular enough for its silence to mean something. */
const minBaseline = 14;
const minActiveDays = 8;
/** One in a thousand: there are dozens of clients, and every day is another chance of a false alarm. */
const maxProbability = 0.001;

export interface Silence {
  /** The last day with a view. */
  lastSeen: Day;
  silentDays: number;
  /** Views on a day, on average. */
  usualViews: number;
  longestGap: number;
  /** Of so long a silence if nothing had changed, at most. */
  probability: number;
}

/**
 * Whether a client that came regularly has stopped. It has when its silence is longer than twice the longest
 * gap of its baseline, and when the chance of so many days without a view is below one in a thousand: by a negative binomial
 * with the baseline's mean, weekdays and spread, or by how often a day without a view came, and came after another one,
 * whichever is the likelier.
 *
 * @param counts of each whole day, the newest last
 * @param lastDay the newest of them
 * @param unmeasured days that say nothing, as views would not have been counted
 */
export function findSilence(
  counts: readonly number[],
  lastDay: Day,
  unmeasured: ReadonlySet<Day> = new Set(),
): Silence | null {
  const dayOf = (i: number) => lastDay - (counts.length - 1 - i);
  const days = counts.map((_, i) => dayOf(i)).filter((day, i) => !unmeasured.has(day) || counts[i] !== 0);
  const views = days.map((day) => counts[day - dayOf(0)] as number);
  const last = views.findLastIndex((count) => count > 0);
  const silentDays = views.length - 1 - last;
  if (last === -1 || silentDays < 2 || silentDays > longestSilence) return null;
  const first = views.findIndex((count) => count > 0);
  const start = Math.max(first, last + 1 - baselineDays);
  const baseline = views.slice(start, last + 1);
  const active = baseline.filter((count) => count > 0).length;
  if (baseline.length < minBaseline || active < minActiveDays) return null;
  const longestGap = longestRunOfZeros(baseline);
  if (silentDays <= 2 * longestGap + 1) return null;
  const chance = chanceOfNone(baseline, days.slice(start, last + 1));
  const probability = days.slice(last + 1).reduce((product, day) => product * chance(day), 1);
  if (probability >= maxProbability) return null;
  return { lastSeen: days[last] as Day, silentDays, usualViews: mean(baseline), longestGap, probability };
}

/** The chance that a day has no view. */
function chanceOfNone(baseline: readonly number[], days: readonly Day[]): (day: Day) => number {
  const usual = mean(baseline);
  const weekdays = Array.from({ length: 7 }, () => ({ sum: usual, days: 1 }));
  for (const [i, count] of baseline.entries()) {
    const weekday = weekdays[weekdayOf(days[i] as Day)];
    if (!weekday) continue;
    weekday.sum += count;
    weekday.days++;
  }
  const expected = weekdays.map(({ sum, days }) => sum / days);
  const observed = chanceOfAnother(baseline);
  const excess = excessOf(baseline, days, expected);
  return (day) => Math.max(chanceOfZero(expected[weekdayOf(day)] ?? usual, excess), observed);
}

/** The share of days without a view, or of those after such a day where these come in runs. */
function chanceOfAnother(baseline: readonly number[]): number {
  const none = baseline.filter((count) => count === 0).length;
  const overall = (none + 1) / (baseline.length + 2);
  const runs = baseline.filter((count, i) => count === 0 && i > 0 && baseline[i - 1] === 0).length;
  return Math.max(overall, (runs + overall) / (none + 1));
}

/** How much the variance of a day exceeds its mean, for each view expected squared: 1 / k of a negative binomial. */
function excessOf(baseline: readonly number[], days: readonly Day[], expected: readonly number[]): number {
  let spread = 0;
  let squares = 0;
  for (const [i, count] of baseline.entries()) {
    const mu = expected[weekdayOf(days[i] as Day)] ?? 0;
    spread += (count - mu) ** 2 - mu;
    squares += mu ** 2;
  }
  return squares === 0 ? 0 : Math.max(0, spread / squares);
}

function chanceOfZero(expected: number, excess: number): number {
  return excess < 1e-9 ? Math.exp(-expected) : (1 + excess * expected) ** (-1 / excess);
}

function longestRunOfZeros(counts: readonly number[]): number {
  let longest = 0;
  let run = 0;
  for (const count of counts) {
    run = count === 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}
