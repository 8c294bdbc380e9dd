import type { Queryable, SqlValue } from '../../../../database/sql.ts';
import type { DroppedCounter } from '../../../counts/counting-store.ts';
import { columnsOf, intArray, intsOf } from '../arrays.ts';
import { shardOf } from '../counted-project.ts';
import { type CounterAddition, counterColumns } from '../counter-rows.ts';
import { storable } from '../names/named-views.ts';
import type { BatchColumns } from './batch-columns.ts';

/** Hits of a project, by its number, that were not counted. */
export interface NumberedCounter extends Pick<DroppedCounter, 'day' | 'reason' | 'family' | 'hits'> {
  project: number;
}

/** Under which a batch counts once. */
export interface BatchId {
  /** Of the partition that remembers it. */
  turn: number;
  id: string;
}

/** What a call counts, all of it or nothing. */
export interface BatchCall {
  /** Of all of it, where shards are on several servers. */
  shard: number;
  slot: number;
  /** Undefined: in a larger transaction. */
  id: BatchId | undefined;
  /** It may return before it is on disk; the caller waits for that with `untilKept`. */
  isKeptLater: boolean;
  /** Shards are on several servers. */
  isDistributed: boolean;
  columns: BatchColumns;
  /** Views may be added up later: readers see them at once all the same. */
  mayAppend: boolean;
  dropped: readonly NumberedCounter[];
  counters: readonly CounterAddition[];
}

/** Until the end of the transaction. */
const keptLater = ", set_config('synchronous_commit', 'off', true)";

/** Answers the places of days that are closed, of which nothing was counted. */
export async function callBatch(db: Queryable, call: BatchCall): Promise<number[]> {
  const { name, values } = functionOf(call);
  const [row] = await db.query<{ closed: number[] | null }>(
    `select ${name}(${values.map((_, i) => `$${i + 1}`)}) as closed${call.isKeptLater ? keptLater : ''}`,
    values,
  );
  return row?.closed?.map((place) => place - 1) ?? [];
}

function functionOf(call: BatchCall): { name: string; values: SqlValue[] } {
  const { columns, mayAppend, isDistributed } = call;
  // What is sealed is summed up in blocks, too, and nobody adds to these later.
  const isAppended = mayAppend && !columns.days.some(({ isSealed }) => isSealed);
  if (isAppended && !isDistributed)
    return { name: 'count_grouped_batch', values: valuesOf(call, columns.grouped()) };
  const values = [...valuesOf(call, columns.values()), isAppended, ...columns.traces()];
  return { name: 'count_traced_batch', values };
}

/**
 * Waits until all that was committed before is kept as the database is set up to keep it, on its disk and on a standby: a
 * commit that writes something comes after all others. Batches of the same visitors wait for each other until they are
 * committed, and so none for the disk of another.
 */
export async function untilKept(db: Queryable): Promise<void> {
  await db.query("select pg_logical_emit_message(true, 'headcount', '')");
}

/** The data that a batch leaves out is on another server: nothing was counted. */
export class OtherServer extends Error {}

/** Whether names were moved or deleted since they were looked for, or on another server: nothing was counted. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof OtherServer || (error instanceof Error && 'code' in error && error.code === 'HC001')
  );
}

function valuesOf({ shard, slot, id, dropped, counters }: BatchCall, columns: SqlValue[]): SqlValue[] {
  return [
    ...[shard, id?.turn ?? null, id?.id ?? null, slot],
    ...columns,
    intArray(dropped.map(({ project }) => shardOf(project, 0))),
    ...intsOf(dropped, 'project', 'day'),
    ...columnsOf(dropped, 'reason'),
    dropped.map(({ family }) => storable(family)),
    ...intsOf(dropped, 'hits'),
    ...counterColumns(counters),
  ];
}
