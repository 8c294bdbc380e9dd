import { counters } from '../../../../shared/reports/counters.ts';
import type { Day } from '../../../counting/calendar.ts';
import { otherName } from '../../../counting/names/name-cap.ts';
import { admittedEntry } from '../../../counting/visitor-key.ts';
import type { Queryable, SqlValue } from '../../../database/sql.ts';
import type { CounterSum } from '../../counts/view-table.ts';
import { bigintArray, columnsOf, intArray, intsOf } from './arrays.ts';

/** What a call adds to a counter. */
export interface CounterAddition extends CounterSum {
  /** Of the day whose views it is of, from 1; 0: of hits that are no views. */
  place: number;
  shard: number;
  project: number;
  day: Day;
}

/** As `count_traced_batch` takes them. */
export function counterColumns(rows: readonly CounterAddition[]): SqlValue[] {
  return [
    ...intsOf(rows, 'place', 'shard', 'project', 'day'),
    intArray(rows.map(({ counter }) => counters[counter].number)),
    ...columnsOf(rows, 'group', 'name'),
    ...intsOf(rows, 'hits'),
    bigintArray(rows.map(({ amount }) => BigInt(amount))),
  ];
}

interface Taken {
  all: number;
  ofGroup: number;
}

const maxRemembered = 50_000;

/**
 * Puts names over the limit under `otherName`, in each shard of a project. Known names are remembered; nodes that add
 * new ones at the same moment may together exceed the limit by that many.
 */
export class CounterNames {
  readonly #known = new Set<string>();

  async admit(db: Queryable, rows: readonly CounterAddition[]): Promise<CounterAddition[]> {
    const unknown = rows.filter((row) => !this.#known.has(keyOf(row)));
    if (unknown.length === 0) return [...rows];
    const others = await findOthers(db, unknown);
    if (this.#known.size + unknown.length > maxRemembered) this.#known.clear();
    for (const row of unknown) if (!others.has(keyOf(row))) this.#known.add(keyOf(row));
    return rows.map((row) => others.get(keyOf(row)) ?? row);
  }
}

function keyOf({ shard, project, day, counter, group, name }: CounterAddition): string {
  return `${shard} ${project} ${day} ${counter}\n${group}\n${name}`;
}

/** What those are that are not taken in, by their keys. */
async function findOthers(
  db: Queryable,
  rows: readonly CounterAddition[],
): Promise<Map<string, CounterAddition>> {
  const isSame = sameAs(rows);
  const found = await db.query<Taken & { isKnown: boolean }>(
    `select
       exists (select 1 from tallies t where ${isSame} and t.subject = x.subject and t.name = x.name) as "isKnown",
       (select count(distinct (t.subject, t.name)) from tallies t where ${isSame} and t.name <> '${otherName}') as all,
       (select count(distinct t.name) from tallies t
        where ${isSame} and t.subject = x.subject and t.name <> '${otherName}') as "ofGroup"
     from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[]) with ordinality
       as x(shard, project, day, tally, subject, name, place)
     order by x.place`,
    [
      ...columnsOf(rows, 'shard', 'project', 'day'),
      rows.map(({ counter }) => counters[counter].number),
      ...columnsOf(rows, 'group', 'name'),
    ],
  );
  const added = new Map<string, number>();
  const others = new Map<string, CounterAddition>();
  for (const [i, row] of rows.entries()) {
    const { isKnown, all, ofGroup } = found[i] as Taken & { isKnown: boolean };
    const [ofAll, own] = keysOfTaken(row);
    const taken = { all: all + (added.get(ofAll) ?? 0), ofGroup: ofGroup + (added.get(own) ?? 0) };
    if (isKnown) continue;
    const admitted = admittedEntry(row, taken);
    if (admitted !== row) others.set(keyOf(row), admitted);
    else for (const key of [ofAll, own]) added.set(key, (added.get(key) ?? 0) + 1);
  }
  return others;
}

function keysOfTaken({ shard, project, day, counter, group }: CounterAddition): [string, string] {
  const place = `${shard} ${project} ${day} ${counter}`;
  return [place, `${place}\n${group}`];
}

/** A shard that has all of them is named as such, so that its server is asked alone. */
function sameAs(rows: readonly CounterAddition[]): string {
  const [first, ...others] = new Set(rows.map(({ shard }) => shard));
  const shard = others.length === 0 ? first : 'x.shard';
  return `t.shard = ${shard} and t.project = x.project and t.tally = x.tally and t.day = x.day`;
}
