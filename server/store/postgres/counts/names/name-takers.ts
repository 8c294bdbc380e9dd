import { type Contributor, leastShare, type Taker, takersOf } from '../../../../counting/names/name-cap.ts';
import { NewNames, takenKey } from '../../../counts/new-names.ts';
import type { Queryable } from '../../queryable.ts';
import { columnsOf } from '../arrays.ts';

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
  const takers = arrivals
    .filter(({ day, what }) => (before.get(takenKey(day, what)) ?? 0) + arrivals.length >= leastShare)
    .flatMap(({ day, what, sender }) =>
      takersOf(sender).map(({ kind, id }) => ({ day, what, kind, taker: String(id) })),
    );
  const shares =
    takers.length === 0
      ? []
      : await db.query<KnownRow & { kind: Taker['kind']; taker: string }>(
          `select t.day, t.what, t.kind, t.taker, t.names from name_takers t
             join (select distinct * from unnest($1::int[], $2::int[], $3::text[], $4::text[])) as x(day, what, kind, taker)
               using (day, what, kind, taker)`,
          columnsOf(takers, 'day', 'what', 'kind', 'taker'),
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
