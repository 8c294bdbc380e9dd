import type { FaultKind, FaultReply, FaultState } from '../../../shared/reports/faults.ts';
import type { Day } from '../../counting/calendar.ts';
import { renamedPath } from '../../counting/page/renamed.ts';
import type { AnalyticsStore } from '../../store/counts/analytics.ts';
import { type BoundedRange, dateOf } from '../days.ts';
import { write } from '../gaps.ts';
import { isMissing, isRefusal, readMissed } from './found-faults.ts';
import { type Interval, intervalOfChange, type Share } from './interval.ts';

/** On either side of a merge, whose day is in none. */
const outcomeDays = 28;
/** After so many days a merge explains nothing any more: what is found then is found anew. */
export const mergeDays = 2 * outcomeDays;
/** Fewer say nothing, whatever they are. */
const minRequests = 5;
const minDays = 3;
/** From so many on, or so many days, what has not changed yet does not change. */
const manyRequests = 30;
const manyDays = 14;

type Measure = 'failed' | 'read' | 'cut_off' | 'ai';

const measures: Readonly<Record<FaultKind, Measure>> = {
  not_found: 'failed',
  refused: 'failed',
  ignored: 'read',
  unread: 'read',
  outdated: 'read',
  cut_off: 'cut_off',
  ai_heavy: 'ai',
};

/** A fault whose pull request was merged. */
export interface MergedFault {
  kind: FaultKind;
  /** Which the page has now. */
  path: string;
  day: Day;
}

export interface Outcome {
  state: Extract<FaultState, 'merged' | 'no_change' | 'improved'>;
  outcome: NonNullable<FaultReply['outcome']>;
  says: string;
}

interface DayOfPage {
  day: Day;
  people: number;
  ai: number;
  /** By statuses. */
  failed: { status: string; hits: number }[];
  cutOff: number;
}

/** What was counted of pages, day by day. */
type DaysOfPages = ReadonlyMap<string, readonly DayOfPage[]>;

/** How often people met a 404, by path, on either side of a merge. */
type MissedAround = Record<'before' | 'after', ReadonlyMap<string, number>>;

interface Asked {
  store: AnalyticsStore;
  projectId: string;
  today: Day;
  renamedPaths: readonly string[];
}

/** All that outcomes need. */
export interface Counted {
  pages: DaysOfPages;
  /** By the day of the merge. */
  missed: ReadonlyMap<Day, MissedAround>;
}

/** Of all days that the outcomes of these need. */
export async function readCounted(asked: Asked, merged: readonly MergedFault[]): Promise<Counted> {
  const { store, projectId, today } = asked;
  if (merged.length === 0) return { pages: new Map(), missed: new Map() };
  const names = [...new Set(merged.map(({ path }) => path))];
  const from = Math.min(...merged.map(({ day }) => day)) - outcomeDays;
  const range = { projectId, from, to: today + 1 };
  const [views, failures, cutOff] = await Promise.all([
    store.readNamedDays({ ...range, of: 'path', names }),
    store.readCounterDays({ ...range, counter: 'ai-failures', names }),
    store.readCounterDays({ ...range, counter: 'ai-cut-off', names }),
  ]);
  const pages = new Map(names.map((name) => [name, new Map<Day, DayOfPage>()]));
  const dayOf = (name: string, day: Day): DayOfPage => {
    const days = pages.get(name) ?? new Map<Day, DayOfPage>();
    const found = days.get(day) ?? { day, people: 0, ai: 0, failed: [], cutOff: 0 };
    days.set(day, found);
    return found;
  };
  for (const { name, day, views: count } of views) {
    const found = dayOf(name, day);
    found.people += count.human;
    found.ai += count.ai;
  }
  for (const { name, day, group, hits } of failures)
    dayOf(name, day).failed.push({ status: group.split('\t')[1] ?? '', hits });
  for (const { name, day, hits } of cutOff) dayOf(name, day).cutOff += hits;
  return {
    pages: new Map(Array.from(pages, ([name, days]) => [name, [...days.values()]])),
    missed: await readMissedAround(asked, merged),
  };
}

async function readMissedAround(
  { store, projectId, today, renamedPaths }: Asked,
  merged: readonly MergedFault[],
): Promise<Counted['missed']> {
  const missing = merged.filter(({ kind }) => kind === 'not_found');
  const days = [...new Set(missing.map(({ day }) => day))];
  const around = days.map(async (day): Promise<[Day, MissedAround]> => {
    const { before, after } = windowsOf(day, today);
    const read = async (range: BoundedRange) =>
      byPage(await readMissed(store, { projectId, ...range }), renamedPaths);
    const [was, is] = await Promise.all([read(before), read(after)]);
    return [day, { before: was, after: is }];
  });
  return new Map(await Promise.all(around));
}

/** Pages that people met under several names. */
function byPage(times: ReadonlyMap<string, number>, renamedPaths: readonly string[]): Map<string, number> {
  const pages = new Map<string, number>();
  for (const [name, count] of times) {
    const path = renamedPath(name, { renamedPaths });
    pages.set(path, (pages.get(path) ?? 0) + count);
  }
  return pages;
}

