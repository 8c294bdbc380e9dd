import type { Connection } from './connection.ts';

/** Finds out whether anything can be written. */
export class WriteProbe {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Writes a page as it was, and has it as durable as a count. */
  probeWriting(): void {
    this.#db
      .transaction(() => {
        const version = this.#db.pragma('user_version', { simple: true });
        this.#db.pragma(`user_version = ${version}`);
      })
      .immediate();
  }
}
