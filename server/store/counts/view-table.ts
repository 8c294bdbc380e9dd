import { combinedNames } from '../../../shared/reports/combined.ts';
import { dimensionNames } from '../../../shared/reports/dimensions.ts';
import { pairNames } from '../../../shared/reports/pairs.ts';
import type { Day } from '../../counting/calendar.ts';
import type { RowKind } from '../../counting/count-view.ts';
import { amountOf, type CounterEntry, type CounterSet } from '../../counting/counter.ts';
import { otherName } from '../../counting/names/name-cap.ts';
import { kindBits } from '../../counting/sum.ts';
import type { View } from '../../counting/view.ts';
import { joinClient, splitClient, what } from '../../counting/what.ts';

/** The texts of a view: each is sent once, as thousands of views have a few hundred of them. */
const viewColumns = ['path', 'client', 'hour', ...dimensionNames] as const;
export const textColumns = [...viewColumns, 'event', 'property'] as const;

/** Cells before those of the texts: the day, the kind as a bit, and the network. */
const textsAt = 3;
export const networkCell = 2;
/** After those of the texts: what the view adds to besides, how many bytes were sent, and when it was. */
export const counterCell = textsAt + textColumns.length;
export const bytesCell = counterCell + 1;
export const momentCell = bytesCell + 1;
export const cellsPerView = momentCell + 1;

/** A cell holds no more. */
const maxBytes = 2 ** 31 - 1;

/**
 * Views in few pieces, so that an engine looks up each name once, and cloning them into another thread costs a fraction of
 * what an array of objects does (see bench/README.md).
 */
export interface ViewTable {
  visitors: BigInt64Array;
  /** A row for each view: indexes into the batch's days and, after kind and network, into texts and counters; -1: none. */
  cells: Int32Array;
  /** By column. AI clients are joined with their proofs. */
  texts: string[][];
  counters: CounterSet[];
}

/** Where a view's row says which text it has of a thing, by the number of the thing; of a pair, its path. */
export const cellOf: readonly number[] = (() => {
  const cells: number[] = [];
  for (const [i, column] of textColumns.entries()) cells[what[column]] = textsAt + i;
  cells[what.clientProof] = cells[what.client] as number;
  for (const pair of pairNames) cells[what[pair]] = cells[what.path] as number;
  return cells;
})();

const eventCell = cellOf[what.event] as number;
const propertyCell = cellOf[what.property] as number;

export function rowKindOf({ cells }: ViewTable, view: number): RowKind {
  const at = view * cellsPerView;
  if ((cells[at + eventCell] as number) < 0) return 'view';
  return (cells[at + propertyCell] as number) < 0 ? 'event' : 'property';
}

export function textIn({ texts }: ViewTable, cell: number, index: number): string {
  return (texts[cell - textsAt] as string[])[index] as string;
}

/** A day that views of a batch are of. */
export interface BatchDay {
  projectId: string;
  day: Day;
  /** As the first of its views says; where they differ, others were counted before without it. */
  hasGoals: boolean;
}

/** Views of several projects. */
export interface LiveViews {
  /** What the views' first cells are indexes into. */
  days: BatchDay[];
  views: ViewTable;
  /** How many of the rows, the first, are views or events. Those after them are properties of the events among them. */
  count: number;
}

/** Items in the order in which they first came, and their places. */
class Places<T> {
  readonly list: T[] = [];
  readonly #places = new Map<unknown, number>();

  /** Two items with one key are the same. */
  of(item: T, key: unknown = item): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.list.push(item) - 1;
    this.#places.set(key, place);
    return place;
  }
}

export function toViewTable(batch: readonly View[]): LiveViews {
  const days = new Places<LiveViews['days'][number]>();
  const texts = textColumns.map(() => new Places<string>());
  const [events, properties] = texts.slice(viewColumns.length) as [Places<string>, Places<string>];
  const counters = new Places<CounterSet>();
  let rows = batch.length;
  for (const { event } of batch) if (event) rows += event.properties.length;
  const visitors = new BigInt64Array(rows);
  const cells = new Int32Array(rows * cellsPerView);
  let last: View | undefined;
  let at = 0;
  for (const [i, view] of batch.entries()) {
    const { projectId, day } = view;
    visitors[i] = view.visitor;
    cells[at] =
      last && last.projectId === projectId && last.day === day
        ? (cells[at - cellsPerView] as number)
        : days.of({ projectId, day, hasGoals: view.hasGoals === true }, `${projectId} ${day}`);
    cells[at + 1] = kindBits[view.kind];
    cells[at + networkCell] = view.network;
    for (let column = 0; column < viewColumns.length; column++) {
      const text = textOf(view, viewColumns[column] as (typeof viewColumns)[number]);
      cells[at + textsAt + column] = text === null ? -1 : (texts[column] as Places<string>).of(text);
    }
    cells[at + eventCell] = view.event ? events.of(view.event.name) : -1;
    cells[at + propertyCell] = -1;
    const isAsLast = last !== undefined && last.counters === view.counters;
    if (isAsLast) cells[at + counterCell] = cells[at - cellsPerView + counterCell] as number;
    else cells[at + counterCell] = view.counters ? counters.of(view.counters) : -1;
    cells[at + bytesCell] = view.bytes ? cellOfBytes(view.bytes) : 0;
    cells[at + momentCell] = view.moment;
    last = view;
    at += cellsPerView;
  }
  if (rows > batch.length) addProperties(batch, visitors, cells, properties);
  return {
    count: batch.length,
    days: days.list,
    views: { visitors, cells, texts: texts.map(({ list }) => list), counters: counters.list },
  };
}

