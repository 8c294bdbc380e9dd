import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CounterIncrement } from '../../../../counting/counter.ts';
import type { View } from '../../../../counting/view.ts';
import type { Queryable } from '../../../../database/sql.ts';
import type { DroppedCounter, Uncounted } from '../../../counts/counting-store.ts';
import { type LiveViews, toViewTable } from '../../../counts/view-table.ts';
import { StoreError } from '../../../store.ts';
import type { Connection } from '../../connection.ts';
import type { Database } from '../../database.ts';
import { isRefusal, isUnknown } from '../../trouble.ts';
import { CounterNames } from '../counter-rows.ts';
import { DayRows, type OpenDayRow } from '../day-rows.ts';
import type { Names } from '../names/names.ts';
import { dayOf, divide, type Piece, unopened } from '../pieces.ts';
import { type BatchId, callBatch, isOutdated, OtherServer, untilKept } from './batch-call.ts';
import { BatchColumns } from './batch-columns.ts';
import { KnownVisitorKeys } from './visitor-columns.ts';

/** Of one call: with a quarter of them the database takes half as much time again for each. */
const viewsPerCall = 1_024;
/** So that they make calls worth their while where each shard takes one. */
const viewsPerDistributedBatch = 8_192;

/** What a row of `pending_counts` has room for, of one name. */
const mostAppended = 2 ** 17 - 1;

const noViews = toViewTable([]);

/** A piece that only has to be sent. */
interface Prepared {
  /** The server that has the visitor keys that it leaves out; undefined: it leaves none out. */
  knownTo: string | undefined;
  /** Answers the indexes of the views whose day was closed. */
  count(db: Queryable, id: BatchId | undefined): Promise<number[]>;
  /** After the database has all of it, for good. */
  remember(): void;
}

/** What is done within a transaction of the caller. */
export interface CountWithin {
  /** Counts the views and counters. Answers the indexes of the views whose day was closed. */
  count(): Promise<number[]>;
  /** Further hits that were not counted. */
  countDropped(dropped: DroppedCounter[]): Promise<void>;
}

