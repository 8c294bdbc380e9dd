import { setTimeout as pause } from 'node:timers/promises';
import type { TallyCount } from '../../../../counting/tally.ts';
import type { View } from '../../../../counting/view.ts';
import type { DroppedTally, Uncounted } from '../../../counts/counting-store.ts';
import { type LiveViews, toViewTable } from '../../../counts/view-table.ts';
import type { Connection } from '../../connection.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { DayRows, type OpenDayRow } from '../day-rows.ts';
import type { Names } from '../names/names.ts';
import { dayOf, divide, type Piece, unopened } from '../pieces.ts';
import { TallyNames } from '../tally-rows.ts';
import { againMs, untilAnswered, untilReached } from './answering.ts';
import { type BatchId, callBatch, isOutdated, OtherServer, untilKept } from './batch-call.ts';
import { BatchColumns } from './batch-columns.ts';
import type { BatchIds } from './batch-ids.ts';
import { KnownSightings } from './known-sightings.ts';

/** Of one call: with a quarter of them the database takes half as much time again for each. */
const viewsPerCall = 1_024;
/** So that they make calls worth their while where each shard takes one. */
const viewsPerDistributedBatch = 8_192;

/** What a row of `pending_counts` has room for, of one name. */
const mostAppended = 2 ** 17 - 1;

const noViews = toViewTable([]);

/** A piece that only has to be sent. */
interface Prepared {
  /** The server that has what it leaves out; undefined: it leaves nothing out. */
  toldTo: string | undefined;
  /** Answers the indexes of the views whose day was closed. */
  count(db: Queryable, id: BatchId | undefined): Promise<number[]>;
  /** After the database has all of it, for good. */
  remember(): void;
}

/** What is done within a transaction of the caller. */
export interface CountWithin {
  /** Counts the views and tallies. Answers the indexes of the views whose day was closed. */
  count(): Promise<number[]>;
  /** Further hits that were not counted. */
  tally(dropped: DroppedTally[]): Promise<void>;
}

/** Counts batches of views: each piece is one call, which is repeated until it is answered and counts once. */
export class Counting {
  readonly #database: Database;
  readonly #ids: BatchIds;
  readonly #isDistributed: boolean;
  readonly #rows = new DayRows();
  readonly #names: Names;
  readonly #sightings = new KnownSightings();
  readonly #tallyNames = new TallyNames();
  readonly #projects = new ProjectNumbers();
  readonly #slots = new Slots();

  /** @param isDistributed shards are on several servers, so that a call is about one of them */
  constructor(database: Database, names: Names, ids: BatchIds, isDistributed: boolean) {
    this.#database = database;
    this.#ids = ids;
    this.#isDistributed = isDistributed;
    this.#names = names;
  }

  get viewsPerBatch(): number {
    return this.#isDistributed ? viewsPerDistributedBatch : viewsPerCall;
  }

