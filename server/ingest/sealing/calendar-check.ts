import { Calendar, type Day, fromDay } from '../../counting/calendar.ts';
import { importSaltMs, type SaltCipher } from '../../counting/visitor/salt.ts';
import type { CalendarRepair } from '../../store/calendar-repair.ts';
import type { KeptSalt, ProjectCalendar } from '../../store/counts/counting-store.ts';
import type { DaySummary } from '../../store/counts/view-batch.ts';
import type { Project } from '../../store/projects.ts';
import type { Store } from '../../store/store.ts';

/**
 * `sealed_ahead`: days are sealed before they have ended, so that no hit is counted; `future_counts`: days later than
 * tomorrow hold counts; `future_salts`: or are open; `kept_salts`: salts of imports are kept for too long; `overdue_salts`:
 * days should have been sealed.
 */
type CalendarProblem = 'sealed_ahead' | 'future_counts' | 'future_salts' | 'kept_salts' | 'overdue_salts';

/** What is not in the database: its schema is an older one, and what the machine and the settings lack. */
export type SurroundingProblem =
  | 'schema'
  | 'disk'
  | 'clock'
  | 'rights'
  | 'key'
  | 'file'
  | 'trusted_proxies'
  | 'base_url'
  | 'git'
  | 'sandbox'
  | 'durability';

export interface Problem {
  kind: CalendarProblem | 'damage' | 'incomplete' | SurroundingProblem;
  /** Null: of the whole installation. */
  projectId: string | null;
  message: string;
  /** The repair; null: there is none. */
  repair: string | null;
}

const hourMs = 60 * 60 * 1000;

/** The state of a project's calendar, by a clock that is assumed to be right. */
export interface CheckedCalendar extends ProjectCalendar {
  today: Day;
  /** Days up to this one should be sealed. */
  due: Day;
  futureDays: DaySummary[];
  salts: KeptSalt[];
  /** When throw-away salts are due at the latest, in milliseconds since 1970. */
  forgetBy: number;
}

export async function readCalendars(
  store: Pick<Store, 'listCalendars' | 'listSalts' | 'imports'>,
  projects: readonly Project[],
  now: number,
): Promise<CheckedCalendar[]> {
  const calendars = new Map((await store.listCalendars()).map((one) => [one.projectId, one]));
  const salts = Map.groupBy(await store.listSalts(), ({ projectId }) => projectId);
  const checked = projects.map(async ({ id, settings }) => {
    const known = calendars.get(id) ?? { projectId: id, newestDay: null, sealedThrough: null };
    const calendar = new Calendar(settings.timeZone);
    const today = calendar.dayOf(now);
    const isAhead = (known.newestDay ?? today) > today + 1;
    const days = isAhead ? await store.imports.listDays(id) : [];
    return {
      ...known,
      today,
      due: calendar.lastDueDay(now),
      futureDays: days.filter(({ day }) => day > today + 1),
      salts: salts.get(id) ?? [],
      forgetBy: now + importSaltMs + hourMs,
    };
  });
  return Promise.all(checked);
}

/** @param moveTo where counts of future days would go; undefined: nobody has said so */
export function problemsOf(calendar: CheckedCalendar, moveTo: Day | undefined): Problem[] {
  const { projectId, sealedThrough, today, due, futureDays, salts, forgetBy } = calendar;
  const problems: Problem[] = [];
  const add = (kind: CalendarProblem, message: string, repair: string | null) =>
    problems.push({ kind, projectId, message, repair });
  if (sealedThrough !== null && sealedThrough > today) {
    add(
      'sealed_ahead',
      `It is sealed up to ${fromDay(sealedThrough)}, so that no hit is counted before that day.`,
      `It is sealed up to ${fromDay(due)} from then on. Visitors who were counted since then may be counted once more on the same day.`,
    );
  }
  if (futureDays.length > 0) {
    add(
      'future_counts',
      `Days later than tomorrow hold counts: ${listDays(futureDays)}. When they were really counted is not known.`,
      moveTo === undefined
        ? 'They stay where they are. --move-to <date> adds them to that day instead.'
        : `They are added to ${fromDay(moveTo)}.`,
    );
  }
  const future = salts.filter(({ day }) => day > today + 1);
  if (future.length > 0) {
    add(
      'future_salts',
      `${count(future.length, 'day')} later than tomorrow ${future.length === 1 ? 'is' : 'are'} open, the last one ${lastOf(future)}.`,
      'Their salts and visitors are deleted.',
    );
  }
  const kept = salts.filter(({ forgetAt }) => forgetAt !== null && forgetAt > forgetBy);
  if (kept.length > 0) {
    add(
      'kept_salts',
      `Salts that an import made for ${count(kept.length, 'day')} are kept for longer than a day.`,
      'They are deleted, with the visitors of these days.',
    );
  }
  // A server that runs does it every minute.
  const overdue = salts.filter(({ day, forgetAt }) => forgetAt === null && day < due);
  if (overdue.length > 0) {
    add(
      'overdue_salts',
      `${count(overdue.length, 'day')} should have been sealed by now. The server does it when it starts and every minute; if it is running, its log says why it does not.`,
      null,
    );
  }
  return problems;
}

export function repairOf(
  { projectId, today, due, forgetBy }: CheckedCalendar,
  moveTo: Day | null,
  saltCipher: SaltCipher,
): CalendarRepair {
  const unsealed = Array.from({ length: today + 1 - due }, (_, i) => due + 1 + i);
  const days = new Set([...unsealed, ...(moveTo === null ? [] : [moveTo])]);
  return {
    projectId,
    lastDay: today + 1,
    sealedThrough: due,
    reopened: Array.from(days, (day) => ({ day, salt: saltCipher.make({ projectId, day }) })),
    moveTo,
    forgetBy,
  };
}

function listDays(days: readonly DaySummary[]): string {
  const named = days
    .slice(0, 5)
    .map(({ day, humanViews, aiViews }) => `${fromDay(day)} (views: ${humanViews} human, ${aiViews} AI)`);
  return `${named.join(', ')}${days.length > 5 ? ` and ${days.length - 5} more` : ''}`;
}

function lastOf(salts: readonly KeptSalt[]): string {
  return String(fromDay(Math.max(...salts.map(({ day }) => day))));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
