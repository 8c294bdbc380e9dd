import { StoreError } from '../store.ts';
import type { Connection } from './connection.ts';

interface Waiting {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

/** Some connections to one database, which are made when they are needed and given to whoever asks first. */
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
      // Who waits for this one would wait for as long as the database is down.
      this.#openFor(this.#waiting.shift());
      throw error;
    } finally {
      this.#opening--;
      this.#tellIfReturned();
    }
  }

  #openFor(next: Waiting | undefined): void {
    if (next) this.#open().then(next.resolve, next.reject);
  }

  #giveBack(connection: Connection): void {
    this.#busy.delete(connection);
    if (this.#isClosed) {
      void connection.close().catch(() => undefined);
      this.#tellIfReturned();
      return;
    }
    const next = this.#waiting.shift();
    if (!connection.isUsable) {
      this.#openFor(next);
    } else if (next) next.resolve(this.#lend(connection));
    else this.#idle.push(connection);
  }

  #tellIfReturned(): void {
    if (this.#isClosed && this.#busy.size + this.#opening === 0) this.#allReturned?.();
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}
