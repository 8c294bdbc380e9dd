import { Numbers, Visitors, wordsOf } from '../numbers.ts';
import { kindBits } from '../sum.ts';
import {
  addCounts,
  bits,
  type Counts,
  type Found,
  matchTuples,
  nothing,
  nothingFound,
  type PageCondition,
  placeOf,
  type Question,
  rowOf,
  withChannels,
} from './question.ts';
import { none, unpackValues, ValueTable } from './values.ts';

/** Views that came with one batch, with their values (values.ts). */
export interface ValuedViews {
  visitors: ArrayLike<bigint>;
  /** As bits; 0 for an event. */
  kinds: ArrayLike<number>;
  /** By `momentOf`. */
  moments: ArrayLike<number>;
  paths: ArrayLike<number>;
  values: Uint8Array;
}

/** Names of paths by their numbers; undefined: it was forgotten. */
export type PathName = (path: number) => string | undefined;

/** The views of a day with their visitors and values, as long as these are known. */
export class DayViews {
  readonly values: ValueTable;
  readonly visitors: Visitors;
  /** Of each view. */
  visitor = new Numbers();
  /** Of each view, its tuple and its kind: `tuple * 4 + kind`. */
  part = new Numbers();
  path = new Numbers();
  /** Of each view, when it was. */
  moment = new Numbers();
  /** Visitors of each event by its name; some come twice. */
  readonly events = new Map<number, Numbers>();

  constructor(values = new ValueTable(), visitors = new Visitors()) {
    this.values = values;
    this.visitors = visitors;
  }

  get size(): number {
    return this.part.length;
  }

  add({ visitors, kinds, moments, paths, values }: ValuedViews): void {
    const tuples = unpackValues(values, visitors.length, this.values);
    const words = wordsOf(visitors);
    for (let i = 0; i < visitors.length; i++) {
      const kind = kinds[i] as number;
      const visitor = this.visitors.numberOf(words[i * 2] as number, words[i * 2 + 1] as number);
      if (kind === 0) {
        this.#addEvent(paths[i] as number, visitor);
        continue;
      }
      this.visitor.push(visitor);
      this.part.push((tuples[i] as number) * 4 + kind);
      this.path.push(paths[i] as number);
      this.moment.push(moments[i] as number);
    }
  }

  /** Those at this moment and later. */
  since(moment: number): DayViews {
    const later = new DayViews(this.values, this.visitors);
    for (let view = 0; view < this.size; view++) {
      if (this.moment.at(view) < moment) continue;
      later.visitor.push(this.visitor.at(view));
      later.part.push(this.part.at(view));
      later.path.push(this.path.at(view));
      later.moment.push(this.moment.at(view));
    }
    return later;
  }

  /** The moments of views of a kind, as bits. */
  *momentsOf(kind: number): Generator<number> {
    for (let view = 0; view < this.size; view++) {
      if ((this.part.at(view) & 3) === kind) yield this.moment.at(view);
    }
  }

  /** Each once. */
  paths(): number[] {
    const paths = new Set<number>();
    for (let view = 0; view < this.size; view++) paths.add(this.path.at(view));
    return [...paths];
  }

  answer({ conditions, pages, by, channels, renamed }: Question, nameOf: PathName): Found {
    const values = withChannels(this.values, channels);
    const found = nothingFound();
    const { from, to } = found.totals;
    const matches = matchTuples(values, conditions);
    const ofPage = pageMatches(pages, nameOf);
    const matchOf = (view: number) => {
      const page = ofPage(this.path.at(view));
      return page === undefined ? 0 : (matches[this.part.at(view) >>> 2] as number) | page;
    };
    const visitors = new VisitorCount(this.visitors.size);
    const groups = new Map<number, number[]>();
    const codes = by === null || by === 'path' ? undefined : values.column(placeOf(by));
    const joined = by === 'path' && renamed ? joinPaths(this.paths(), nameOf, renamed) : undefined;
    for (let view = 0; view < this.size; view++) {
      const match = matchOf(view);
      if ((match & bits.is) === 0) continue;
      this.#count(visitors, from, view, match);
      const own = codes
        ? (codes[this.part.at(view) >>> 2] as number)
        : by === null
          ? none
          : this.path.at(view) + firstPath;
      const group = joined?.get(own) ?? own;
      if (group === none) continue;
      const views = groups.get(group);
      if (views) views.push(view);
      else groups.set(group, [view]);
    }
    visitors.addTo(from);
    addCounts(to, from);
    for (const [group, views] of groups) {
      const named = by === 'path' ? nameOf(group - firstPath) : values.textOf(group);
      if (named === undefined) continue;
      const name = joined && renamed ? renamed(named) : named;
      const row = nothing();
      for (const view of views) this.#count(visitors, row, view, matchOf(view));
      visitors.addTo(row);
      const bounds = rowOf(found, name);
      addCounts(bounds.from, row);
      addCounts(bounds.to, row);
    }
    return found;
  }

