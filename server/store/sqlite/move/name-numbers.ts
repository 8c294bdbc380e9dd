import type { Statement } from 'better-sqlite3';
import { StoreError } from '../../store.ts';
import type { Connection } from '../connection.ts';

/** A sighting has room for so many, with two bits for kinds. */
const maxNames = 2 ** 30;
/** Some 20 MB of them. */
const maxRemembered = 200_000;

/** Numbers that names get here, where they are numbered over all projects, by those that they had in their project. */
export class NameNumbers {
  readonly #add: Statement<[bigint, bigint]>;
  readonly #find: Statement<[bigint, bigint], number>;
  readonly #findFormer: Statement<[number], number>;
  readonly #known = new Map<string, number>();
  readonly #former = new Map<number, number>();

  /** @param db gets a table that is not of the database itself */
  constructor(db: Connection) {
    db.exec(`create temp table moved_names (
      number integer primary key, project integer not null, id integer not null, unique (project, id)) strict`);
    this.#add = db.prepare('insert into temp.moved_names (project, id) values (?, ?)');
    this.#find = db
      .prepare<[bigint, bigint], number>('select number from temp.moved_names where project = ? and id = ?')
      .pluck();
    this.#findFormer = db
      .prepare<[number], number>('select id from temp.moved_names where number = ?')
      .pluck();
  }

  /** 0 is no name, and stays so. A name may be asked for before it comes. @throws StoreError where there are too many */
  numberOf(project: bigint, id: bigint): number {
    if (id === 0n) return 0;
    const key = `${project} ${id}`;
    const known = this.#known.get(key) ?? this.#find.get(project, id);
    const number = known ?? Number(this.#add.run(project, id).lastInsertRowid);
    if (number >= maxNames) throw tooMany();
    remember(this.#known, key, number);
    return number;
  }

  /** The number that it had in its project. */
  formerOf(number: number): number {
    if (number === 0) return 0;
    const former = this.#former.get(number) ?? this.#findFormer.get(number) ?? 0;
    remember(this.#former, number, former);
    return former;
  }
}

function remember<Key>(known: Map<Key, number>, key: Key, number: number): void {
  if (known.size >= maxRemembered) known.clear();
  known.set(key, number);
}

function tooMany(): StoreError {
  return new StoreError(
    'unusable',
    `There are more names than a database of SQLite has room for (${maxNames}): move single projects with "headcount export" instead. Nothing was changed.`,
  );
}