/** Counts batches of views: each piece is one call, which is repeated until it is answered and counts once. @param isDistributed shards are on several servers, so that a call is about one of them */
export function batchCounting(database: Database, names: Names, ids: BatchIds, isDistributed: boolean) {
  const dayRows = new DayRows();
  const visitorKeys = new KnownVisitorKeys();
  const counterNames = new CounterNames();
  const projects = new ProjectNumbers();
  const nodeSlots = new Slots();

  /** Answers the indexes of the views whose day is not open. */
  async function countViews(
    views: View[],
    dropped: DroppedCounter[],
    counters: CounterIncrement[] = [],
  ): Promise<number[]> {
    const live = toViewTable(views);
    const { pieces, refused } = await divideAll(live, { dropped, counters });
    const [first, ...others] = pieces;
    if (first) refused.push(...(await countPiece(live, first, false)));
    // From here on something is counted, so that all has to be.
    const rest = await Promise.all(others.map((piece) => countPiece(live, piece, true)));
    return refused.concat(...rest).sort((a, b) => a - b);
  }

  /** For a transaction of the caller, which is done again where names were moved or deleted meanwhile. */
  async function countWithin<T>(
    views: View[],
    uncounted: Uncounted,
    transact: (db: Queryable, within: CountWithin) => Promise<T>,
  ): Promise<T> {
    const live = toViewTable(views);
    return again(live, async () => {
      const { pieces, refused } = await divideAll(live, uncounted);
      const prepared = await prepareAll(live, pieces);
      return database.transaction((db) =>
        transact(db, {
          count: async () => [...refused, ...(await runAll(db, prepared))].sort((a, b) => a - b),
          countDropped: async (more) => {
            const dropped = await projects.number(db, more);
            const pieces = divide(noViews, [], { dropped, counters: [] }, isDistributed);
            await runAll(db, await prepareAll(noViews, pieces));
          },
        }),
      );
    });
  }

  async function prepareAll(live: LiveViews, pieces: readonly Piece[]): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    for (const piece of pieces) prepared.push(await prepare(live, piece));
    return prepared;
  }

  async function divideAll(
    live: LiveViews,
    { dropped, counters }: Uncounted,
  ): Promise<{ pieces: Piece[]; refused: number[] }> {
    const rows = await dayRows.find(database, live.days);
    const uncounted = {
      dropped: await projects.number(database, dropped),
      counters: await projects.number(database, counters),
    };
    return { pieces: divide(live, rows, uncounted, isDistributed), refused: unopened(live, rows) };
  }

  async function countPiece(live: LiveViews, piece: Piece, mustBeDone: boolean): Promise<number[]> {
    const id = ids.next();
    // Or may be.
    let isCounted = mustBeDone;
    return again(live, async () => {
      const known = isDistributed ? undefined : visitorKeys;
      const prepared = await untilReached(
        () => prepare(live, piece, known),
        () => isCounted,
      );
      let wasAsked = false;
      const countAndKeep = async (connection: Connection) => {
        const server = await connection.server();
        known?.moveTo(server);
        isCounted ||= wasAsked;
        if (prepared.knownTo !== undefined && prepared.knownTo !== server) throw new OtherServer();
        wasAsked = true;
        const refused = await prepared.count(connection, id);
        isCounted = true;
        if (!isDistributed) await untilKept(connection);
        if (known?.server === server && refused.length === 0) prepared.remember();
        return refused;
      };
      return untilAnswered(database, countAndKeep, () => isCounted);
    });
  }

  async function again<T>(live: LiveViews, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isOutdated(error)) throw error;
        dayRows.forget(live.days);
        names.forget();
        // Servers of shards may be a moment late with what is to be found.
        if (tries > 1) await pause(againMs);
      }
    }
  }

  /** @param known what is left out, as the database has it */
  async function prepare(live: LiveViews, piece: Piece, known?: KnownVisitorKeys): Promise<Prepared> {
    const { shard, views, dropped } = piece;
    const rows = await dayRows.find(database, live.days);
    const open = views.filter((view) => rows[dayOf(live, view)]);
    const named = await names.name(live.views, rows, open);
    const columns = new BatchColumns(live.views, named, open, live.days, known);
    const knownTo = known?.server;
    const all = [...columns.counters(), ...piece.counters];
    const counters = await counterNames.admit(database, all);
    const count = (db: Queryable, id: BatchId | undefined) =>
      nodeSlots.use(async (slot) => {
        const closed = await callBatch(db, {
          shard,
          slot,
          id,
          isKeptLater: id !== undefined && !isDistributed,
          isDistributed: isDistributed,
          columns,
          mayAppend: views.length <= mostAppended,
          dropped,
          counters,
        });
        return refuse(live, views, rows, new Set(closed.map((place) => columns.days[place])));
      });
    return { knownTo, count, remember: () => columns.remember() };
  }

  /** What is remembered of closed days is not true any more. */
  function refuse(
    live: LiveViews,
    views: readonly number[],
    rows: readonly (OpenDayRow | undefined)[],
    closed: Set<OpenDayRow | undefined>,
  ): number[] {
    const isRefused = (place: number) => !rows[place] || closed.has(rows[place]);
    const refused = views.filter((view) => view < live.count && isRefused(dayOf(live, view)));
    if (refused.length > 0) dayRows.forget(live.days.filter((_, place) => isRefused(place)));
    return refused;
  }

  return { countViews, countWithin, viewsPerBatch: isDistributed ? viewsPerDistributedBatch : viewsPerCall };
}

export type Counting = ReturnType<typeof batchCounting>;

async function runAll(db: Queryable, prepared: readonly Prepared[]): Promise<number[]> {
  const closed: number[] = [];
  for (const piece of prepared) closed.push(...(await piece.count(db, undefined)));
  return closed;
}

/** As many as rows of counts may have of one name. */
const slots = 8;

/**
 * Gives each call of a node a slot that no other has, so that calls do not wait for each other's rows. Other nodes begin
 * with others.
 */
