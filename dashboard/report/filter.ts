import { type Dimension, dimensionNames } from '../../shared/dimensions.ts';

/** What numbers can be limited to. */
export type FilterName = 'path' | 'client' | Dimension;

export const filterNames: readonly FilterName[] = ['path', 'client', ...dimensionNames];

/** All of these at once. */
export type Filter = Partial<Record<FilterName, string>>;

/** As it stands in the address of the page. */
export function readFilter(query: URLSearchParams): Filter {
  const given = filterNames.filter((name) => query.get(name));
  return Object.fromEntries(given.map((name) => [name, query.get(name) ?? '']));
}