function windowsOf(day: Day, today: Day): Record<'before' | 'after', BoundedRange> {
  const end = Math.max(day + 1, Math.min(today + 1, day + 1 + outcomeDays));
  return { before: { from: day - outcomeDays, to: day }, after: { from: day + 1, to: end } };
}

/** Whether the merge helped. */
export function readOutcome(
  { kind, path, day }: MergedFault,
  { pages, missed }: Counted,
  today: Day,
): Outcome {
  const days = pages.get(path) ?? [];
  const windows = windowsOf(day, today);
  const around = missed.get(day);
  const missedBefore = around?.before.get(path) ?? 0;
  const hasPeople = kind === 'not_found' && missedBefore > 0;
  const missedOf = (times: number) => (hasPeople ? times : null);
  const before = shareOf(kind, days, { ...windows.before, missed: missedOf(missedBefore) });
  const after = shareOf(kind, days, { ...windows.after, missed: missedOf(around?.after.get(path) ?? 0) });
  const interval = intervalOfChange(before, after);
  const state = stateOf(measures[kind], { after, interval, days: windows.after.to - windows.after.from });
  const outcome = {
    since: dateOf(day),
    ...{ hits: after.hits, of: after.of, hitsBefore: before.hits, ofBefore: before.of },
    ...{ low: interval && round(interval.low), high: interval && round(interval.high) },
    hasPeople,
    isKnown: state !== 'merged',
  };
  return { state, outcome, says: describe(measures[kind], state, outcome) };
}

const round = (share: number) => Math.round(share * 1000) / 1000;

/** @param missed how often people met a 404; null: they are left out. They are among the views, which the script counts there, too. */
function shareOf(
  kind: FaultKind,
  all: readonly DayOfPage[],
  { from, to, missed }: BoundedRange & { missed: number | null },
): Share {
  const days = all.filter(({ day }) => day >= from && day < to);
  const sum = (read: (day: DayOfPage) => number) => days.reduce((total, day) => total + read(day), 0);
  const ai = sum((day) => day.ai);
  switch (measures[kind]) {
    case 'failed': {
      const isMeant = kind === 'not_found' ? isMissing : isRefusal;
      const failed = days.flatMap((day) => day.failed);
      const hits = failed.filter(({ status }) => isMeant(status)).reduce((total, one) => total + one.hits, 0);
      const of = ai + failed.reduce((total, one) => total + one.hits, 0);
      if (missed === null) return { hits, of };
      return {
        hits: hits + missed,
        of:
          of +
          Math.max(
            missed,
            sum((day) => day.people),
          ),
      };
    }
    case 'read':
      return { hits: days.filter((day) => day.ai > 0).length, of: Math.max(0, to - from) };
    case 'cut_off':
      return { hits: sum((day) => day.cutOff), of: ai };
    case 'ai':
      return { hits: ai, of: ai + sum((day) => day.people) };
  }
}

function stateOf(
  measure: Measure,
  { after, interval, days }: { after: Share; interval: Interval | null; days: number },
): Outcome['state'] {
  const isOfDays = measure === 'read';
  if (interval === null || after.of < (isOfDays ? minDays : minRequests)) return 'merged';
  if (isOfDays ? interval.low > 0 : interval.high < 0) return 'improved';
  return days >= manyDays || (!isOfDays && after.of >= manyRequests) ? 'no_change' : 'merged';
}

const leads: Readonly<Record<Measure, string>> = {
  failed: 'AI clients read it again',
  read: 'AI clients read it again',
  cut_off: 'AI clients get more of it',
  ai: 'More of its readers are people',
};

/** In one sentence. */
function describe(
  measure: Measure,
  state: Outcome['state'],
  { since, hits, of, hitsBefore, ofBefore, low, high, hasPeople }: Outcome['outcome'],
): string {
  const improved = hasPeople ? 'It is found again' : leads[measure];
  const lead = { improved, no_change: 'No change', merged: 'Not enough visits yet' }[state];
  const counted = `${write(hits)} of ${write(of)}`;
  const what = {
    failed: `${counted} failed`,
    read: `read on ${counted} days`,
    cut_off: `${counted} views were cut off`,
    ai: `${counted} views were by AI`,
  }[measure];
  const points = (share: number) => `${share < 0 ? '−' : '+'}${Math.round(Math.abs(share) * 100)}`;
  const interval =
    low === null || high === null
      ? ''
      : `; 95% interval of the change ${points(low)} to ${points(high)} points`;
  return `${lead}: ${what} since ${shortDay(since)} (before: ${write(hitsBefore)} of ${write(ofBefore)}${interval}).`;
}

/** 3 Dec */
function shortDay(date: string): string {
  return Temporal.PlainDate.from(date).toLocaleString('en-GB', { day: 'numeric', month: 'short' });
}
