import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Connection } from './connection.ts';

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