class Slots {
  readonly #first = Math.floor(Math.random() * slots);
  readonly #taken = new Set<number>();

  async use<T>(work: (slot: number) => Promise<T>): Promise<T> {
    const free = Array.from({ length: slots }, (_, i) => (this.#first + i) % slots);
    const slot = free.find((each) => !this.#taken.has(each)) ?? this.#first;
    this.#taken.add(slot);
    try {
      return await work(slot);
    } finally {
      this.#taken.delete(slot);
    }
  }
}

/** Of a project. */
interface Named {
  projectId: string;
}

const maxRemembered = 200_000;

/** Numbers of projects, which never change; that one is still there is looked at when something is counted for it. */
export class ProjectNumbers {
  readonly #known = new Map<string, number>();

  /** With the numbers of their projects; those of projects that are not there are left out. */
  async number<Row extends Named>(
    db: Queryable,
    rows: readonly Row[],
  ): Promise<(Omit<Row, 'projectId'> & { project: number })[]> {
    const unknown = rows.filter(({ projectId }) => !this.#known.has(projectId));
    const found = unknown.length > 0 ? await lookFor(db, unknown) : new Map<string, number>();
    const numbered = rows.flatMap(({ projectId, ...row }) => {
      const project = this.#known.get(projectId) ?? found.get(projectId);
      return project === undefined ? [] : [{ ...row, project }];
    });
    if (this.#known.size + found.size > maxRemembered) this.#known.clear();
    for (const [id, number] of found) this.#known.set(id, number);
    return numbered;
  }
}

async function lookFor(db: Queryable, named: readonly Named[]): Promise<Map<string, number>> {
  const rows = await db.query<{ projectId: string; id: number }>(
    'select public_id as "projectId", id from projects where public_id = any ($1)',
    [[...new Set(named.map(({ projectId }) => projectId))]],
  );
  return new Map(rows.map(({ projectId, id }) => [projectId, id]));
}

const hourMs = 3_600_000;

/** Ids of a node's batches, one after the other, so that an index of them grows at few places. */
export class BatchIds {
  readonly #node = randomBytes(8).toString('hex');
  #last = 0;
  /** From the monotonic clock of this process to that of the database. */
  #offsetMs = 0;

  /** Nodes need the same turns, also where their clocks differ. */
  async setClock(database: Database): Promise<void> {
    const [row] = await database.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    );
    if (row) this.#offsetMs = row.now - performance.now();
  }

  next(): BatchId {
    const digits = this.#node + (++this.#last).toString(16).padStart(16, '0');
    return {
      turn: Math.floor((performance.now() + this.#offsetMs) / hourMs) & 3,
      id: digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    };
  }
}

/** Long before a database forgets which batches it has counted. */
export const longestMs = 10 * 60_000;
export const againMs = 200;

/**
 * Asks for what has to be done once, and may be asked for again: where the connection is lost before the answer, until a
 * database answers, perhaps another one that took over. Where nothing was asked at all it fails at once.
 *
 * @param mustBeDone whether it is asked again even then, as something was done already that belongs to it
 */
export function untilAnswered<T>(
  database: Database,
  ask: (connection: Connection) => Promise<T>,
  mustBeDone: () => boolean = () => false,
): Promise<T> {
  let mayBeDone = false;
  const askOnce = async () => {
    let wasAsked = false;
    try {
      return await database.alone((connection) => {
        wasAsked = true;
        return ask(connection);
      });
    } catch (error) {
      mayBeDone ||= wasAsked && error instanceof StoreError && isUnknown(error.cause);
      throw error;
    }
  };
  return untilReached(askOnce, () => mayBeDone || mustBeDone());
}

/** Repeats a call while the database is unreachable, as long as it has to be done. Refused calls are not repeated. */
export async function untilReached<T>(work: () => Promise<T>, mustBeDone: () => boolean): Promise<T> {
  const endAt = performance.now() + longestMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'unavailable') throw error;
      if (!mustBeDone() || isRefusal(error) || performance.now() > endAt) throw error;
      await pause(againMs);
    }
  }
}
