import { type Filter, filterNames } from '../../shared/pairs.ts';

/** As it stands in the address of the page. */
export function readFilter(query: URLSearchParams): Filter {
  const given = filterNames.filter((name) => query.get(name));
  return Object.fromEntries(given.map((name) => [name, query.get(name) ?? '']));
}
