import type { digestTerms } from '../../shared/project/outbox-settings.ts';
import { type Day, fromDay, toDay } from '../counting/calendar.ts';
import { dateOf, mondayOf } from '../insights/days.ts';

export type DigestTerm = Exclude<(typeof digestTerms)[number], 'never'>;

/** The period of a digest. */
export interface DigestPeriod {
  term: DigestTerm;
  /** First day of the period before, which it is compared with. */
  before: Day;
  /** First day. */
  from: Day;
  /** The day after the last one. */
  to: Day;
  /** In words: `week of 2026-11-16`. */
  name: string;
}

/** The newest week (from Monday) or month whose days are all sealed. */
export function lastPeriod(term: DigestTerm, sealedThrough: Day): DigestPeriod {
  return term === 'weekly' ? lastWeek(sealedThrough + 1) : lastMonth(sealedThrough + 1);
}

function lastWeek(end: Day): DigestPeriod {
  const to = mondayOf(end);
  const from = to - 7;
  return { term: 'weekly', before: from - 7, from, to, name: `week of ${dateOf(from)}` };
}

function lastMonth(end: Day): DigestPeriod {
  const next = fromDay(end).with({ day: 1 });
  const first = next.subtract({ months: 1 });
  return {
    term: 'monthly',
    before: toDay(next.subtract({ months: 2 })),
    from: toDay(first),
    to: toDay(next),
    name: `month of ${first.toString().slice(0, 7)}`,
  };
}
