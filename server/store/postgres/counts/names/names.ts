import { type NameCap, otherName } from '../../../../counting/names/name-cap.ts';
import { parentOf } from '../../../../counting/what.ts';
import type { ViewTable } from '../../../counts/view-table.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import type { OpenDayRow } from '../day-rows.ts';
import { NameCache } from './name-cache.ts';
import { type Arrival, NameTakers } from './name-takers.ts';
import { type Name, NamedViews, namesPerView } from './named-views.ts';
import { searchableColumn } from './searchable.ts';

interface Outcome {
  ids: Map<Name, number>;
  /** Cells that get the number of `otherName`, and why. */
  others: Map<number, { id: number; cap: NameCap }>;
}

/** Gives texts their numbers, and takes in what a project does not know as far as the caps of a day allow. */
export class Names {
  readonly #database: Database;
  readonly #cache = new NameCache();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Names are taken in by transactions of their own, and stay where their views are not counted after all. */
  async name(
    views: ViewTable,
    rows: readonly (OpenDayRow | undefined)[],
    indexes: readonly number[],
  ): Promise<NamedViews> {
    const named = new NamedViews(views, rows, this.#cache);
    // A pair is named under the number of what it is under.
    for (const isOf of [isOwn, isPair]) {
      const unknown = named.fill(indexes, isOf);
      if (unknown.length > 0) await this.#find(named, unknown);
    }
    return named;
  }

  /** After names were moved or deleted. */
  forget(): void {
    this.#cache.forget();
  }

  async #find(named: NamedViews, names: readonly Name[]): Promise<void> {
    for (const [name, id] of await lookUp(this.#database, names)) named.found(name, id);
    const unknown = names.filter(({ id }) => id === undefined);
    if (unknown.length === 0) return;
    const { ids, others } = await this.#database.transaction((db) => takeIn(db, named, unknown));
    for (const [name, id] of ids) named.found(name, id);
    for (const [cell, { id, cap }] of others) {
      named.ids[cell] = id;
      named.caps.set(cell, cap);
    }
  }
}

const isPair = (thing: number) => parentOf[thing] !== undefined;
const isOwn = (thing: number) => !isPair(thing);

async function lookUp(db: Queryable, names: readonly Name[]): Promise<Map<Name, number>> {
  const rows = await db.query<{ place: number; id: number }>(
    `select x.place, n.id
     from unnest($1::int[], $2::int[], $3::int[], $4::text[]) with ordinality as x(project, what, parent, text, place)
       -- With a limit: one search in the index for each.
       cross join lateral (
         select o.id from names o where o.project = x.project and o.what = x.what and o.parent = x.parent
           and text_hash(o.text) = text_hash(x.text) limit 1) n`,
    [
      names.map(({ project }) => project),
      names.map((name) => name.what),
      names.map(({ parent }) => parent),
      names.map(({ text }) => text),
    ],
  );
  return new Map(rows.map(({ place, id }) => [names[place - 1] as Name, id]));
}

/** In the order in which the views came, and of each project in one transaction after the other on all nodes. */
async function takeIn(db: Queryable, named: NamedViews, names: readonly Name[]): Promise<Outcome> {
  const lastNames = await lockProjects(db, names);
  const others = otherNames(names);
  const ids = await lookUp(db, [...names, ...others.values()]);
  const cells = names
    .filter((name) => !ids.has(name))
    .flatMap((name) => name.cells.map((cell) => ({ name, cell, arrival: arrivalAt(named, cell) })));
  const takers = await NameTakers.read(
    db,
    cells.map(({ arrival }) => arrival),
  );
  const admission = new Admission(ids, takers, others, lastNames);
  for (const { name, cell, arrival } of cells.sort((a, b) => a.cell - b.cell)) {
    admission.admit(name, cell, arrival);
  }
  await admission.save(db);
  return { ids, others: admission.others };
}

/** Answers the number of each project's newest name, as it is once nobody else takes in names. */
async function lockProjects(db: Queryable, names: readonly Name[]): Promise<Map<number, number>> {
  const projects = [...new Set(names.map(({ project }) => project))].sort((a, b) => a - b);
  await db.query('select pg_advisory_xact_lock(3, x) from unnest($1::int[]) x', [projects]);
  const rows = await db.query<{ id: number; lastName: number }>(
    'select id, last_name as "lastName" from projects where id = any ($1)',
    [projects],
  );
  return new Map(rows.map(({ id, lastName }) => [id, lastName]));
}

/** For each of the names the one that stands for what has none. */
function otherNames(names: readonly Name[]): Map<string, Name> {
  return new Map(
    names.map(({ project, what, parent }) => {
      const key = `${project} ${what} ${parent} ${otherName}`;
      return [key, { project, what, parent, text: otherName, key, id: undefined, cells: [] }];
    }),
  );
}

function arrivalAt(named: NamedViews, cell: number): Arrival {
  const view = Math.floor(cell / namesPerView);
  return { day: named.rowOf(view)?.id ?? 0, what: cell % namesPerView, sender: named.senderOf(view) };
}

/** Decides about the names of a transaction, one cell after the other. */
class Admission {
  readonly others = new Map<number, { id: number; cap: NameCap }>();
  readonly #ids: Map<Name, number>;
  readonly #takers: NameTakers;
  readonly #otherNames: ReadonlyMap<string, Name>;
  readonly #added: Name[] = [];
  readonly #lastNames: Map<number, number>;

  constructor(
    ids: Map<Name, number>,
    takers: NameTakers,
    otherNames: ReadonlyMap<string, Name>,
    lastNames: Map<number, number>,
  ) {
    this.#ids = ids;
    this.#takers = takers;
    this.#otherNames = otherNames;
    this.#lastNames = lastNames;
  }

  admit(name: Name, cell: number, arrival: Arrival): void {
    if (this.#ids.has(name)) return;
    const other = this.#otherNames.get(`${name.project} ${name.what} ${name.parent} ${otherName}`) as Name;
    const cap = name.text === otherName ? undefined : this.#takers.take(arrival);
    if (cap === undefined) this.#add(name.text === otherName ? other : name, name);
    else this.others.set(cell, { id: this.#ids.get(other) ?? this.#add(other), cap });
  }

  async save(db: Queryable): Promise<void> {
    if (this.#added.length === 0) return;
    await db.query(
      `insert into names (project, id, what, parent, text, searchable)
       select * from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[])`,
      [
        this.#added.map(({ project }) => project),
        this.#added.map((name) => this.#ids.get(name) as number),
        this.#added.map(({ what }) => what),
        this.#added.map(({ parent }) => parent),
        this.#added.map(({ text }) => text),
        this.#added.map(({ text }) => searchableColumn(text)),
      ],
    );
    await db.query(
      `update projects p set last_name = x.name
       from unnest($1::int[], $2::int[]) as x(project, name) where p.id = x.project and p.last_name <> x.name`,
      [[...this.#lastNames.keys()], [...this.#lastNames.values()]],
    );
    await this.#takers.save(db);
  }

  #add(name: Name, alias = name): number {
    const known = this.#ids.get(name);
    const id = known ?? (this.#lastNames.get(name.project) ?? 0) + 1;
    this.#ids.set(name, id);
    this.#ids.set(alias, id);
    if (known === undefined) {
      this.#lastNames.set(name.project, id);
      this.#added.push(name);
    }
    return id;
  }
}
