import { answers, isWritten, limitsBy } from '../../shared/reports/combined.ts';
import { type Filter, type FilterName, filterNames } from '../../shared/reports/pairs.ts';

/** What the address of the page has as filters; what is not written as one can be is left out. */
export function readFilter(query: URLSearchParams): { filter: Filter; leftOut: FilterName[] } {
  const given = filterNames.filter((name) => query.get(name));
  const isRead = (name: FilterName) => isWritten(name, query.get(name) ?? '');
  const filter = Object.fromEntries(given.filter(isRead).map((name) => [name, query.get(name) ?? '']));
  return { filter, leftOut: given.filter((name) => !isRead(name)) };
}

export const namesIn = (filter: Filter): FilterName[] =>
  filterNames.filter((name) => filter[name] !== undefined);

/** Whether there are numbers of rows by it with this filter; null: of days. */
export const isAnswered = (by: FilterName | null, filter: Filter): boolean => answers(limitsBy(by), filter);

/** Whether it leaves AI clients alone. */
export const isOfClients = ({ client }: Filter): boolean => client?.startsWith('!') === false;

/** Changes of the address that add a value to the filters, in place of those that it does not go with, or take it away. */
export function turned(query: URLSearchParams, by: FilterName, value: string): Record<string, string | null> {
  const { filter } = readFilter(query);
  const goesWith = (name: FilterName) => isAnswered(null, { [name]: filter[name], [by]: value });
  const lost = namesIn(filter).filter((name) => name !== by && !goesWith(name));
  return { ...without(lost), [by]: filter[by] === value ? null : value };
}

/** Changes of the address that remove these filters. */
export function without(names: readonly FilterName[]): Record<string, null> {
  return { ...Object.fromEntries(names.map((name) => [name, null])), page: null };
}
