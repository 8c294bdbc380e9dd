import type { NamedText, SumOf } from '../../../../counting/selection.ts';
import { what } from '../../../../counting/what.ts';
import type { Queryable } from '../../queryable.ts';
import { storable } from './named-views.ts';

/** What a row of counts is of. */
export interface Counted {
  what: number;
  parent: number;
  name: number;
}

const site: Counted = { what: what.site, parent: 0, name: 0 };

/** The number of a name; none given: 0. Undefined: the project does not know it. */
export async function findNumber(
  db: Queryable,
  project: number,
  named: NamedText | null,
  parent = 0,
): Promise<number | undefined> {
  if (!named) return 0;
  const [name] = await db.query<{ id: number }>(
    `select id from names
     where project = $1 and what = $2 and parent = $3 and text_hash(text) = text_hash($4) and text = $4`,
    [project, named.what, parent, storable(named.text)],
  );
  return name?.id;
}

/** Where the counts of a name are. Undefined: nothing was counted under it. */
export async function findCounted(
  db: Queryable,
  project: number,
  of: SumOf | null,
): Promise<Counted | undefined> {
  if (!of) return site;
  const parent = await findNumber(db, project, of.under);
  const name = parent === undefined ? undefined : await findNumber(db, project, of, parent);
  return parent === undefined || name === undefined ? undefined : { what: of.what, parent, name };
}
