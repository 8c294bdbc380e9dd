import { type CombinedName, combinedNames } from '../../../shared/reports/combined.ts';
import type { Channels } from '../page/channel.ts';
import { leftOut, none, type Table } from './values.ts';

/** That a value is one of these, or none of them. */
export interface Condition {
  name: CombinedName;
  isNot: boolean;
  is: (value: string) => boolean;
}

/** The same of the page. */
export interface PageCondition {
  isNot: boolean;
  /** It is this one; undefined: it may be several. */
  only?: string | undefined;
  /** It is of this section, where that was declared (cells.ts). */
  section?: string | undefined;
  is: (path: string) => boolean;
}

/**
 * What views are asked for: those that meet all conditions. A visitor counts with a view that meets those without `isNot`, and
 * without any view that meets these and whose value is excluded.
 */
export interface Question {
  conditions: readonly Condition[];
  pages: readonly PageCondition[];
  /** What rows are of; null: only the totals are asked for. */
  by: CombinedName | 'path' | null;
  /** Undefined: nothing of this is about channels. */
  channels?: Channels | undefined;
  /** The path under which rows are shown; null: its own. */
  renamed?: ((path: string) => string) | null;
}

/** Of a value in a tuple; that of a channel is behind those that are stored. */
export const placeOf = (name: CombinedName): number =>
  name === 'channel' ? combinedNames.length : combinedNames.indexOf(name);

/** With the channel of each tuple. A medium that was left out is as none: `answerDay` knows how much that may change. */
export function withChannels(table: Table, channels: Channels | undefined): Table {
  if (!channels) return table;
  const texts: string[] = [];
  const codes = new Map<string | undefined, number>([[undefined, none]]);
  const known = new Map<string, number>();
  const [source, medium] = [placeOf('source'), placeOf('utmMedium')];
  const find = (from: number, tag: number) => {
    const text =
      channels.ofMedium(table.textOf(tag) ?? '') ??
      (from === none ? undefined : channels.ofSource(table.textOf(from) ?? ''));
    codes.set(text, codes.get(text) ?? texts.push(text ?? '') - 1 + table.codes);
    return codes.get(text) as number;
  };
  const [sources, mediums] = [table.column(source), table.column(medium)];
  const codeOf = (tuple: number) => {
    const [from, tag] = [sources[tuple] as number, mediums[tuple] as number];
    if (from === leftOut) return leftOut;
    const key = `${from} ${tag}`;
    const code = known.get(key) ?? find(from, tag);
    known.set(key, code);
    return code;
  };
  const found = Array.from({ length: table.size }, (_, tuple) => codeOf(tuple));
  return {
    codes: table.codes + texts.length,
    size: table.size,
    column: (place) => (place === combinedNames.length ? found : table.column(place)),
    textOf: (code) => texts[code - table.codes] ?? table.textOf(code),
  };
}

/**
 * Bits of what views with a tuple are: they meet the conditions without `isNot`, or have an excluded value; surely or maybe, as
 * values were left out.
 */
export const bits = { is: 1, mayBe: 2, isExcluded: 4, mayBeExcluded: 8 } as const;

/** By tuple. */
export function matchTuples(table: Table, conditions: readonly Condition[]): Uint8Array {
  const found = new Uint8Array(table.size).fill(bits.is | bits.mayBe);
  // First those without `isNot`, as a tuple that does not meet them is not asked for.
  for (const { name, isNot, is } of conditions.toSorted((a, b) => Number(a.isNot) - Number(b.isNot))) {
    const column = table.column(placeOf(name));
    // By code, as most texts are values of something else.
    const rules: { kept: number; added: number }[] = [];
    const ruleOf = (code: number) => {
      if (code === leftOut)
        return isNot ? { kept: ~0, added: bits.mayBeExcluded } : { kept: ~bits.is, added: 0 };
      const isAsked = code !== none && is(table.textOf(code) as string);
      if (isNot) return { kept: ~0, added: isAsked ? bits.mayBeExcluded | bits.isExcluded : 0 };
      return { kept: isAsked ? ~0 : 0, added: 0 };
    };
    for (let tuple = 0; tuple < found.length; tuple++) {
      if (found[tuple] === 0) continue;
      const code = column[tuple] as number;
      rules[code] ??= ruleOf(code);
      const rule = rules[code];
      found[tuple] = ((found[tuple] as number) & rule.kept) | rule.added;
    }
  }
  return found;
}

/** Visitors and views: people, AI clients, and visitors of either kind. */
export type Counts = [human: number, ai: number, total: number, humanViews: number, aiViews: number];

/** At least and at most so many. */
export interface Bounds {
  from: Counts;
  to: Counts;
}

export const nothing = (): Counts => [0, 0, 0, 0, 0];
export const noBounds = (): Bounds => ({ from: nothing(), to: nothing() });

export function addCounts(sum: Counts, counts: Readonly<Counts>, times = 1): void {
  for (let i = 0; i < sum.length; i++) (sum[i] as number) += (counts[i] as number) * times;
}

export const isNothing = (counts: Counts) => counts.every((count) => count === 0);

export const least = (one: Readonly<Counts>, other: Readonly<Counts>) =>
  one.map((count, i) => Math.min(count, other[i] as number)) as Counts;

/** Each visitor is a person or an AI client, or both, and has a view. */
export function narrowed({ from, to: [human, ai, total, ...views] }: Bounds): Bounds {
  const [humanViews, aiViews] = views;
  const people = Math.min(human, humanViews);
  const clients = Math.min(ai, aiViews);
  return { from, to: [people, clients, Math.min(total, people + clients), ...views] };
}

/** What was found on a day, or on several. */
export interface Found {
  totals: Bounds;
  /** By name. */
  rows: Map<string, Bounds>;
  /** Each row may have these besides: what the rows are of was left out. */
  unnamed: Counts;
}

export const nothingFound = (): Found => ({ totals: noBounds(), rows: new Map(), unnamed: nothing() });

export function rowOf({ rows }: Found, name: string): Bounds {
  const known = rows.get(name);
  if (known) return known;
  const row = noBounds();
  rows.set(name, row);
  return row;
}

export function addFound(sum: Found, found: Found): void {
  addBounds(sum.totals, found.totals);
  addCounts(sum.unnamed, found.unnamed);
  for (const [name, bounds] of found.rows) addBounds(rowOf(sum, name), bounds);
}

export function addBounds(sum: Bounds, { from, to }: Bounds): void {
  addCounts(sum.from, from);
  addCounts(sum.to, to);
}
