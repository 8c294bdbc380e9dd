import type { Statement } from 'better-sqlite3';
import { admitName, otherName } from '../../../counting/name-cap.ts';
import type { Connection } from '../connection.ts';

export interface Name {
  id: number;
  what: number;
  parent: number;
}

/** Some 20 MB at the worst, when every name has the greatest length. */
const maxCachedNames = 20_000;

/** Texts to ids, per project and kind, remembered; the memory is bounded and must be forgotten after a rollback. */
export class Dictionary {
  readonly #cache = new Map<string, Name>();
  readonly #find: Statement<[number, number, number, string], { id: number }>;
  readonly #insert: Statement<[number, number, number, string]>;
  readonly #countNew: Statement<[number, number], { names: number }>;
  readonly #addNew: Statement<[number, number]>;

  constructor(db: Connection) {
    this.#find = db.prepare(
      'select id from names where project = ? and what = ? and parent = ? and text = ?',
    );
    this.#insert = db.prepare('insert into names (project, what, parent, text) values (?, ?, ?, ?)');
    this.#countNew = db.prepare('select names from new_names where day = ? and what = ?');
    this.#addNew = db.prepare(
      'insert into new_names (day, what, names) values (?, ?, 1) on conflict do update set names = names + 1',
    );
  }

  /** `day` is the open day's row, which the cap is counted on. */
  get(project: number, day: number, what: number, text: string, parent = 0): Name {
    const key = `${project} ${what} ${parent} ${text}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const name = this.#load(project, day, what, text, parent);
    if (this.#cache.size >= maxCachedNames) this.#cache.clear();
    // A name that fell under the cap today may get its own row tomorrow.
    if (name) this.#cache.set(key, name);
    return name ?? this.get(project, day, what, otherName, parent);
  }

  #load(project: number, day: number, what: number, text: string, parent: number): Name | undefined {
    const found = this.#find.get(project, what, parent, text);
    if (found) return { id: found.id, what, parent };
    if (text !== otherName) {
      if (admitName(text, this.#countNew.get(day, what)?.names ?? 0) !== text) return undefined;
      this.#addNew.run(day, what);
    }
    const id = Number(this.#insert.run(project, what, parent, text).lastInsertRowid);
    return { id, what, parent };
  }

  forget(): void {
    this.#cache.clear();
  }
}
