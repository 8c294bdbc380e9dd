import { type Filter, type FilterName, filterNames, isKept } from '../../shared/reports/pairs.ts';

/** As it stands in the address of the page. */
export function readFilter(query: URLSearchParams): Filter {
  const given = filterNames.filter((name) => query.get(name));
  return Object.fromEntries(given.map((name) => [name, query.get(name) ?? '']));
}

export const namesIn = (filter: Filter): FilterName[] =>
  filterNames.filter((name) => filter[name] !== undefined);

/** Whether there are sums of rows by it with this filter; null: of days. */
export function isAnswered(by: FilterName | null, filter: Filter): boolean {
  return isKept(by === null ? namesIn(filter) : [by, ...namesIn(filter)]);
}

/** What can be kept of filters that cannot be combined: each alone, or two that can, as large as possible. */
export function keptOf(filter: Filter): FilterName[][] {
  const names = namesIn(filter);
  const two = names.flatMap((one, i) => names.slice(i + 1).map((other) => [one, other])).filter(isKept);
  const alone = names.filter((name) => !two.some((names) => names.includes(name)));
  return [...two, ...alone.map((name) => [name])];
}
