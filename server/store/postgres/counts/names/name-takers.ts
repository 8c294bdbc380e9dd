import {
  type Contributor,
  findNameCap,
  leastShare,
  type NameCap,
  type Taker,
  takersOf,
} from '../../../../counting/names/name-cap.ts';
import type { Queryable } from '../../queryable.ts';

/** A new name of a day (by its row), and who brings it in. */
export interface Arrival {
  day: number;
  what: number;
  sender: Contributor;
}

interface Taken {
  day: number;
  what: number;
  taker: Taker | undefined;
  before: number;
  added: number;
}

/** Who brought in how many of the new names of some days: read, asked, and written in one transaction. */
export class NameTakers {
  readonly #taken = new Map<string, Taken>();

  /** All that may be asked of these arrivals. */
  static async read(db: Queryable, arrivals: readonly Arrival[]): Promise<NameTakers> {
    const takers = new NameTakers();
    const days = [...new Set(arrivals.map(({ day }) => day))];
    const all = await db.query<{ day: number; what: number; names: number }>(
      'select day, what, names from new_names where day = any ($1)',
      [days],
    );
    for (const { day, what, names } of all) takers.#of(day, what).before = names;
    await takers.#readShares(db, arrivals);
    return takers;
  }

  /** Notes a new name; or answers why it is not taken in. */
  take({ day, what, sender }: Arrival): NameCap | undefined {
    const takers = takersOf(sender);
    const everybody = this.#of(day, what);
    const all = countOf(everybody);
    const cap = findNameCap(takers, (taker) =>
      taker && all >= leastShare ? countOf(this.#of(day, what, taker)) : all,
    );
    if (cap !== undefined) return cap;
    everybody.added++;
    for (const taker of takers) this.#of(day, what, taker).added++;
    return undefined;
  }

  async save(db: Queryable): Promise<void> {
    const added = [...this.#taken.values()].filter((taken) => taken.added > 0);
    const all = added.filter(({ taker }) => !taker);
    const shares = added.filter(({ taker }) => taker);
    const columns = (taken: Taken[]) => [
      taken.map(({ day }) => day),
      taken.map(({ what }) => what),
      taken.map((each) => each.added),
    ];
    await db.query(
      `insert into new_names as n (day, what, names) select * from unnest($1::int[], $2::int[], $3::int[])
       on conflict (day, what) do update set names = n.names + excluded.names`,
      columns(all),
    );
    await db.query(
      `insert into name_takers as n (day, what, names, kind, taker)
       select * from unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[])
       on conflict (day, what, kind, taker) do update set names = n.names + excluded.names`,
      [
        ...columns(shares),
        shares.map(({ taker }) => taker?.kind ?? ''),
        shares.map(({ taker }) => idOf(taker)),
      ],
    );
  }

  /** Only where somebody may have used up a part. */
  async #readShares(db: Queryable, arrivals: readonly Arrival[]): Promise<void> {
    const near = arrivals.filter(
      ({ day, what }) => this.#of(day, what).before + arrivals.length >= leastShare,
    );
    const takers = near.flatMap(({ day, what, sender }) =>
      takersOf(sender).map((taker) => ({ day, what, taker })),
    );
    if (takers.length === 0) return;
    const rows = await db.query<{
      day: number;
      what: number;
      kind: Taker['kind'];
      taker: string;
      names: number;
    }>(
      `select t.day, t.what, t.kind, t.taker, t.names from name_takers t
         join (select distinct * from unnest($1::int[], $2::int[], $3::text[], $4::text[])) as x(day, what, kind, taker)
           using (day, what, kind, taker)`,
      [
        takers.map(({ day }) => day),
        takers.map(({ what }) => what),
        takers.map(({ taker }) => taker.kind),
        takers.map(({ taker }) => idOf(taker)),
      ],
    );
    for (const { day, what, kind, taker, names } of rows) {
      this.#of(day, what, { kind, id: taker }).before = names;
    }
  }

  #of(day: number, what: number, taker?: Taker): Taken {
    const key = `${day} ${what} ${taker?.kind} ${idOf(taker)}`;
    const known = this.#taken.get(key);
    if (known) return known;
    const taken = { day, what, taker, before: 0, added: 0 };
    this.#taken.set(key, taken);
    return taken;
  }
}

function countOf({ before, added }: Taken): number {
  return before + added;
}

function idOf(taker: Taker | undefined): string {
  return String(taker?.id);
}