  /** Answers the indexes of the views whose day is not open. */
  async countViews(views: View[], dropped: DroppedTally[], tallies: TallyCount[] = []): Promise<number[]> {
    const live = toViewTable(views);
    const { pieces, refused } = await this.#divide(live, { dropped, tallies });
    const [first, ...others] = pieces;
    if (first) refused.push(...(await this.#countPiece(live, first, false)));
    // From here on something is counted, so that all has to be.
    const rest = await Promise.all(others.map((piece) => this.#countPiece(live, piece, true)));
    return refused.concat(...rest).sort((a, b) => a - b);
  }

  /** For a transaction of the caller, which is done again where names were moved or deleted meanwhile. */
  async countWithin<T>(
    views: View[],
    uncounted: Uncounted,
    transact: (db: Queryable, within: CountWithin) => Promise<T>,
  ): Promise<T> {
    const live = toViewTable(views);
    return this.#again(live, async () => {
      const { pieces, refused } = await this.#divide(live, uncounted);
      const prepared = await this.#prepareAll(live, pieces);
      return this.#database.transaction((db) =>
        transact(db, {
          count: async () => [...refused, ...(await runAll(db, prepared))].sort((a, b) => a - b),
          tally: async (more) => {
            const dropped = await this.#projects.number(db, more);
            const pieces = divide(noViews, [], { dropped, tallies: [] }, this.#isDistributed);
            await runAll(db, await this.#prepareAll(noViews, pieces));
          },
        }),
      );
    });
  }

  async #prepareAll(live: LiveViews, pieces: readonly Piece[]): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    for (const piece of pieces) prepared.push(await this.#prepare(live, piece));
    return prepared;
  }

  async #divide(
    live: LiveViews,
    { dropped, tallies }: Uncounted,
  ): Promise<{ pieces: Piece[]; refused: number[] }> {
    const rows = await this.#rows.find(this.#database, live.days);
    const uncounted = {
      dropped: await this.#projects.number(this.#database, dropped),
      tallies: await this.#projects.number(this.#database, tallies),
    };
    return { pieces: divide(live, rows, uncounted, this.#isDistributed), refused: unopened(live, rows) };
  }

  async #countPiece(live: LiveViews, piece: Piece, mustBeDone: boolean): Promise<number[]> {
    const id = this.#ids.next();
    // Or may be.
    let isCounted = mustBeDone;
    return this.#again(live, async () => {
      const known = this.#isDistributed ? undefined : this.#sightings;
      const prepared = await untilReached(
        () => this.#prepare(live, piece, known),
        () => isCounted,
      );
      let wasAsked = false;
      const countAndKeep = async (connection: Connection) => {
        const server = await connection.server();
        known?.moveTo(server);
        isCounted ||= wasAsked;
        if (prepared.toldTo !== undefined && prepared.toldTo !== server) throw new OtherServer();
        wasAsked = true;
        const refused = await prepared.count(connection, id);
        isCounted = true;
        if (!this.#isDistributed) await untilKept(connection);
        if (known?.server === server && refused.length === 0) prepared.remember();
        return refused;
      };
      return untilAnswered(this.#database, countAndKeep, () => isCounted);
    });
  }

  async #again<T>(live: LiveViews, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isOutdated(error)) throw error;
        this.#rows.forget(live.days);
        this.#names.forget();
        // Servers of shards may be a moment late with what is to be found.
        if (tries > 1) await pause(againMs);
      }
    }
  }

  /** @param known what is left out, as the database has it */
  async #prepare(live: LiveViews, piece: Piece, known?: KnownSightings): Promise<Prepared> {
    const { shard, views, dropped } = piece;
    const rows = await this.#rows.find(this.#database, live.days);
    const open = views.filter((view) => rows[dayOf(live, view)]);
    const named = await this.#names.name(live.views, rows, open);
    const columns = new BatchColumns(live.views, named, open, live.days, known);
    const toldTo = known?.server;
    const all = [...columns.tallies(), ...piece.tallies];
    const tallies = await this.#tallyNames.admit(this.#database, all);
    const count = (db: Queryable, id: BatchId | undefined) =>
      this.#slots.use(async (slot) => {
        const closed = await callBatch(db, {
          shard,
          slot,
          id,
          isKeptLater: id !== undefined && !this.#isDistributed,
          isDistributed: this.#isDistributed,
          columns,
          mayAppend: views.length <= mostAppended,
          dropped,
          tallies,
        });
        return this.#refuse(live, views, rows, new Set(closed.map((place) => columns.days[place])));
      });
    return { toldTo, count, remember: () => columns.remember() };
  }

  /** What is remembered of closed days is not true any more. */
  #refuse(
    live: LiveViews,
    views: readonly number[],
    rows: readonly (OpenDayRow | undefined)[],
    closed: Set<OpenDayRow | undefined>,
  ): number[] {
    const isRefused = (place: number) => !rows[place] || closed.has(rows[place]);
    const refused = views.filter((view) => view < live.count && isRefused(dayOf(live, view)));
    if (refused.length > 0) this.#rows.forget(live.days.filter((_, place) => isRefused(place)));
    return refused;
  }
}

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

  /** Tallies of projects that are there. */
  async number<Tally extends Named>(
    db: Queryable,
    tallies: readonly Tally[],
  ): Promise<(Omit<Tally, 'projectId'> & { project: number })[]> {
    const unknown = tallies.filter(({ projectId }) => !this.#known.has(projectId));
    const found = unknown.length > 0 ? await lookFor(db, unknown) : new Map<string, number>();
    const numbered = tallies.flatMap(({ projectId, ...tally }) => {
      const project = this.#known.get(projectId) ?? found.get(projectId);
      return project === undefined ? [] : [{ ...tally, project }];
    });
    if (this.#known.size + found.size > maxRemembered) this.#known.clear();
    for (const [id, number] of found) this.#known.set(id, number);
    return numbered;
  }
}

async function lookFor(db: Queryable, tallies: readonly Named[]): Promise<Map<string, number>> {
  const rows = await db.query<{ projectId: string; id: number }>(
    'select public_id as "projectId", id from projects where public_id = any ($1)',
    [[...new Set(tallies.map(({ projectId }) => projectId))]],
  );
  return new Map(rows.map(({ projectId, id }) => [projectId, id]));
}
