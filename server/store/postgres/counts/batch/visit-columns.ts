import { type KindBit, kindBits } from '../../../../counting/sum.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import { cellsPerView, momentCell, type ViewTable } from '../../../counts/view-table.ts';
import { bigintArray, intArray, intsOf } from '../arrays.ts';
import { shardCount } from '../shards.ts';

interface ViewPlace {
  /** Of the day, from 1. */
  place: number;
  shard: number;
  /** Or of an event, which is of the kind 0. */
  path: number;
  kind: KindBit | 0;
  /** By `originOf`; null: nobody asks for it. */
  origin: bigint | null;
}

/** Where a view came from, by numbers of names; below 0: it has none. */
export function originOf(source: number, country: number): bigint {
  return (BigInt(Math.max(source, 0)) << 29n) | BigInt(Math.max(country, 0));
}

/** Views of a day in a shard. */
interface ViewsRow {
  place: number;
  shard: number;
  human: number;
  ai: number;
  visitors: bigint[];
  views: bigint[];
  origins: (bigint | null)[];
}

/** The views of a batch, of which visits are made, as columns (functions/note_visits.sql). */
export class VisitColumns {
  readonly #views: ViewTable;
  readonly #rows = new Map<number, ViewsRow>();

  constructor(views: ViewTable) {
    this.#views = views;
  }

  add(view: number, { place, shard, path, kind, origin }: ViewPlace): void {
    const moment = this.#views.cells[view * cellsPerView + momentCell] as number;
    const row = this.#rowOf(place, shard);
    if (kind === kindBits.human) row.human++;
    else if (kind === kindBits.ai) row.ai++;
    row.visitors.push(this.#views.visitors[view] as bigint);
    row.views.push((BigInt(moment) << 31n) | BigInt(path * 4 + kind));
    row.origins.push(origin);
  }

  values(): SqlValue[] {
    const rows = [...this.#rows.values()];
    let last = 0;
    return [
      ...intsOf(rows, 'place', 'shard'),
      intArray(rows.map(({ views }) => (last += views.length))),
      ...intsOf(rows, 'human', 'ai'),
      bigintArray(rows.flatMap(({ visitors }) => visitors)),
      bigintArray(rows.flatMap(({ views }) => views)),
    ];
  }

  /** Which rows have them, and all of them; both empty: no project has goals. */
  origins(): SqlValue[] {
    const rows = [...this.#rows.values()];
    const isTraced = ({ origins }: ViewsRow) => origins[0] !== null;
    if (!rows.some(isTraced)) return ['{}', '{}'];
    const all = rows.flatMap(({ origins }) => origins.map((origin) => origin ?? 0n));
    return [rows.map(isTraced), bigintArray(all)];
  }

  #rowOf(place: number, shard: number): ViewsRow {
    const key = place * shardCount + shard;
    let row = this.#rows.get(key);
    if (!row) {
      row = { place, shard, human: 0, ai: 0, visitors: [], views: [], origins: [] };
      this.#rows.set(key, row);
    }
    return row;
  }
}
