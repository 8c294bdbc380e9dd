import { type KindBit, kindBits } from '../../../../counting/sum.ts';
import { cellsPerView, momentCell, type ViewTable } from '../../../counts/view-table.ts';
import type { SqlValue } from '../../queryable.ts';
import { bigintArray, intArray } from '../arrays.ts';
import { shardCount } from '../shards.ts';

interface ViewPlace {
  /** Of the day, from 1. */
  place: number;
  shard: number;
  path: number;
  kind: KindBit;
}

/** Views of a day in a shard. */
interface ViewsRow {
  place: number;
  shard: number;
  human: number;
  ai: number;
  visitors: bigint[];
  views: bigint[];
}

/** The views of a batch, of which visits are made, as columns (migrations/0015-visits.sql). */
export class VisitColumns {
  readonly #views: ViewTable;
  readonly #rows = new Map<number, ViewsRow>();

  constructor(views: ViewTable) {
    this.#views = views;
  }

  add(view: number, { place, shard, path, kind }: ViewPlace): void {
    const moment = this.#views.cells[view * cellsPerView + momentCell] as number;
    const row = this.#rowOf(place, shard);
    if (kind === kindBits.human) row.human++;
    else row.ai++;
    row.visitors.push(this.#views.visitors[view] as bigint);
    row.views.push((BigInt(moment) << 31n) | BigInt(path * 4 + kind));
  }

  values(): SqlValue[] {
    const rows = [...this.#rows.values()];
    let last = 0;
    return [
      intArray(rows.map(({ place }) => place)),
      intArray(rows.map(({ shard }) => shard)),
      intArray(rows.map(({ views }) => (last += views.length))),
      intArray(rows.map(({ human }) => human)),
      intArray(rows.map(({ ai }) => ai)),
      bigintArray(rows.flatMap(({ visitors }) => visitors)),
      bigintArray(rows.flatMap(({ views }) => views)),
    ];
  }

  #rowOf(place: number, shard: number): ViewsRow {
    const key = place * shardCount + shard;
    let row = this.#rows.get(key);
    if (!row) {
      row = { place, shard, human: 0, ai: 0, visitors: [], views: [] };
      this.#rows.set(key, row);
    }
    return row;
  }
}
