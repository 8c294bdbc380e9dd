import type { Statement } from 'better-sqlite3';
import type { NamedText } from '../../../counting/selection.ts';
import type { Connection } from '../connection.ts';

/** Finds names of projects. */
export class CountedNames {
  readonly #find: Statement<[number, number, number, string], number>;

  constructor(db: Connection) {
    this.#find = db
      .prepare<[number, number, number, string], number>(
        'select id from names where project = ? and what = ? and parent = ? and text = ?',
      )
      .pluck();
  }

  /** Its number. Undefined: the project does not know it. */
  number(project: number, { what, text }: NamedText, parent = 0): number | undefined {
    return this.#find.get(project, what, parent, text);
  }
}
