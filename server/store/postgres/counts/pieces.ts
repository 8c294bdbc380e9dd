import { type CounterSum, cellsPerView, type LiveViews } from '../../counts/view-table.ts';
import type { NumberedCounter } from './batch/batch-call.ts';
import { shardOf, shardOfVisitor } from './counted-project.ts';
import type { CounterAddition } from './counter-rows.ts';
import type { OpenDayRow } from './day-rows.ts';

/** A call locks each of its days, and a database has room for some thousand locks. */
const maxDays = 256;

/** What hits that are no views add to. */
export interface NumberedUncounted {
  dropped: readonly NumberedCounter[];
  counters: readonly (CounterSum & Pick<CounterAddition, 'project' | 'day'>)[];
}

/** Views, by their indexes, and counters that one call counts. */
export interface Piece {
  shard: number;
  views: number[];
  dropped: NumberedCounter[];
  counters: CounterAddition[];
}

/** The place of a view's day in its batch. */
export function dayOf({ views }: LiveViews, view: number): number {
  return views.cells[view * cellsPerView] as number;
}

/** In calls of one shard each where these are on several servers, and otherwise in as few as possible. */
export function divide(
  live: LiveViews,
  rows: readonly (OpenDayRow | undefined)[],
  { dropped, counters }: NumberedUncounted,
  isDistributed: boolean,
): Piece[] {
  const pieces = new Map<number, Piece>();
  const pieceOf = (key: number, shard: number) => {
    const known = pieces.get(key) ?? { shard, views: [], dropped: [], counters: [] };
    pieces.set(key, known);
    return known;
  };
  for (let view = 0; view < live.views.visitors.length; view++) {
    const day = dayOf(live, view);
    const row = rows[day];
    if (!row) continue;
    const shard = isDistributed ? shardOfVisitor(row, live.views.visitors[view] as bigint) : 0;
    pieceOf(isDistributed ? shard : Math.floor(day / maxDays), shard).views.push(view);
  }
  for (const counter of dropped) {
    const shard = isDistributed ? shardOf(counter.project, 0) : 0;
    pieceOf(shard, shard).dropped.push(counter);
  }
  for (const counter of counters) {
    const shard = shardOf(counter.project, 0);
    const of = isDistributed ? shard : 0;
    pieceOf(of, of).counters.push({ ...counter, place: 0, shard });
  }
  return [...pieces.values()];
}

/** Views of days that are not open. */
export function unopened(live: LiveViews, rows: readonly (OpenDayRow | undefined)[]): number[] {
  const views = Array.from({ length: live.count }, (_, view) => view);
  return rows.includes(undefined) ? views.filter((view) => !rows[dayOf(live, view)]) : [];
}
