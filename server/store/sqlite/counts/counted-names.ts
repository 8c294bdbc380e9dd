import type { Statement } from 'better-sqlite3';
import type { NamedText, SumOf } from '../../../counting/selection.ts';
import { what } from '../../../counting/what.ts';
import type { Connection } from '../connection.ts';

/** What a row of counts is of. */
export interface Counted {
  what: number;
  parent: number;
  name: number;
}

const site: Counted = { what: what.site, parent: 0, name: 0 };

/** Finds where the counts of a name are. */
export class CountedNames {
  readonly #find: Statement<[number, number, number, string], number>;

  constructor(db: Connection) {
    this.#find = db
      .prepare<[number, number, number, string], number>(
        'select id from names where project = ? and what = ? and parent = ? and text = ?',
      )
      .pluck();
  }

  /** The number of a name; none given: 0. Undefined: the project does not know it. */
  number(project: number, named: NamedText | null, parent = 0): number | undefined {
    return named ? this.#find.get(project, named.what, parent, named.text) : 0;
  }

  /** Undefined: nothing was counted under it. */
  find(project: number, of: SumOf | null): Counted | undefined {
    if (!of) return site;
    const parent = this.number(project, of.under);
    const name = parent === undefined ? undefined : this.number(project, of, parent);
    return parent === undefined || name === undefined ? undefined : { what: of.what, parent, name };
  }
}
