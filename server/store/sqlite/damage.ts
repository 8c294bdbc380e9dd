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
    return findDamage(this.#db);
  }
}

/** Structures that contradict each other, a sentence each. */
export function findCorruption(db: Connection): string[] {
  const found = db.pragma(`integrity_check(${maxSentences})`) as { integrity_check: string }[];
  return found.map((row) => row.integrity_check).filter((text) => text !== 'ok');
}

function findDamage(db: Connection): string[] {
  const strays = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  const sentences = strays.map(
    ({ table, parent }) => `A row of ${table} belongs to a row of ${parent} that is not there`,
  );
  return [...new Set([...findCorruption(db), ...sentences])].slice(0, maxSentences);
}