  /** What each of the groups has that a path is in. */
  countBy(groupsOf: (path: number) => readonly string[]): Map<string, Counts> {
    const groups = new Map<string, number[]>();
    for (let view = 0; view < this.size; view++) {
      for (const group of groupsOf(this.path.at(view))) {
        const views = groups.get(group);
        if (views) views.push(view);
        else groups.set(group, [view]);
      }
    }
    const visitors = new VisitorCount(this.visitors.size);
    const counted = new Map<string, Counts>();
    for (const [group, views] of groups) {
      const counts = nothing();
      for (const view of views) this.#count(visitors, counts, view, bits.is);
      visitors.addTo(counts);
      counted.set(group, counts);
    }
    return counted;
  }

  #count(visitors: VisitorCount, counts: Counts, view: number, match: number): void {
    const kind = this.part.at(view) & 3;
    const isExcluded = (match & bits.isExcluded) !== 0;
    visitors.see(this.visitor.at(view), kind, isExcluded);
    if (!isExcluded) counts[kind === kindBits.human ? 3 : 4]++;
  }

  #addEvent(event: number, visitor: number): void {
    const visitors = this.events.get(event) ?? new Numbers();
    visitors.push(visitor);
    this.events.set(event, visitors);
  }
}

/** What a path is grouped by is no `none`. */
const firstPath = none + 1;

/** One group for all paths that are one page now. */
function joinPaths(
  paths: readonly number[],
  nameOf: PathName,
  renamed: (path: string) => string,
): Map<number, number> {
  const first = new Map<string, number>();
  return new Map(
    paths.flatMap((path): [number, number][] => {
      const name = nameOf(path);
      if (name === undefined) return [];
      const group = first.get(renamed(name)) ?? path + firstPath;
      first.set(renamed(name), group);
      return [[path + firstPath, group]];
    }),
  );
}

/** What a page adds to the match of a view; undefined: it is not asked for. */
function pageMatches(
  pages: readonly PageCondition[],
  nameOf: PathName,
): (path: number) => number | undefined {
  if (pages.length === 0) return () => 0;
  const known = new Map<number, number | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    const name = nameOf(path) ?? '';
    const isAsked = pages.every(({ is, isNot }) => isNot || is(name));
    const isExcluded = pages.some(({ is, isNot }) => isNot && is(name));
    const match = isAsked ? (isExcluded ? bits.isExcluded : 0) : undefined;
    known.set(path, match);
    return match;
  };
}

/** Visitors of views, each once. */
class VisitorCount {
  /** The kinds of a visitor's views, and four times those of the excluded ones. */
  readonly #kinds: Uint8Array;
  readonly #seen: number[] = [];

  constructor(visitors: number) {
    this.#kinds = new Uint8Array(visitors);
  }

  see(visitor: number, kind: number, isExcluded: boolean): void {
    const before = this.#kinds[visitor] as number;
    if (before === 0) this.#seen.push(visitor);
    this.#kinds[visitor] = before | kind | (isExcluded ? kind * 4 : 0);
  }

  /** Begins anew. */
  addTo(counts: Counts): void {
    for (const visitor of this.#seen) {
      const kinds = this.#kinds[visitor] as number;
      this.#kinds[visitor] = 0;
      const excluded = kinds >>> 2;
      const left = kinds & 3 & ~excluded;
      if ((left & kindBits.human) !== 0) counts[0]++;
      if ((left & kindBits.ai) !== 0) counts[1]++;
      if (excluded === 0) counts[2]++;
    }
    this.#seen.length = 0;
  }
}
