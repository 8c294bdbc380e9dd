import { type KindBit, kindBits } from '../../../../counting/sum.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import type { ViewTable } from '../../../counts/view-table.ts';
import { Visitor, VisitorKeys, VisitorTable, visitorBytes } from '../../../counts/visitors/visitor-keys.ts';
import { bigintArray, intArray } from '../arrays.ts';
import { shardOfVisitor } from '../counted-project.ts';
import type { OpenDayRow } from '../day-rows.ts';

/** A bit after the kinds of a visitor: the database has a row of it. */
const hasRow = 4;

/** Room for a number of a name and one of four kinds. */
const perVisitor = 2 ** 31;

/** Who was counted under what in a batch, but for what the database is known to have. */
export class VisitorColumns {
  readonly #places: VisitorPlaces;
  readonly #days: readonly OpenDayRow[];
  readonly #known: KnownVisitorKeys | undefined;
  /** By place: what is known of the visitor. */
  readonly #knownVisitors: (Visitor | undefined)[] = [];
  /** By place of the visitor: the set of names that are new with it as a person, and as an AI client; 0: none. */
  readonly #humanSets: number[] = [];
  readonly #aiSets: number[] = [];
  readonly #seen = new Set<number>();
  /** Of each visitor key the place of its visitor. */
  readonly #visitors: number[] = [];
  readonly #visitorKeys: number[] = [];
  readonly #setPlaces = new Map<string, number>();
  /** By set: how many names it and those before it have. */
  readonly #lastNames: number[] = [];
  readonly #setNames: number[] = [];

  /** @param known what is left out */
  constructor({ visitors }: ViewTable, days: readonly OpenDayRow[], known: KnownVisitorKeys | undefined) {
    this.#places = new VisitorPlaces(visitors);
    this.#days = days;
    this.#known = known;
  }

