import type { Block } from '../../../counting/blocks.ts';
import type { Sum } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';
import type { Name } from './dictionary.ts';
import { ManyRows } from './many-rows.ts';

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

/** Adds to the sums that are kept of blocks of days. */
export class Counts {
  readonly #rows: ManyRows<number>;

  constructor(db: Connection) {
    this.#rows = new ManyRows(
      db,
      `insert into counts (project, what, parent, span, day, name,
         human_visitors, ai_visitors, visitors, human_views, ai_views)`,
      11,
      orAdd,
    );
  }

  /** Written with the next `save` at the latest. */
  add(project: number, { span, day }: Block, delta: Delta): void {
    const { what, parent, id } = delta.name;
    const { humanVisitors, aiVisitors, visitors, humanViews, aiViews } = delta;
    this.#rows.add(
      ...[project, what, parent, span, day, id],
      ...[humanVisitors, aiVisitors, visitors, humanViews, aiViews],
    );
  }

  /** After a rollback: what was not written yet belongs to it, too. */
  forget(): void {
    this.#rows.forget();
  }

  save(): void {
    this.#rows.save();
  }
}
