import { dimensionNames } from '../../../shared/reports/dimensions.ts';
import type { Interned } from '../../counting/names/interned.ts';
import { kindBits } from '../../counting/sum.ts';
import type { TallySet } from '../../counting/tally.ts';
import { joinClient } from '../../counting/what.ts';
import type { LogBatch, LoggedView, LogReceipt, ViewBatch } from './import-store.ts';
import { cellOfBytes, cellsPerView, textColumns, type ViewTable } from './view-table.ts';

const capacity = 4_096;
/** Strangers can make paths and sources long and many. */
const maxCharacters = 2_000_000;

export interface LoggedViews extends LogBatch {
  views: ViewTable;
}

/** Gathers the views of a transaction as a table. */
export class TableBatch implements ViewBatch {
  readonly #send: (batch: LoggedViews) => Promise<LogReceipt>;
  readonly #visitors = new BigInt64Array(capacity);
  readonly #cells = new Int32Array(capacity * cellsPerView);
  readonly #texts: string[][] = textColumns.map(() => []);
  readonly #tallies = new Map<TallySet, number>();
  #length = 0;
  #characters = 0;

  constructor(send: (batch: LoggedViews) => Promise<LogReceipt>) {
    this.#send = send;
  }

  get isFull(): boolean {
    return this.#length === capacity || this.#characters >= maxCharacters;
  }

  add(view: LoggedView): void {
    const cells = this.#cells;
    const texts = this.#texts;
    let at = this.#length * cellsPerView;
    this.#visitors[this.#length++] = view.visitor;
    cells[at++] = view.day;
    cells[at++] = kindBits[view.kind];
    cells[at++] = view.network;
    cells[at++] = this.#place(texts[0] as string[], view.path);
    cells[at++] = this.#placeClient(texts[1] as string[], view.client);
    cells[at++] = view.hour ? this.#place(texts[2] as string[], view.hour) : -1;
    for (let i = 0; i < dimensionNames.length; i++) {
      const text = view[dimensionNames[i] as (typeof dimensionNames)[number]];
      cells[at++] = text ? this.#place(texts[3 + i] as string[], text) : -1;
    }
    // Logs tell of no events.
    cells[at++] = -1;
    cells[at++] = -1;
    cells[at++] = this.#placeTallies(view.tallies);
    cells[at++] = cellOfBytes(view.bytes);
    cells[at++] = view.moment;
  }

  count(batch: LogBatch): Promise<LogReceipt> {
    const views = {
      visitors: this.#visitors.slice(0, this.#length),
      cells: this.#cells.slice(0, this.#length * cellsPerView),
      texts: this.#texts,
      tallies: [...this.#tallies.keys()],
    };
    return this.#send({ ...batch, views });
  }

  #place(list: string[], thing: Interned<string>): number {
    return thing.list === list ? thing.index : this.#put(list, thing, thing.value);
  }

  #placeClient(list: string[], client: LoggedView['client']): number {
    if (client === null) return -1;
    return client.list === list ? client.index : this.#put(list, client, joinClient(client.value));
  }

  #placeTallies(tallies: TallySet | undefined): number {
    if (!tallies) return -1;
    const known = this.#tallies.get(tallies);
    if (known !== undefined) return known;
    const place = this.#tallies.size;
    this.#tallies.set(tallies, place);
    this.#characters += tallies.reduce((sum, { group, name }) => sum + group.length + name.length, 0);
    return place;
  }

  #put(list: string[], thing: Interned<unknown>, text: string): number {
    this.#characters += text.length;
    thing.list = list;
    thing.index = list.push(text) - 1;
    return thing.index;
  }
}
