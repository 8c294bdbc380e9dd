import { countEvent, countView, type DaySums } from '../../../counting/count-view.ts';
import {
  type CappedViews,
  type Contributor,
  type NameCap,
  otherName,
} from '../../../counting/names/name-cap.ts';
import { emptySum, type KindBit, kindBits } from '../../../counting/sum.ts';
import { parentOf, splitClient, what } from '../../../counting/what.ts';
import {
  type CounterSum,
  CounterSums,
  cellOf,
  cellsPerView,
  momentCell,
  networkCell,
  rowKindOf,
  textIn,
  type ViewTable,
  ViewValues,
} from '../../counts/view-table.ts';
import { Visitor } from '../../counts/visitors/visitor-keys.ts';
import type { Delta } from './counts.ts';
import type { Dictionary, Name } from './dictionary.ts';
import type { NameCaps } from './name-caps.ts';
import type { Seen } from './visitors/seen.ts';
import { makeOrigins, makeViews, type PackedOrigins, type PackedViews } from './visits/packed-views.ts';

/** An open day, by its row. */
export interface OpenDayRow {
  id: number;
  project: number;
  day: number;
}

/** By the indexes of the batch's texts, so that a view costs no look-up by name. */
type Deltas = (DayDelta | undefined)[];

interface DayDelta extends Delta {
  /** Those of the pair that is under this name: there is one at most. */
  pairs: Deltas | undefined;
}

/** The source and the country that a view has. */
type Origin = readonly [DayDelta | undefined, DayDelta | undefined];

const nowhere: Origin = [undefined, undefined];

/** What days are counted with. */
export interface DayParts {
  dictionary: Dictionary;
  caps: NameCaps;
  seen: Seen;
}

const nobody = new Visitor(0, 0n);

/** What a batch adds to a day. */
export class DayTable<Row extends OpenDayRow = OpenDayRow> implements DaySums<DayDelta> {
  readonly row: Row;
  readonly site = emptyDelta({ id: 0, what: what.site, parent: 0 });
  readonly #views: ViewTable;
  readonly #parts: DayParts;
  readonly #capped = new Map<string, CappedViews>();
  readonly #counters: CounterSums;
  readonly #deltas = new Map<number, DayDelta>([[this.site.name.id, this.site]]);
  /** By the number of what they are of. */
  readonly #sums: readonly Deltas[] = cellOf.map(() => []);
  /** Of the view that is being counted, by the number of what they are of. */
  readonly #found: (DayDelta | undefined)[] = [];
  /** The views that were counted, and of which path each is. Where there are goals: events, too, and where views came from. */
  readonly #counted: number[] = [];
  readonly #paths: number[] = [];
  readonly #origins: Origin[] | null;
  readonly #values: ViewValues;
  /** The view that is being counted: where its row begins, and whose it is. */
  #at = 0;
  #visitor = nobody;

  constructor(row: Row, views: ViewTable, parts: DayParts, hasGoals = false) {
    this.row = row;
    this.#origins = hasGoals ? [] : null;
    this.#views = views;
    this.#parts = parts;
    this.#counters = new CounterSums(views);
    this.#values = new ViewValues(views);
  }

  deltas(): Iterable<Delta> {
    return this.#deltas.values();
  }

  /** Views that counted under `otherName`. */
  capped(): Iterable<CappedViews> {
    return this.#capped.values();
  }

  /** What the views add to besides. */
  counters(): CounterSum[] {
    return this.#counters.sums();
  }

