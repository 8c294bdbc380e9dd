import type { Statement } from 'better-sqlite3';
import type { Connection } from '../connection.ts';

/** Written by one call into SQLite. */
const rowsPerCall = 16;

/** Rows on their way into a table, of which many are written at once. */
export class ManyRows<Value> {
  readonly #columns: number;
  readonly #one: Statement<[Value[]]>;
  readonly #many: Statement<[Value[]]>;
  #values: Value[] = [];

  /** @param into the beginning of the statement, up to the columns */
  constructor(db: Connection, into: string, columns: number, onConflict: string) {
    const row = `(${Array(columns).fill('?').join(', ')})`;
    const prepare = (rows: number) =>
      db.prepare<[Value[]]>(`${into} values ${Array(rows).fill(row).join(', ')} ${onConflict}`);
    this.#columns = columns;
    this.#one = prepare(1);
    this.#many = prepare(rowsPerCall);
  }

  /** Written with the next `save` at the latest. */
  add(...row: Value[]): void {
    this.#values.push(...row);
    if (this.#values.length < rowsPerCall * this.#columns) return;
    const values = this.#values;
    this.#values = [];
    this.#many.run(values);
  }

  /** After a rollback: what was not written yet belongs to it, too. */
  forget(): void {
    this.#values = [];
  }

  save(): void {
    const values = this.#values;
    this.#values = [];
    for (let start = 0; start < values.length; start += this.#columns) {
      this.#one.run(values.slice(start, start + this.#columns));
    }
  }
}
