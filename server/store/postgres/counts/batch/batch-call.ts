import type { DroppedTally } from '../../../counts/counting-store.ts';
import type { Queryable, SqlValue } from '../../queryable.ts';
import { intArray } from '../arrays.ts';
import { storable } from '../names/named-views.ts';
import { shardOf } from '../shards.ts';
import { type TallyAddition, tallyColumns } from '../tally-rows.ts';
import type { BatchColumns } from './batch-columns.ts';

/** Hits of a project, by its number, that were not counted. */
export interface NumberedTally extends Pick<DroppedTally, 'day' | 'reason' | 'family' | 'hits'> {
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
  /** It may be answered before the disk has it, which whoever asks waits for: see `untilKept`. */
  isKeptLater: boolean;
  columns: BatchColumns;
  /** Views may be added up later: readers see them at once all the same. */
  mayAppend: boolean;
  dropped: readonly NumberedTally[];
  tallies: readonly TallyAddition[];
}

const types = [
  ...['int', 'int', 'uuid', 'int'],
  ...['int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]'],
  ...['int[]', 'int[]', 'bigint[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]'],
  ...['int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'int[]'],
  ...['int[]', 'int[]', 'int[]', 'int[]', 'text[]', 'int[]', 'text[]', 'int[]'],
  ...['int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'bigint[]', 'bigint[]'],
  ...['int[]', 'int[]', 'int[]', 'text[]', 'text[]', 'int[]'],
  ...['int[]', 'int[]', 'int[]', 'int[]', 'int[]', 'text[]', 'text[]', 'int[]', 'bigint[]'],
  'boolean',
];

const parameters = (types: readonly string[]) => types.map((type, i) => `$${i + 1}::${type}`).join(', ');
const statement = `select count_visited_batch(${parameters(types)}) as closed`;
/** The same with where views came from. */
const traced = `select count_traced_batch(${parameters([...types, 'boolean[]', 'bigint[]'])}) as closed`;
/** Until the end of the transaction. */
const keptLater = ", set_config('synchronous_commit', 'off', true)";

/** Answers the places of days that are closed, of which nothing was counted. */
export async function callBatch(db: Queryable, call: BatchCall): Promise<number[]> {
  // What is sealed is summed up in blocks, too, and nobody adds to these later.
  const isAppended = call.mayAppend && !call.columns.days.some(({ isSealed }) => isSealed);
  const values = [...valuesOf(call), isAppended];
  const origins = call.columns.origins();
  const [row] = await db.query<{ closed: number[] | null }>(
    (origins ? traced : statement) + (call.isKeptLater ? keptLater : ''),
    origins ? [...values, ...origins] : values,
  );
  return row?.closed?.map((place) => place - 1) ?? [];
}

/**
 * Waits until all that was committed before is kept as the database is set up to keep it, on its disk and on a standby: a
 * commit that writes something comes after all others. Batches of the same visitors wait for each other until they are
 * committed, and so none for the disk of another.
 */
export async function untilKept(db: Queryable): Promise<void> {
  await db.query("select pg_logical_emit_message(true, 'headcount', '')");
}

/** Raised where names were moved or deleted since they were looked for: nothing was counted. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'HC001';
}

function valuesOf({ shard, slot, id, columns, dropped, tallies }: BatchCall): SqlValue[] {
  return [
    ...[shard, id?.turn ?? null, id?.id ?? null, slot],
    ...columns.values(),
    intArray(dropped.map(({ project }) => shardOf(project, 0))),
    intArray(dropped.map(({ project }) => project)),
    intArray(dropped.map(({ day }) => day)),
    dropped.map(({ reason }) => reason),
    dropped.map(({ family }) => storable(family)),
    intArray(dropped.map(({ hits }) => hits)),
    ...tallyColumns(tallies),
  ];
}
