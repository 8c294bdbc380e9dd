import type { CountedDropReason } from '../../shared/hit.ts';
import type { Day } from '../counting/calendar.ts';
import { amountOf, type CounterSet } from '../counting/counter.ts';
import type { LogBatch, ViewBatch } from '../store/counts/view-batch.ts';
import type { CountedDay } from './days.ts';
import { ImportResult } from './import-result.ts';
import type { LogState } from './reading/known-logs.ts';

/** Lines after which a transaction is full, whatever their outcome: an interrupted transaction is repeated. */
const maxLines = 50_000;

interface LogPart {
  log: LogState;
  /** As far as the lines of this batch go. */
  bytes: number;
  lines: number;
}

/** The counts of one transaction. */
export class Batch {
  readonly views: ViewBatch;
  readonly result = new ImportResult();
  readonly #days = new Map<CountedDay, { index: number; lastAt: number }>();
  readonly #dropped = new Map<string, LogBatch['dropped'][number]>();
  readonly #counters = new Map<string, NonNullable<LogBatch['counters']>[number]>();
  readonly #logs = new Map<LogState, LogPart>();

  constructor(views: ViewBatch) {
    this.views = views;
  }

  get isFull(): boolean {
    return this.views.isFull || this.result.lines >= maxLines;
  }

  get isEmpty(): boolean {
    return this.#logs.size === 0;
  }

  /** Whether lines that are no views add to something. */
  get hasCounters(): boolean {
    return this.#dropped.size > 0 || this.#counters.size > 0;
  }

  /** The place of the day in this batch, which takes in a line of this time. */
  indexOf(day: CountedDay, at: number): number {
    const known = this.#days.get(day);
    if (known) {
      if (at > known.lastAt) known.lastAt = at;
      return known.index;
    }
    const index = this.#days.size;
    this.#days.set(day, { index, lastAt: at });
    return index;
  }

  drop(day: Day, reason: CountedDropReason, family: string): void {
    const key = `${day} ${reason} ${family}`;
    const known = this.#dropped.get(key);
    if (known) known.hits++;
    else this.#dropped.set(key, { day, reason, family, hits: 1 });
  }

  /** Adds the counters of a line that is no view. */
  count(day: Day, set: CounterSet, bytes = 0): void {
    for (const entry of set) {
      const key = `${day} ${entry.counter}\n${entry.group}\n${entry.name}`;
      const known = this.#counters.get(key);
      const amount = amountOf(entry, bytes);
      if (known) {
        known.hits++;
        known.amount += amount;
      } else this.#counters.set(key, { ...entry, day, hits: 1, amount });
    }
  }

  /** Lines of the log are in the batch up to here. */
  reach(log: LogState): void {
    this.#logs.set(log, { log, ...log.read });
  }

  logs(): LogPart[] {
    return [...this.#logs.values()];
  }

  /** In the form for the store. */
  pack({
    countedAt,
    ...of
  }: Pick<LogBatch, 'projectId' | 'hasGoals' | 'knownLogs' | 'forgetAt'> & { countedAt: number }): LogBatch {
    return {
      ...of,
      days: [...this.#days].map(([{ opened }, { lastAt }]) => ({ ...opened, lastAt })),
      dropped: [...this.#dropped.values()],
      counters: [...this.#counters.values()],
      logs: this.logs().map(({ log, bytes, lines }) => ({
        id: log.id,
        headLength: log.headLength,
        headHash: log.headHash,
        from: log.counted.bytes,
        bytes,
        lines,
        open: log.open?.takeChanges() ?? [],
        name: log.name,
        countedAt,
      })),
    };
  }
}
