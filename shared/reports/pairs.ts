import { type Dimension, dimensionNames } from './dimensions.ts';

/** What sums are kept of: a page, an AI client, a name of a dimension. */
export type KeptName = 'path' | 'client' | Dimension;

/** The filters of a report besides days and a search. A channel follows from sources and tags. */
export type FilterName = KeptName | 'channel';

export const filterNames = [
  ...(['path', 'client'] as const),
  ...dimensionNames,
  'channel',
] as const satisfies readonly FilterName[];

/** All of these at once. */
export type Filter = { [Name in FilterName]?: string | undefined };

/** What views are limited to in one name, where it is more than one value. */
export interface Condition {
  name: FilterName;
  /** None of the values, in place of one of them. */
  isNot: boolean;
  /** The value is one of these, contains one, whatever the case, or is a path that matches one. */
  how: 'is' | 'contains' | 'glob';
  values: readonly string[];
}

interface PairRule {
  /** As stored: never change it. Other numbers are in dimensions.ts and server/counting/what.ts. */
  number: number;
  /** Pages are kept under it: the pages of one are read at once, and of a page each of them is looked up. */
  under: Exclude<KeptName, 'path'>;
}

/** Pages by something else that views have: sums of their own, as they do not follow from sums of each alone. */
export const pairs = {
  clientPath: { number: 8, under: 'client' },
  /** Only views with a source have one, so these are the pages on which visits begin. */
  sourcePath: { number: 24, under: 'source' },
  countryPath: { number: 25, under: 'country' },
} as const satisfies Record<string, PairRule>;

export type Pair = keyof typeof pairs;

export const pairNames = Object.keys(pairs) as readonly Pair[];

/** The pair of these two, in whichever order; undefined: none is kept. */
export function pairOf(one: FilterName, other: FilterName): Pair | undefined {
  const under = one === 'path' ? other : one;
  if (one !== 'path' && other !== 'path') return undefined;
  return pairNames.find((pair) => pairs[pair].under === under);
}

/** Whether there are sums of all of these together; of nothing at all there is that of the site. */
export function isKept(names: readonly FilterName[]): names is readonly KeptName[] {
  const [one, other, ...more] = [...new Set(names)];
  return more.length === 0 && (one && other ? pairOf(one, other) !== undefined : one !== 'channel');
}

/** What rows by one of them, or a sum without rows (null), can be limited to: one, or several together. */
export function filtersOf(by: FilterName | null): FilterName[][] {
  const own = by === null ? [] : [by];
  const alone = filterNames.map((name) => [name]);
  const together = pairNames.map((pair): FilterName[] => ['path', pairs[pair].under]);
  return [...alone, ...together].filter((names) => isKept([...own, ...names]));
}
