import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { DatabaseAddress } from '../../config/database-url.ts';
import type { SqlValue } from '../../database/sql.ts';
import { isTrouble, StoreError } from '../store.ts';
import { Connection } from './connection.ts';
import { Pool } from './pool.ts';
import type { Queryable } from './queryable.ts';
import { withTrouble } from './trouble.ts';

/** Of one node, besides the one that hears notices. Reports cannot take those of whoever changes something. */
const maxChanging = 5;
const maxReading = 3;

/** How often a transaction is tried that gets into the way of others. */
const maxTries = 20;
const maxPauseMs = 50;

/** https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html */
const conflictCodes = ['40001', '40P01'];

/** What connections of servers are called in the database. */
export const serverProgram = 'headcount';

export interface DatabaseOptions {
  /** Otherwise a command. */
  isServer?: boolean;
  /** Called for each call that the machine or damage did not let work. */
  onTrouble?: ((error: StoreError) => void) | undefined;
}

/** A PostgreSQL. Its connections are made when they are needed, and made again after they were lost. */
export class Database implements Queryable {
  readonly #address: DatabaseAddress;
  readonly #options: DatabaseOptions;
  readonly #changing: Pool;
  readonly #reading: Pool;
  readonly #notices: Notices;
  #damage: StoreError | undefined;

  constructor(address: DatabaseAddress, options: DatabaseOptions = {}) {
    this.#address = address;
    this.#options = options;
    const connect = () => this.#connect();
    this.#changing = new Pool(connect, maxChanging);
    this.#reading = new Pool(connect, maxReading);
    this.#notices = new Notices(connect, () => this.#cut());
  }

  /** For people, without a password. */
  get name(): string {
    return this.#address.name;
  }

  /** What was met first. */
  get damage(): StoreError | undefined {
    return this.#damage;
  }

  /** One statement in a transaction of its own. */
  query<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#try(() => this.#changing.use((connection) => connection.query<Row>(text, values)));
  }

  /** All of it or nothing. It may run several times, as it is repeated where it gets into the way of others. */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    return this.#try(() => this.#changing.use((connection) => inTransaction(connection, 'begin', work)));
  }

  /** Reads of one moment. */
  snapshot<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return this.#try(() => this.#reading.use((connection) => inTransaction(connection, begin, work)));
  }

  /** A connection by itself, for what no transaction holds. */
  alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#try(() => this.#changing.use(work));
  }

  /** The same for longer; whoever asked for it closes it. */
  connect(): Promise<Connection> {
    return this.#try(() => this.#connect());
  }

  /** Calls back when `pg_notify('headcount', notice)` was committed anywhere. Answers how to end it. */
  onNotice(heard: Heard): () => void {
    return this.#notices.on(heard);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#notices.close();
    await Promise.all([this.#changing.close(), this.#reading.close()]);
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isConflict(error) || tries === maxTries) throw this.#withTrouble(error);
        await pause(Math.random() * maxPauseMs);
      }
    }
  }

  #withTrouble(error: unknown): unknown {
    const trouble = withTrouble(error, this.name);
    if (trouble instanceof StoreError && isTrouble(trouble)) {
      if (trouble.code === 'damaged') this.#damage ??= trouble;
      this.#options.onTrouble?.(trouble);
    }
    return trouble;
  }

  async #connect(): Promise<Connection> {
    const { urls } = this.#address;
    const program = this.#options.isServer ? serverProgram : `${serverProgram} command`;
    let failure: unknown;
    for (const url of urls) {
      try {
        const connection = await Connection.open(url, program);
        if (urls.length === 1 || (await isPrimary(connection))) return connection;
        connection.destroy();
        failure ??= onlyStandbys(this.name);
      } catch (error) {
        // One that answers is there, whatever the others are.
        if (failure === undefined || error instanceof DatabaseError) failure = error;
      }
    }
    throw failure;
  }

  #cut(): void {
    this.#changing.cut();
    this.#reading.cut();
  }
}

export async function inTransaction<T>(
  connection: Connection,
  begin: string,
  work: (db: Queryable) => Promise<T>,
): Promise<T> {
  await connection.run(begin);
  let result: T;
  try {
    result = await work(connection);
  } catch (error) {
    if (connection.isUsable) await connection.run('rollback').catch(() => connection.destroy());
    throw error;
  }
  // A transaction in which a statement failed ends without an error, and without having done anything.
  if ((await connection.run('commit')) !== 'COMMIT') throw new Error('A failed statement was not noticed.');
  return result;
}

async function isPrimary(connection: Connection): Promise<boolean> {
  const [row] = await connection.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers');
  return row?.recovers === false;
}

function onlyStandbys(name: string): StoreError {
  return new StoreError(
    'unavailable',
    `The database ${name} cannot be used: all of its servers are standbys.`,
  );
}

function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && conflictCodes.includes(error.code ?? '');
}

const channel = 'headcount';
const lookMs = 2_000;
/** A database that does not answer for so long is taken for lost. */
const answerMs = 10_000;
const againMs = 500;

/** Told of each notice; null: there may have been some that nobody heard. */
export type Heard = (notice: string | null) => void;

/** Hears what is told by `pg_notify`, on a connection of its own that is made again whenever it is lost. */
export class Notices {
  readonly #connect: () => Promise<Connection>;
  readonly #onUnreachable: () => void;
  readonly #listeners = new Set<Heard>();
  readonly #end = new AbortController();
  #listening: Promise<void> | undefined;

  /** @param onUnreachable when the database is lost: connections that wait for its answer wait in vain */
  constructor(connect: () => Promise<Connection>, onUnreachable: () => void) {
    this.#connect = connect;
    this.#onUnreachable = onUnreachable;
  }

  /** Answers how to end it. */
  on(heard: Heard): () => void {
    const listener: Heard = (notice) => heard(notice);
    this.#listeners.add(listener);
    this.#listening ??= this.#listen();
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#listeners.clear();
    await this.#listening;
  }

  /** Until the end. Why the database cannot be had is told to whoever needs it. */
  async #listen(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const connection = await this.#connect().catch((error: unknown) => this.#tellFailure(error));
      if (connection) await this.#hear(connection).catch(() => connection.destroy());
      await this.#wait(againMs);
    }
  }

  /** A server that says no, as one that has as many connections as it can, still serves those that it has. */
  #tellFailure(error: unknown): undefined {
    if (!(error instanceof DatabaseError)) this.#onUnreachable();
  }

  /** As long as there is the connection, and somebody to hear it. */
  async #hear(connection: Connection): Promise<void> {
    connection.onNotice((notice) => this.#tell(notice));
    await connection.run(`listen ${channel}`);
    this.#tell(null);
    while (connection.isUsable && !this.#end.signal.aborted) {
      await answer(connection);
      await Promise.race([connection.ended, this.#wait(lookMs)]);
    }
    await connection.close();
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  #tell(notice: string | null): void {
    for (const heard of this.#listeners) heard(notice);
  }
}

/** A connection to a machine that is gone looks as if nobody there had anything to say. */
async function answer(connection: Connection): Promise<void> {
  const late = setTimeout(() => connection.destroy(), answerMs);
  try {
    await connection.run('select');
  } finally {
    clearTimeout(late);
  }
}
