import type { Context } from '../context.ts';
import { Calendar, fromDay } from '../counting/calendar.ts';
import { periodically } from '../periodic.ts';
import type { CappedDay } from '../store/counts/analytics-store.ts';

const everyMs = 60_000;
/** Days that may still count, wherever their time zone is. */
const recentDays = 3;

/** Logs once a day, project and process that views were counted under `(other)`, and who caused it. */
export function nameCapLog({ store, log, now }: Pick<Context, 'store' | 'log' | 'now'>) {
  let logged = new Set<string>();

  async function check(): Promise<void> {
    const today = new Calendar('UTC').dayOf(now());
    const days = Map.groupBy(await store.listCapped(today - recentDays), keyOf);
    for (const [key, rows] of days) if (!logged.has(key)) log.warn(sentenceFor(rows));
    logged = new Set(days.keys());
  }

  /** Now, and then every minute. Answers how to stop. */
  function keepLogging(): () => Promise<void> {
    const failure = 'Names over the limit could not be read:';
    return periodically(check, { everyMs, isDueNow: true, log, failure }).stop;
  }

  return { check, keepLogging };
}

function keyOf({ projectId, day }: CappedDay): string {
  return `${projectId} ${day}`;
}

const causes: Record<CappedDay['cap'], string> = {
  day: 'all of the day',
  visitor: 'one visitor',
  network: 'one network',
  client: 'one AI client',
};

/** @param rows of one project and day; those with the most views come first */
function sentenceFor(rows: CappedDay[]): string {
  const [{ projectId, day }] = rows as [CappedDay];
  const parts = rows
    .slice(0, 5)
    .map(
      ({ names, cap, kind, client }) =>
        `${names} (${client ?? (kind === 'ai' ? 'AI' : 'people')}: ${causes[cap]})`,
    );
  return `Project ${projectId} takes in no more new names of some kinds from those who brought too many on ${fromDay(day)}; they count as (other): ${parts.join(', ')}.`;
}
