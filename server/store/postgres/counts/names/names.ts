import {
  type Contributor,
  leastShare,
  type NameCap,
  type NameSource,
  nameSourcesOf,
  otherName,
} from '../../../../counting/names/name-cap.ts';
import { searchableText } from '../../../../counting/names/name-search.ts';
import { parentOf } from '../../../../counting/what.ts';
import type { Queryable } from '../../../../database/sql.ts';
import { NewNames, takenKey } from '../../../counts/new-names.ts';
import type { ViewTable } from '../../../counts/view-table.ts';
import type { Database } from '../../database.ts';
import { columnsOf } from '../arrays.ts';
import type { OpenDayRow } from '../day-rows.ts';
import { type Name, NameCache, NamedViews, namesPerView } from './named-views.ts';

/** What counts are kept of. */
interface Counted {
  project: number;
  what: number;
  /** 0: it is under no other. */
  parent: number;
  text: string;
}

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
    for (const [name, id] of await findNames(this.#database, names)) named.found(name, id);
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

/** Numbers of those that are there. */
export async function findNames<Wanted extends Counted>(
  db: Queryable,
  names: readonly Wanted[],
): Promise<Map<Wanted, number>> {
  const rows = await db.query<{ place: number; id: number }>(
    `select x.place, n.id
     from unnest($1::int[], $2::int[], $3::int[], $4::text[]) with ordinality as x(project, what, parent, text, place)
     -- With a limit: one search in the index for each.
       cross join lateral (
         select o.id from names o where o.project = x.project and o.what = x.what and o.parent = x.parent
           and text_hash(o.text) = text_hash(x.text) limit 1) n`,
    columnsOf(names, 'project', 'what', 'parent', 'text'),
  );
  return new Map(rows.map(({ place, id }) => [names[place - 1] as Wanted, id]));
}

/** Numbers of names; while the project's names are locked. No cap is asked: these are of no visitor's making. */
export async function findOrAddNames(
  db: Queryable,
  project: number,
  names: readonly Omit<Counted, 'project'>[],
): Promise<number[]> {
  const keyOf = ({ what, parent, text }: Omit<Counted, 'project'>) => `${what} ${parent} ${text}`;
  const wanted = new Map(names.map((name) => [keyOf(name), { ...name, project }]));
  const ids = await findNames(db, [...wanted.values()]);
  const missing = [...wanted.values()].filter((name) => !ids.has(name));
  if (missing.length > 0) {
    const [row] = await db.query<{ last: number }>(
      'update projects set last_name = last_name + $2 where id = $1 returning last_name as last',
      [project, missing.length],
    );
    const first = (row?.last ?? 0) - missing.length + 1;
    for (const [i, name] of missing.entries()) ids.set(name, first + i);
    await insertNames(db, missing, ids);
  }
  return names.map((name) => ids.get(wanted.get(keyOf(name)) as Counted) as number);
}

async function insertNames<Added extends Counted>(
  db: Queryable,
  names: readonly Added[],
  ids: ReadonlyMap<Added, number>,
): Promise<void> {
  await db.query(
    `insert into names (project, what, parent, text, id, searchable)
     select * from unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[])`,
    [
      ...columnsOf(names, 'project', 'what', 'parent', 'text'),
      names.map((name) => ids.get(name) as number),
      names.map(({ text }) => searchableColumn(text)),
    ],
  );
}

/** The value of the column; null for most, which are in lower case and have no escapes. */
export function searchableColumn(name: string): string | null {
  const text = searchableText(name);
  return text === name ? null : text;
}

/** In the order in which the views came, and of each project in one transaction after the other on all nodes. */
async function takeIn(db: Queryable, named: NamedViews, names: readonly Name[]): Promise<Outcome> {
  const lastNames = await lockProjects(db, names);
  const otherNames = new Map(names.map((name) => [keyOfOther(name), otherOf(name)]));
  const ids = await findNames(db, [...names, ...otherNames.values()]);
  const arrivals = names
    .filter((name) => !ids.has(name))
    .flatMap((name) => name.cells.map((cell) => ({ name, cell, ...arrivalAt(named, cell) })));
  const newNames = await readNewNames(db, arrivals);
  const others: Outcome['others'] = new Map();
  const added: Name[] = [];
  const numberOf = (name: Name) => {
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = (lastNames.get(name.project) ?? 0) + 1;
    ids.set(name, id);
    lastNames.set(name.project, id);
    added.push(name);
    return id;
  };
  for (const { name, cell, day, what, sender } of arrivals.sort((a, b) => a.cell - b.cell)) {
    if (ids.has(name)) continue;
    const other = otherNames.get(keyOfOther(name)) as Name;
    if (name.text === otherName) {
      ids.set(name, numberOf(other));
      continue;
    }
    const cap = newNames.take(day, what, sender);
    if (cap === undefined) numberOf(name);
    else others.set(cell, { id: numberOf(other), cap });
  }
  if (added.length > 0) {
    await insertNames(db, added, ids);
    await db.query(
      `update projects p set last_name = x.name
       from unnest($1::int[], $2::int[]) as x(project, name) where p.id = x.project and p.last_name <> x.name`,
      [[...lastNames.keys()], [...lastNames.values()]],
    );
    await saveNewNames(db, newNames);
  }
  return { ids, others };
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

const keyOfOther = ({ project, what, parent }: Counted) => `${project} ${what} ${parent} ${otherName}`;

/** The overflow name, for a name over the limit. */
function otherOf(name: Name): Name {
  return { ...name, text: otherName, key: keyOfOther(name), id: undefined, cells: [] };
}

function arrivalAt(named: NamedViews, cell: number): { day: number; what: number; sender: Contributor } {
  const view = Math.floor(cell / namesPerView);
  return { day: named.rowOf(view)?.id ?? 0, what: cell % namesPerView, sender: named.senderOf(view) };
}

/** A new name of a day (by its row), and who brings it in. */
interface Arrival {
  day: number;
  what: number;
  sender: Contributor;
}

interface KnownRow {
  day: number;
  what: number;
  names: number;
}

/** All that may be asked of these arrivals: of shares only where somebody may have used one up. */
export async function readNewNames(db: Queryable, arrivals: readonly Arrival[]): Promise<NewNames> {
  const all = await db.query<KnownRow>('select day, what, names from new_names where day = any ($1)', [
    [...new Set(arrivals.map(({ day }) => day))],
  ]);
  const before = new Map(all.map(({ day, what, names }) => [takenKey(day, what), names]));
  const bySource = arrivals
    .filter(({ day, what }) => (before.get(takenKey(day, what)) ?? 0) + arrivals.length >= leastShare)
    .flatMap(({ day, what, sender }) =>
      nameSourcesOf(sender).map(({ kind, id }) => ({ day, what, kind, taker: String(id) })),
    );
  const shares =
    bySource.length === 0
      ? []
      : await db.query<KnownRow & { kind: NameSource['kind']; taker: string }>(
          `select t.day, t.what, t.kind, t.taker, t.names from name_takers t
             join (select distinct * from unnest($1::int[], $2::int[], $3::text[], $4::text[])) as x(day, what, kind, taker)
               using (day, what, kind, taker)`,
          columnsOf(bySource, 'day', 'what', 'kind', 'taker'),
        );
  for (const { day, what, kind, taker, names } of shares)
    before.set(takenKey(day, what, { kind, id: taker }), names);
  return new NewNames(({ day, what, taker }) => before.get(takenKey(day, what, taker)) ?? 0);
}

export async function saveNewNames(db: Queryable, names: NewNames): Promise<void> {
  const added = names.added();
  const shares = added.flatMap(({ taker, ...rest }) =>
    taker ? [{ ...rest, kind: taker.kind, taker: String(taker.id) }] : [],
  );
  await db.query(
    `insert into new_names as n (day, what, names) select * from unnest($1::int[], $2::int[], $3::int[])
     on conflict (day, what) do update set names = n.names + excluded.names`,
    columnsOf(
      added.filter(({ taker }) => !taker),
      ...(['day', 'what', 'added'] as const),
    ),
  );
  await db.query(
    `insert into name_takers as n (day, what, names, kind, taker)
     select * from unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[])
     on conflict (day, what, kind, taker) do update set names = n.names + excluded.names`,
    columnsOf(shares, 'day', 'what', 'added', 'kind', 'taker'),
  );
}
