import { type Dimension, dimensionNames } from './dimensions.ts';

/** What a report can be limited to, besides days and a search: one page, one AI client, one name of a dimension. */
export type FilterName = 'path' | 'client' | Dimension;

export const filterNames = ['path', 'client', ...dimensionNames] as const satisfies readonly FilterName[];

/** All of these at once. */
export type Filter = { [Name in FilterName]?: string | undefined };

interface PairRule {
  /** As stored: never change it. Other numbers stand in dimensions.ts and server/counting/what.ts. */
  number: number;
  /** Pages are kept under it: the pages of one are read at once, and of a page each of them is looked up. */
  under: Exclude<FilterName, 'path'>;
}

/** Pages by something else that views have: sums of their own, as sums of each alone do not tell of both. */
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
export function isKept(names: readonly FilterName[]): boolean {
  const [one, other, ...more] = [...new Set(names)];
  return more.length === 0 && (!one || !other || pairOf(one, other) !== undefined);
}

/** What rows by one of them, or a sum without rows (null), can be limited to: one, or several together. */
export function filtersOf(by: FilterName | null): FilterName[][] {
  const own = by === null ? [] : [by];
  const alone = filterNames.map((name) => [name]);
  const together = pairNames.map((pair): FilterName[] => ['path', pairs[pair].under]);
  return [...alone, ...together].filter((names) => isKept([...own, ...names]));
}
