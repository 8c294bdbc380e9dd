import type { Connection } from '../connection.ts';

export interface Name {
  id: number;
  what: number;
  parent: number;
}

/** Finds numbers of names, and adds names. Undefined: the project does not know it. */
export function nameNumbers(db: Connection) {
  type Named = [project: number, what: number, parent: number, text: string];
  const findOne = db
    .prepare<Named, number>('select id from names where project = ? and what = ? and parent = ? and text = ?')
    .pluck();
  const addOne = db.prepare<Named>('insert into names (project, what, parent, text) values (?, ?, ?, ?)');
  const find = (...name: Named) => findOne.get(...name);
  const add = (...name: Named) => Number(addOne.run(...name).lastInsertRowid);
  return { find, add, findOrAdd: (...name: Named) => find(...name) ?? add(...name) };
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
  readonly #numbers: ReturnType<typeof nameNumbers>;

  constructor(db: Connection) {
    this.#numbers = nameNumbers(db);
  }

  /** Undefined: the project does not know the name. */
  find(project: number, what: number, text: string, parent: number): Name | undefined {
    const kind = kindOf(project, what, parent);
    const young = this.#young.get(kind)?.get(text);
    if (young) return young;
    const old = this.#old.get(kind)?.get(text);
    if (old) return this.#remember(kind, text, old);
    const id = this.#numbers.find(project, what, parent, text);
    return id === undefined ? undefined : this.#remember(kind, text, { id, what, parent });
  }

  /** A name that the project does not know. */
  add(project: number, what: number, text: string, parent: number): Name {
    const id = this.#numbers.add(project, what, parent, text);
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