  /** The views themselves, of which visits are made. */
  views(): PackedViews {
    const { cells, visitors } = this.#views;
    const count = this.#counted.length;
    const views = makeViews(count);
    views.paths.set(this.#paths);
    for (let place = 0; place < count; place++) {
      const i = this.#counted[place] as number;
      views.visitors[place] = visitors[i] as bigint;
      const at = i * cellsPerView;
      const isEvent = this.#origins !== null && rowKindOf(this.#views, i) === 'event';
      const kind = isEvent ? 0 : (cells[at + 1] as number);
      views.moments[place] = (cells[at + momentCell] as number) * 4 + kind;
    }
    return views;
  }

  /** Where they came from; null: there are no goals. */
  origins(): PackedOrigins | null {
    if (!this.#origins) return null;
    const origins = makeOrigins(this.#origins.length);
    for (const [place, [source, country]] of this.#origins.entries()) {
      origins.sources[place] = source?.name.id ?? 0;
      origins.countries[place] = country?.name.id ?? 0;
    }
    return origins;
  }

  /** What they are combined by. */
  values(): Uint8Array {
    return this.#values.bytes();
  }

  /** Counts a view of the batch on this day. */
  count(i: number): void {
    const { cells, visitors } = this.#views;
    this.#at = i * cellsPerView;
    this.#visitor = this.#parts.seen.visitor(this.row.id, visitors[i] as bigint);
    const kind = cells[this.#at + 1] as KindBit;
    const row = rowKindOf(this.#views, i);
    if (row === 'view') this.#countView(i, kind);
    else countEvent(this, kind, row);
    if (row === 'event' && kind === kindBits.human && this.#origins) {
      this.#keep(i, what.event, nowhere);
      this.#values.add(i);
    }
    this.#counters.add(i);
  }

  #countView(i: number, kind: KindBit): void {
    countView(this, kind);
    this.#keep(i, what.path, this.#origins ? [this.#found[what.source], this.#found[what.country]] : nowhere);
    // What is over a limit is not remembered.
    this.#values.add(i, (thing, index) => this.#sums[thing]?.[index] === undefined);
  }

  #keep(i: number, thing: number, origin: Origin): void {
    this.#counted.push(i);
    this.#paths.push((this.#found[thing] as DayDelta).name.id);
    this.#origins?.push(origin);
  }

  see(delta: DayDelta, kind: KindBit): number {
    return this.#parts.seen.add(this.#visitor, delta.name.id, kind);
  }

  sumOf(thing: number): DayDelta | undefined {
    const delta = this.#lookUp(thing);
    this.#found[thing] = delta;
    return delta;
  }

  #lookUp(thing: number): DayDelta | undefined {
    const cell = cellOf[thing] as number;
    const index = this.#views.cells[this.#at + cell] as number;
    if (index < 0) return undefined;
    const above = parentOf[thing];
    if (above === undefined) {
      const sums = this.#sums[thing] as Deltas;
      return sums[index] ?? this.#find(sums, index, thing, this.#textOf(thing, cell, index));
    }
    // Found a moment ago, as pairs come after what they are under.
    const parent = this.#found[above];
    if (!parent) return undefined;
    parent.pairs ??= [];
    const sums = parent.pairs;
    return sums[index] ?? this.#find(sums, index, thing, textIn(this.#views, cell, index), parent.name.id);
  }

  #textOf(thing: number, cell: number, index: number): string {
    const text = textIn(this.#views, cell, index);
    return thing === what.client ? splitClient(text).name : text;
  }

  #find(sums: Deltas, index: number, thing: number, text: string, parent = 0): DayDelta {
    const { dictionary, caps } = this.#parts;
    const { project, id } = this.row;
    const known = dictionary.find(project, thing, text, parent);
    if (!known && text !== otherName) {
      const sender = this.#sender();
      const cap = caps.take(id, thing, sender);
      if (cap !== undefined) return this.#countCapped(thing, cap, sender, parent);
    }
    const delta = this.#deltaOf(known ?? dictionary.add(project, thing, text, parent));
    sums[index] = delta;
    return delta;
  }

  /** Not remembered for the text, which the next visitor may have a name for. */
  #countCapped(thing: number, cap: NameCap, { client }: Contributor, parent: number): DayDelta {
    const kind = this.#views.cells[this.#at + 1] === kindBits.human ? 'human' : 'ai';
    const key = `${thing} ${cap} ${kind} ${client?.name}`;
    const known = this.#capped.get(key);
    if (known) known.views++;
    else this.#capped.set(key, { what: thing, cap, kind, client: client?.name ?? '', views: 1 });
    const { dictionary } = this.#parts;
    const { project } = this.row;
    return this.#deltaOf(
      dictionary.find(project, thing, otherName, parent) ?? dictionary.add(project, thing, otherName, parent),
    );
  }

  #sender(): Contributor {
    const { cells } = this.#views;
    const cell = cellOf[what.client] as number;
    const place = cells[this.#at + cell] as number;
    return {
      visitor: this.#visitor.id,
      network: cells[this.#at + networkCell] as number,
      client: place < 0 ? null : splitClient(textIn(this.#views, cell, place)),
    };
  }

  /** Two texts can be one name: those beyond a limit. */
  #deltaOf(name: Name): DayDelta {
    const delta = this.#deltas.get(name.id) ?? emptyDelta(name);
    this.#deltas.set(name.id, delta);
    return delta;
  }
}

function emptyDelta(name: Name): DayDelta {
  // V8 copies the fields at once where they come first.
  return { ...emptySum(), name, pairs: undefined };
}
