import type { Statement } from 'better-sqlite3';
import { type Block, largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { Sum } from '../../../counting/sum.ts';
import { sumNames } from '../../counts/count-tables.ts';
import type { Connection } from '../connection.ts';
import type { Name } from './dictionary.ts';

/** What is added to a count. */
export interface Delta extends Sum {
  name: Name;
}

export const sumColumns = sumNames.join(', ');

/** Begins an `insert` into `counts`. */
export const intoCounts = `insert into counts (project, what, parent, span, day, name, ${sumColumns})`;

/** Ends one that adds to what is there. */
export const orAdd = `on conflict do update set ${sumNames.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Adds to the sums that are kept of blocks of days. */
export function countRows(db: Connection) {
  const rows = new ManyRows<number>(db, intoCounts, 11, orAdd);
  return {
    /** Written with the next `save` at the latest. */
    add(project: number, { span, day }: Block, delta: Delta): void {
      const { name, humanVisitors, aiVisitors, visitors, humanViews, aiViews } = delta;
      rows.add(
        ...[project, name.what, name.parent, span, day, name.id],
        ...[humanVisitors, aiVisitors, visitors, humanViews, aiViews],
      );
    },
    /** After a rollback: what was not written yet belongs to it, too. */
    forget: () => rows.forget(),
    save: () => rows.save(),
  };
}

/** Rows of one day and of what they count, up to a name. */
export interface Slice {
  project: number;
  what: number;
  parent: number;
  day: Day;
  last: number;
}

const isSlice =
  'project = @project and what = @what and parent = @parent and span = 1 and day = @day and name <= @last';

/** Takes counts of sealed days away, out of the larger blocks too. Used inside transactions. */
export function sealedCounts(db: Connection): (slice: Slice) => void {
  const subtract = db.prepare(
    `${intoCounts} select project, what, parent, @span, @start, name, ${sumNames.map((name) => `-${name}`).join(', ')}
     from counts where ${isSlice}
     ${orAdd}`,
  );
  const deleteEmpty = db.prepare(
    `delete from counts where project = @project and what = @what and parent = @parent and span = @span and day = @start
       and human_views = 0 and ai_views = 0 and name in (select name from counts where ${isSlice})`,
  );
  const deleteSlice = db.prepare(`delete from counts where ${isSlice}`);
  return (slice) => {
    for (const { span, day: start } of largerBlocksOf(slice.day)) {
      subtract.run({ ...slice, span, start });
      deleteEmpty.run({ ...slice, span, start });
    }
    deleteSlice.run(slice);
  };
}

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
