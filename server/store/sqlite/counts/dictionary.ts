import type { Statement } from 'better-sqlite3';
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

  constructor(db: Connection) {
    this.#find = db.prepare(
      'select id from names where project = ? and what = ? and parent = ? and text = ?',
    );
    this.#insert = db.prepare('insert into names (project, what, parent, text) values (?, ?, ?, ?)');
  }

  /** Undefined: the project does not know the name. */
  find(project: number, what: number, text: string, parent: number): Name | undefined {
    const key = `${project} ${what} ${parent} ${text}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const found = this.#find.get(project, what, parent, text);
    return found && this.#remember(key, { id: found.id, what, parent });
  }

  /** A name that the project does not know. */
  add(project: number, what: number, text: string, parent: number): Name {
    const id = Number(this.#insert.run(project, what, parent, text).lastInsertRowid);
    return this.#remember(`${project} ${what} ${parent} ${text}`, { id, what, parent });
  }

  forget(): void {
    this.#cache.clear();
  }

  #remember(key: string, name: Name): Name {
    if (this.#cache.size >= maxCachedNames) this.#cache.clear();
    this.#cache.set(key, name);
    return name;
  }
}
