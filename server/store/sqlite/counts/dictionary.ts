import type { Statement } from 'better-sqlite3';
import type { Connection } from '../connection.ts';

export interface Name {
  id: number;
  what: number;
  parent: number;
}

/** Finds numbers of names. Undefined: the project does not know it. */
export function nameFinder(db: Connection) {
  const find = db
    .prepare<[number, number, number, string], number>(
      'select id from names where project = ? and what = ? and parent = ? and text = ?',
    )
    .pluck();
  return (project: number, what: number, parent: number, text: string) =>
    find.get(project, what, parent, text);
}

/** Of each of two halves; some 16 MB at the worst, when every name has the greatest length. */
const maxNames = 40_000;
const maxCharacters = 4_000_000;

type NamesOf = Map<string, Name>;

/**
 * Texts to ids, per project and kind, remembered as far as there is room: what was not asked for in a long time is forgotten.
 * After a rollback all of it has to be.
 */
export class Dictionary {
  /** By kind of name. */
  #young = new Map<number, NamesOf>();
  #old = new Map<number, NamesOf>();
  #names = 0;
  #characters = 0;
  readonly #find: ReturnType<typeof nameFinder>;
  readonly #insert: Statement<[number, number, number, string]>;

  constructor(db: Connection) {
    this.#find = nameFinder(db);
    this.#insert = db.prepare('insert into names (project, what, parent, text) values (?, ?, ?, ?)');
  }

  /** Undefined: the project does not know the name. */
  find(project: number, what: number, text: string, parent: number): Name | undefined {
    const kind = kindOf(project, what, parent);
    const young = this.#young.get(kind)?.get(text);
    if (young) return young;
    const old = this.#old.get(kind)?.get(text);
    if (old) return this.#remember(kind, text, old);
    const id = this.#find(project, what, parent, text);
    return id === undefined ? undefined : this.#remember(kind, text, { id, what, parent });
  }

  /** A name that the project does not know. */
  add(project: number, what: number, text: string, parent: number): Name {
    const id = Number(this.#insert.run(project, what, parent, text).lastInsertRowid);
    return this.#remember(kindOf(project, what, parent), text, { id, what, parent });
  }

  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#names = this.#characters = 0;
  }

  #remember(kind: number, text: string, name: Name): Name {
    if (this.#names >= maxNames || this.#characters >= maxCharacters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#names = this.#characters = 0;
    }
    this.#names++;
    this.#characters += text.length;
    const names = this.#young.get(kind);
    if (names) names.set(text, name);
    else this.#young.set(kind, new Map([[text, name]]));
    return name;
  }
}

/** One number, as a look-up by several takes longer. Under a name of a project there is one kind of names at most. */
function kindOf(project: number, what: number, parent: number): number {
  return parent === 0 ? -(project * 64 + what) : project * 2 ** 31 + parent;
}