/** Behind all views and events: for each property a row like that of its event. */
function addProperties(
  batch: readonly View[],
  visitors: BigInt64Array,
  cells: Int32Array,
  properties: Places<string>,
): void {
  let row = batch.length;
  for (const [i, { event, visitor }] of batch.entries()) {
    for (const property of event?.properties ?? []) {
      const at = row * cellsPerView;
      visitors[row++] = visitor;
      cells.copyWithin(at, i * cellsPerView, (i + 1) * cellsPerView);
      cells[at + propertyCell] = properties.of(property);
    }
  }
}

/** What a view's cell says of the bytes that were sent. */
export function cellOfBytes(bytes: number | undefined): number {
  return bytes === undefined ? 0 : Math.min(bytes, maxBytes);
}

function textOf(view: View, column: (typeof viewColumns)[number]): string | null {
  // A dimension may be declared that nothing reports yet.
  if (column !== 'client') return view[column] ?? null;
  return view.client && joinClient(view.client);
}

/** What is added to a counter of a day. */
export interface CounterSum extends CounterEntry {
  hits: number;
  amount: number;
}

/** Adds up what views of a day add to besides: a number each, and names only at the end. */
export class CounterSums {
  readonly #views: ViewTable;
  /** By the index of the set. */
  readonly #hits: number[] = [];
  readonly #bytes: number[] = [];

  constructor(views: ViewTable) {
    this.#views = views;
  }

  add(view: number): void {
    const { cells } = this.#views;
    const set = cells[view * cellsPerView + counterCell] as number;
    if (set < 0) return;
    this.#hits[set] = (this.#hits[set] ?? 0) + 1;
    this.#bytes[set] = (this.#bytes[set] ?? 0) + (cells[view * cellsPerView + bytesCell] as number);
  }

  /** Each once. */
  sums(): CounterSum[] {
    const sums = new Map<string, CounterSum>();
    // Sets without a view are holes, which this passes over.
    this.#hits.forEach((hits, set) => {
      for (const entry of this.#views.counters[set] ?? []) {
        addTo(sums, entry, hits, amountOf(entry, this.#bytes[set] ?? 0));
      }
    });
    return [...sums.values()];
  }
}

function addTo(sums: Map<string, CounterSum>, entry: CounterEntry, hits: number, amount: number): void {
  const key = `${entry.counter}\n${entry.group}\n${entry.name}`;
  const known = sums.get(key);
  if (known) {
    known.hits += hits;
    known.amount += amount;
  } else sums.set(key, { counter: entry.counter, group: entry.group, name: entry.name, hits, amount });
}

/** What views are combined by: the number of each. */
const combinedThings = combinedNames.map((name) => what[name]);

/**
 * Values of views as bytes: for each view the place of each of its values, from 1, among the texts, which come last, as JSON.
 * 0: it has none.
 */
export class ViewValues {
  readonly #views: ViewTable;
  readonly #codes: number[] = [];
  readonly #texts = new Map<string, number>();

  constructor(views: ViewTable) {
    this.#views = views;
  }

  /** @param isOther of a thing: whether its text counts as `otherName`; undefined: an event, which has no values */
  add(view: number, isOther?: (thing: number, index: number) => boolean): void {
    for (const thing of combinedThings) {
      const cell = cellOf[thing] as number;
      const index = this.#views.cells[view * cellsPerView + cell] as number;
      let code = 0;
      if (isOther && index >= 0) {
        const given = isOther(thing, index)
          ? otherName
          : (this.#views.texts[cell - textsAt] as string[])[index];
        const text = thing === what.client ? splitClient(given as string).name : (given as string);
        code = this.#texts.get(text) ?? this.#texts.size + 1;
        this.#texts.set(text, code);
      }
      this.#codes.push(code);
    }
  }

  bytes(): Uint8Array {
    const codes = Uint16Array.from(this.#codes);
    return Buffer.concat([
      new Uint8Array(codes.buffer),
      Buffer.from(JSON.stringify([...this.#texts.keys()])),
    ]);
  }
}
