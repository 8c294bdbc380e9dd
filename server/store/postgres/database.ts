import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { DatabaseAddress } from '../../config/database-url.ts';
import type { Queryable, SqlValue } from '../../database/sql.ts';
import { Listeners } from '../changes.ts';
import { isTrouble, StoreError } from '../store.ts';
import { Connection } from './connection.ts';
import { withTrouble } from './trouble.ts';

/** Connections of one node, besides the one for notices. Reports cannot use those for changes. */
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

  /** The same for longer; the caller closes it. */
  connect(): Promise<Connection> {
    return this.#try(() => this.#connect());
  }

  /** Calls back after each committed `pg_notify('headcount', notice)`. Returns a function that ends it. */
  onNotice(listener: NoticeListener): () => void {
    return this.#notices.on(listener);
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

/** Called with each notice; null: some may have been missed. */
export type NoticeListener = (notice: string | null) => void;

/** Listens to `pg_notify` on a connection of its own, which is made again whenever it is lost. */
export class Notices {
  readonly #connect: () => Promise<Connection>;
  readonly #onUnreachable: () => void;
  readonly #listeners = new Listeners<string | null>();
  readonly #end = new AbortController();
  #listening: Promise<void> | undefined;

  /** @param onUnreachable when the database is lost: connections that wait for its answer will get none */
  constructor(connect: () => Promise<Connection>, onUnreachable: () => void) {
    this.#connect = connect;
    this.#onUnreachable = onUnreachable;
  }

  /** Returns a function that ends it. */
  on(listener: NoticeListener): () => void {
    this.#listening ??= this.#listen();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#listeners.clear();
    await this.#listening;
  }

  /** Until `close`. Errors are ignored here: calls that need the database report them. */
  async #listen(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const connection = await this.#connect().catch((error: unknown) => this.#handleFailure(error));
      if (connection) await this.#receive(connection).catch(() => connection.destroy());
      await this.#wait(againMs);
    }
  }

  /** A server that refuses a connection, such as at its limit, still serves the others. */
  #handleFailure(error: unknown): undefined {
    if (!(error instanceof DatabaseError)) this.#onUnreachable();
  }

  /** Until the connection is lost or `close`. */
  async #receive(connection: Connection): Promise<void> {
    connection.onNotice((notice) => this.#listeners.notify(notice));
    await connection.run(`listen ${channel}`);
    this.#listeners.notify(null);
    while (connection.isUsable && !this.#end.signal.aborted) {
      await answer(connection);
      await Promise.race([connection.ended, this.#wait(lookMs)]);
    }
    await connection.close();
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }
}

/** A connection to a lost machine looks idle, so it is tested. */
async function answer(connection: Connection): Promise<void> {
  const late = setTimeout(() => connection.destroy(), answerMs);
  try {
    await connection.run('select');
  } finally {
    clearTimeout(late);
  }
}

interface Waiting {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

/** A pool of connections to one database, made on demand and given out in the order of requests. */
export class Pool {
  readonly #connect: () => Promise<Connection>;
  readonly #max: number;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  #isClosed = false;
  #allReturned: (() => void) | undefined;

  constructor(connect: () => Promise<Connection>, max: number) {
    this.#connect = connect;
    this.#max = max;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  /** Whatever is under way fails. */
  cut(): void {
    for (const connection of [...this.#busy, ...this.#idle.splice(0)]) connection.destroy();
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
    if (this.#busy.size + this.#opening === 0) return;
    await new Promise<void>((resolve) => {
      this.#allReturned = resolve;
    });
  }

  async #take(): Promise<Connection> {
    if (this.#isClosed) throw closed();
    const idle = this.#findIdle();
    if (idle) return this.#lend(idle);
    if (this.#busy.size + this.#opening < this.#max) return this.#open();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #findIdle(): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (!connection || connection.isUsable) return connection;
    }
  }

  #lend(connection: Connection): Connection {
    this.#busy.add(connection);
    return connection;
  }

  async #open(): Promise<Connection> {
    this.#opening++;
    try {
      return this.#lend(await this.#connect());
    } catch (error) {
      // The next waiting call would wait for as long as the database is down.
      this.#openFor(this.#waiting.shift());
      throw error;
    } finally {
      this.#opening--;
      this.#resolveIfReturned();
    }
  }

  #openFor(next: Waiting | undefined): void {
    if (next) this.#open().then(next.resolve, next.reject);
  }

  #giveBack(connection: Connection): void {
    this.#busy.delete(connection);
    if (this.#isClosed) {
      void connection.close().catch(() => undefined);
      this.#resolveIfReturned();
      return;
    }
    const next = this.#waiting.shift();
    if (!connection.isUsable) {
      this.#openFor(next);
    } else if (next) next.resolve(this.#lend(connection));
    else this.#idle.push(connection);
  }

  #resolveIfReturned(): void {
    if (this.#isClosed && this.#busy.size + this.#opening === 0) this.#allReturned?.();
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}
