import type { Statement } from 'better-sqlite3';
import type { Block } from '../../../counting/blocks.ts';
import type { Sum } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';
import type { Name } from './dictionary.ts';

/** What is added to a count. */
export interface Delta extends Sum {
  name: Name;
}

/** Ends an `insert` into `counts` that adds to what is there. */
export const orAdd = `
  on conflict do update set
    human_visitors = human_visitors + excluded.human_visitors,
    ai_visitors = ai_visitors + excluded.ai_visitors,
    visitors = visitors + excluded.visitors,
    human_views = human_views + excluded.human_views,
    ai_views = ai_views + excluded.ai_views`;

/** Written by one call into SQLite. */
const rowsPerCall = 16;
const row = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const columns = row.split(',').length;

/** Adds to the sums that are kept of blocks of days. */
export class Counts {
  readonly #one: Statement<[number[]]>;
  readonly #many: Statement<[number[]]>;
  #values: number[] = [];

  constructor(db: Connection) {
    const prepare = (rows: number) =>
      db.prepare<[number[]]>(
        `insert into counts (project, what, parent, span, day, name,
           human_visitors, ai_visitors, visitors, human_views, ai_views)
         values ${Array(rows).fill(row).join(', ')}
         ${orAdd}`,
      );
    this.#one = prepare(1);
    this.#many = prepare(rowsPerCall);
  }

  /** Written with the next `save` at the latest. */
  add(project: number, { span, day }: Block, delta: Delta): void {
    const { what, parent, id } = delta.name;
    this.#values.push(
      project,
      what,
      parent,
      span,
      day,
      id,
      delta.humanVisitors,
      delta.aiVisitors,
      delta.visitors,
      delta.humanViews,
      delta.aiViews,
    );
    if (this.#values.length < rowsPerCall * columns) return;
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
    for (let start = 0; start < values.length; start += columns) {
      this.#one.run(values.slice(start, start + columns));
    }
  }
}
