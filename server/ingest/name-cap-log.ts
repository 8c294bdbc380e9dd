import type { Context } from '../context.ts';
import { Calendar, fromDay } from '../counting/calendar.ts';
import { periodically } from '../periodic.ts';
import type { CappedDay } from '../store/counts/analytics-store.ts';

const everyMs = 60_000;
/** Days that may still count, wherever their time zone is. */
const recentDays = 3;

/** Says once a day and project, as far as this process knows, that views were counted under `(other)`, and who caused it. */
export class NameCapLog {
  readonly #context: Pick<Context, 'store' | 'log' | 'now'>;
  #told = new Set<string>();

  constructor(context: Pick<Context, 'store' | 'log' | 'now'>) {
    this.#context = context;
  }

  async tell(): Promise<void> {
    const { store, log, now } = this.#context;
    const today = new Calendar('UTC').dayOf(now());
    const days = Map.groupBy(await store.listCapped(today - recentDays), keyOf);
    for (const [key, rows] of days) if (!this.#told.has(key)) log.warn(sentenceFor(rows));
    this.#told = new Set(days.keys());
  }

  /** Now, and then every minute. Answers how to stop. */
  keepLogging(): () => Promise<void> {
    const { log } = this.#context;
    const failure = 'It is not known whether names were refused:';
    return periodically(() => this.tell(), { everyMs, isDueNow: true, log, failure }).stop;
  }
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
