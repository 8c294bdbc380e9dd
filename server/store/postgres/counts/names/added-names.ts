import type { Queryable } from '../../queryable.ts';
import { searchableColumn } from './searchable.ts';

interface NamedSum {
  what: number;
  /** 0: it is under no other. */
  parent: number;
  text: string;
}

/** Numbers of names; while the project's names are locked. No cap is asked: these are of no visitor's making. */
export async function findOrAddNames(
  db: Queryable,
  project: number,
  names: readonly NamedSum[],
): Promise<number[]> {
  const wanted = [...new Map(names.map((name) => [keyOf(name), name])).values()];
  const ids = await findNames(db, project, wanted);
  const missing = wanted.filter((name) => !ids.has(keyOf(name)));
  const first = await takeNumbers(db, project, missing.length);
  for (const [i, name] of missing.entries()) ids.set(keyOf(name), first + i);
  await db.query(
    `insert into names (project, id, what, parent, text, searchable)
     select $1::int, x.id, x.what, x.parent, x.text, x.searchable
     from unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::text[]) as x(id, what, parent, text, searchable)`,
    [
      ...[project, missing.map((_, i) => first + i), missing.map(({ what }) => what)],
      ...[missing.map(({ parent }) => parent)],
      ...[missing.map(({ text }) => text), missing.map(({ text }) => searchableColumn(text))],
    ],
  );
  return names.map((name) => ids.get(keyOf(name)) as number);
}

/** What stands for a name in the map of `findNames`. */
export function keyOf({ what, parent, text }: NamedSum): string {
  return `${what} ${parent} ${text}`;
}

/** Numbers of those that the project knows. */
export async function findNames(
  db: Queryable,
  project: number,
  wanted: readonly NamedSum[],
): Promise<Map<string, number>> {
  const known = await db.query<NamedSum & { id: number }>(
    `select n.id, n.what, n.parent, n.text from unnest($2::int[], $3::int[], $4::text[]) as x(what, parent, text) join names n
       on n.project = $1 and n.what = x.what and n.parent = x.parent and text_hash(n.text) = text_hash(x.text) and n.text = x.text`,
    [
      project,
      wanted.map(({ what }) => what),
      wanted.map(({ parent }) => parent),
      wanted.map(({ text }) => text),
    ],
  );
  return new Map(known.map((name) => [keyOf(name), name.id]));
}

/** Answers the first of so many that nobody else takes. */
async function takeNumbers(db: Queryable, project: number, count: number): Promise<number> {
  if (count === 0) return 0;
  const [row] = await db.query<{ last: number }>(
    'update projects set last_name = last_name + $2 where id = $1 returning last_name as last',
    [project, count],
  );
  return (row?.last ?? 0) - count + 1;
}
