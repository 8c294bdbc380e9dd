import type { Connection } from './connection.ts';

/** What of it is shown. */
const maxSentences = 20;

/** Looks at the whole file, which takes seconds for each gigabyte. */
export class DamageReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  findDamage(): string[] {
    const found = this.#db.pragma(`integrity_check(${maxSentences})`) as { integrity_check: string }[];
    const broken = found.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    const strays = this.#db.pragma('foreign_key_check') as { table: string; parent: string }[];
    const sentences = strays.map(
      ({ table, parent }) => `A row of ${table} belongs to a row of ${parent} that is not there`,
    );
    return [...new Set([...broken, ...sentences])].slice(0, maxSentences);
  }
}
