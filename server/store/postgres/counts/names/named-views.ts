import { namedThings, type RowKind, things } from '../../../../counting/count-view.ts';
import type { Contributor, NameCap } from '../../../../counting/names/name-cap.ts';
import { parentOf, splitClient, what } from '../../../../counting/what.ts';
import {
  cellOf,
  cellsPerView,
  networkCell,
  rowKindOf,
  textIn,
  type ViewTable,
} from '../../../counts/view-table.ts';
import type { OpenDayRow } from '../day-rows.ts';

/** A cell for each thing, by its number. */
export const namesPerView = Math.max(...things.map((thing) => thing.what)) + 1;

/** More than a batch has of one thing; a number of a name has 29 bits, and both together are exact. */
const mostTexts = 2 ** 24;

/** The number of a name, or a name whose number was not remembered. */
type Known = Name | number;

/** Names of a thing on a day. */
interface Places {
  /** By the index of the text. */
  own: Known[];
  /** By the number of what it is under, and the index of the text: a list for each would have more holes than names. */
  pairs: Map<number, Known>;
}

/** A text that counts are kept of, and where a batch has it. */
export interface Name {
  readonly project: number;
  readonly what: number;
  /** Of a pair the name that it is under; else 0. */
  readonly parent: number;
  readonly text: string;
  readonly key: string;
  /** Undefined: it was not asked for yet, or not found. */
  id: number | undefined;
  /** Cells that wait for the number. */
  readonly cells: number[];
}

/** Views of which every text is to become a number. */
export class NamedViews {
  /** By view and thing; -1: it has none. */
  readonly ids: Int32Array;
  /** Why a cell has `otherName`. */
  readonly caps = new Map<number, NameCap>();
  readonly #views: ViewTable;
  /** By the first cell of a view: its day. */
  readonly #rows: readonly (OpenDayRow | undefined)[];
  readonly #cache: NameCache;
  readonly #names = new Map<string, Name>();
  /** By day and number of the thing. */
  readonly #places: Places[] = [];
  #unknown = new Set<Name>();

  constructor(views: ViewTable, rows: readonly (OpenDayRow | undefined)[], cache: NameCache) {
    this.ids = new Int32Array(views.visitors.length * namesPerView).fill(-1);
    this.#views = views;
    this.#rows = rows;
    this.#cache = cache;
  }

  /** Fills the cells of these views as far as the numbers are known, and answers the names whose numbers are not. */
  fill(views: readonly number[], isOf: (thing: number) => boolean): Name[] {
    const those = (kind: RowKind) => namedThings[kind].filter((thing) => isOf(thing.what));
    const byKind = { view: those('view'), event: those('event'), property: those('property') };
    this.#unknown = new Set();
    for (const view of views) {
      const row = this.rowOf(view);
      if (!row) continue;
      for (const thing of byKind[rowKindOf(this.#views, view)]) this.#fillCell(view, thing.what, row);
    }
    return [...this.#unknown];
  }

  /** The number was found. */
  found(name: Name, id: number): void {
    name.id = id;
    this.#cache.set(name.key, id);
    for (const cell of name.cells) this.ids[cell] = id;
  }

  rowOf(view: number): OpenDayRow | undefined {
    return this.#rows[this.#cellIn(view, 0)];
  }

  senderOf(view: number): Contributor {
    const client = this.#cellIn(view, clientCell);
    return {
      visitor: this.#views.visitors[view] as bigint,
      network: this.#cellIn(view, networkCell),
      client: client < 0 ? null : splitClient(textIn(this.#views, clientCell, client)),
    };
  }

  #fillCell(view: number, thing: number, row: OpenDayRow): void {
    const cell = cellOf[thing] as number;
    const index = this.#cellIn(view, cell);
    const above = parentOf[thing];
    const parent = above === undefined ? 0 : (this.ids[view * namesPerView + above] as number);
    if (index < 0 || parent < 0) return;
    const known = this.#nameAt(view, thing, row, cell, index, parent);
    const at = view * namesPerView + thing;
    if (typeof known === 'number') this.ids[at] = known;
    else if (known.id !== undefined) this.ids[at] = known.id;
    else {
      known.cells.push(at);
      this.#unknown.add(known);
    }
  }

  #nameAt(view: number, thing: number, row: OpenDayRow, cell: number, index: number, parent: number): Known {
    const places = this.#placesOf(this.#cellIn(view, 0), thing);
    const known = parent === 0 ? places.own[index] : places.pairs.get(parent * mostTexts + index);
    if (known !== undefined) return known;
    const text = textIn(this.#views, cell, index);
    const name = this.#nameOf(row, thing, parent, thing === what.client ? splitClient(text).name : text);
    if (parent === 0) places.own[index] = name;
    else places.pairs.set(parent * mostTexts + index, name);
    return name;
  }

  #placesOf(day: number, thing: number): Places {
    const at = day * namesPerView + thing;
    this.#places[at] ??= { own: [], pairs: new Map() };
    return this.#places[at];
  }

  #nameOf({ project, nameChanges }: OpenDayRow, thing: number, parent: number, given: string): Known {
    const text = storable(given);
    // What was remembered before names were moved is of no use to a day that was read after it.
    const key = `${project} ${nameChanges} ${thing} ${parent} ${text}`;
    const known = this.#cache.get(key) ?? this.#names.get(key);
    if (known !== undefined) return known;
    const name = { project, what: thing, parent, text, key, id: undefined, cells: [] };
    this.#names.set(key, name);
    return name;
  }

  #cellIn(view: number, cell: number): number {
    return this.#views.cells[view * cellsPerView + cell] as number;
  }
}

const clientCell = cellOf[what.client] as number;

/** PostgreSQL has no text with a character 0, and none that is not Unicode. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** The key of a text, by its kind: numbers of a project's names are never used again. */
const maxNames = 200_000;
const maxCharacters = 16_000_000;

/** Numbers of names, remembered as far as there is room: what was not asked for in a long time is forgotten. */
export class NameCache {
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #characters = 0;

  get(key: string): number | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, id: number): void {
    this.#characters += key.length;
    if (this.#young.size >= maxNames || this.#characters >= maxCharacters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = key.length;
    }
    this.#young.set(key, id);
  }

  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#characters = 0;
  }
}