  /** Of the visitor of a view, on the day with this place. */
  placeOf(view: number, day: number): number {
    const place = this.#places.of(view, day);
    if (place === this.#knownVisitors.length) this.#knownVisitors.push(this.#findKnown(place));
    return place;
  }

  /** @param following what a visitor is new on that is new on the site; below 0: nothing */
  seeSite(visitor: number, kind: KindBit, following: () => readonly number[]): void {
    // What is new with it is what its first view of a kind has.
    if (!this.see(visitor, 0, kind)) return;
    const sets = kind === kindBits.human ? this.#humanSets : this.#aiSets;
    sets[visitor] = this.#setOf(following());
  }

  /** Whether there was nothing of it yet. */
  see(visitor: number, name: number, kind: KindBit): boolean {
    const known = this.#knownVisitors[visitor];
    if (known && this.#known?.has(known, name, kind)) return false;
    const key = visitor * perVisitor + name * 4 + kind;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    this.#visitors.push(visitor);
    this.#visitorKeys.push(name * 4 + kind);
    return true;
  }

  /** After the database has all of it, for good. */
  remember(): void {
    const known = this.#known;
    if (!known) return;
    const visitors: Visitor[] = [];
    this.#visitorKeys.forEach((visitorKey, i) => {
      const place = this.#visitors[i] as number;
      visitors[place] ??= known.visitor(this.#dayOf(place).id, this.#places.ids[place] as bigint);
      known.add(visitors[place], visitorKey >> 2, (visitorKey & 3) as KindBit);
    });
    known.keepInBounds();
  }

  /** As `count_traced_batch` takes them: visitors, visitor keys with the place of the visitor, sets. */
  values(): SqlValue[] {
    const visitors = this.#newVisitors();
    const placeOf = new Map(visitors.map((place, i) => [place, i + 1]));
    return [
      ...this.#columns(visitors),
      intArray(this.#visitors.map((place) => placeOf.get(place) as number)),
      intArray(this.#visitorKeys),
      ...this.#sets(),
    ];
  }

  /** As `count_grouped_batch` takes them: visitors, with kinds and their last visitor key; visitor keys; sets. */
  grouped(): SqlValue[] {
    const visitors = this.#newVisitors();
    const counts = new Int32Array(this.#places.days.length);
    const kinds = new Int32Array(this.#places.days.length);
    this.#visitors.forEach((place, i) => {
      counts[place] = (counts[place] as number) + 1;
      kinds[place] = (kinds[place] as number) | ((this.#visitorKeys[i] as number) & 3);
    });
    let last = 0;
    const ends = visitors.map((place) => (last += counts[place] as number));
    const next = new Int32Array(this.#places.days.length);
    visitors.forEach((place, i) => {
      next[place] = (ends[i] as number) - (counts[place] as number);
    });
    const visitorKeys = new Int32Array(last);
    this.#visitors.forEach((place, i) => {
      const at = next[place] as number;
      visitorKeys[at] = this.#visitorKeys[i] as number;
      next[place] = at + 1;
    });
    return [
      ...this.#columns(visitors),
      intArray(visitors.map((place) => (kinds[place] as number) | (this.#knownVisitors[place] ? hasRow : 0))),
      intArray(ends),
      intArray(visitorKeys),
      ...this.#sets(),
    ];
  }

  #findKnown(place: number): Visitor | undefined {
    return this.#known?.find(this.#dayOf(place).id, this.#places.ids[place] as bigint);
  }

  #dayOf(place: number): OpenDayRow {
    return this.#days[this.#places.days[place] as number] as OpenDayRow;
  }

  /** Places of the visitors with something to send. */
  #newVisitors(): number[] {
    return [...new Set(this.#visitors)];
  }

  #columns(visitors: readonly number[]): SqlValue[] {
    const { days, ids } = this.#places;
    return [
      intArray(visitors.map((place) => (days[place] as number) + 1)),
      intArray(visitors.map((place) => shardOfVisitor(this.#dayOf(place), ids[place] as bigint))),
      bigintArray(visitors.map((place) => ids[place] as bigint)),
      intArray(visitors.map((place) => this.#humanSets[place] ?? 0)),
      intArray(visitors.map((place) => this.#aiSets[place] ?? 0)),
    ];
  }

  #sets(): SqlValue[] {
    return [intArray(this.#lastNames), intArray(this.#setNames)];
  }

  #setOf(names: readonly number[]): number {
    const key = names.join();
    const known = this.#setPlaces.get(key);
    if (known !== undefined) return known;
    this.#setNames.push(...names.filter((name) => name >= 0));
    const set = this.#lastNames.push(this.#setNames.length);
    this.#setPlaces.set(key, set);
    return set;
  }
}

/** Visitors of a batch by day and id, each with a place: a hash table, as a Map of BigInts takes three times as long. */
class VisitorPlaces {
  readonly days: number[] = [];
  readonly ids: bigint[] = [];
  readonly #visitors: BigInt64Array;
  readonly #words: Int32Array;
  /** The place plus one; 0: the slot is free. */
  readonly #slots: Int32Array;
  /** By place: the first view of the visitor. */
  readonly #views: number[] = [];

  /** @param visitors of all views */
  constructor(visitors: BigInt64Array) {
    this.#visitors = visitors;
    this.#words = new Int32Array(visitors.buffer, visitors.byteOffset, visitors.length * 2);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(visitors.length * 2 + 2)));
  }

  /** Of the visitor of a view on a day. */
  of(view: number, day: number): number {
    const low = this.#words[view * 2] as number;
    const high = this.#words[view * 2 + 1] as number;
    const mask = this.#slots.length - 1;
    // The id is a hash already.
    for (let slot = (low ^ Math.imul(day, 0x9e3779b1)) & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place === -1) return this.#add(view, day, slot);
      const first = this.#views[place] as number;
      if (this.#words[first * 2] !== low || this.#words[first * 2 + 1] !== high) continue;
      if (this.days[place] === day) return place;
    }
  }

  #add(view: number, day: number, slot: number): number {
    const place = this.#views.push(view) - 1;
    this.#slots[slot] = place + 1;
    this.days.push(day);
    this.ids.push(this.#visitors[view] as bigint);
    return place;
  }
}

/** About, as is how much they take. */
const maxBytes = 16 * 2 ** 20;

/**
 * The visitor keys that the database has on disk, so that no batch sends them again, which saves half of a batch. They
 * stay true: a visitor key ends with its name or its day, and no number of either is used again.
 */
export class KnownVisitorKeys {
  #visitors = new VisitorTable();
  #visitorKeys = new VisitorKeys();
  #server: string | undefined;

  /** Which start of a server has all of it. */
  get server(): string | undefined {
    return this.#server;
  }

  /** Nothing is known of another one, which may not have all that one before it acknowledged. */
  moveTo(server: string): void {
    if (server === this.#server) return;
    this.#forget();
    this.#server = server;
  }

  /** Undefined: nothing is known of it. @param day the number of its row */
  find(day: number, visitor: bigint): Visitor | undefined {
    return this.#visitors.find(day, visitor);
  }

  has(visitor: Visitor, name: number, kind: KindBit): boolean {
    return (this.#visitorKeys.kindsOf(visitor, name) & kind) !== 0;
  }

  /** For `add`. */
  visitor(day: number, id: bigint): Visitor {
    const known = this.find(day, id);
    if (known) return known;
    const visitor = new Visitor(day, id);
    this.#visitors.add(visitor);
    return visitor;
  }

  add(visitor: Visitor, name: number, kind: KindBit): void {
    this.#visitorKeys.add(visitor, name, kind);
  }

  /** Those of late are soon there again. */
  keepInBounds(): void {
    if (this.#visitors.size * visitorBytes + this.#visitorKeys.bytes > maxBytes) this.#forget();
  }

  #forget(): void {
    this.#visitors = new VisitorTable();
    this.#visitorKeys = new VisitorKeys();
  }
}
