import { dimensions } from '../../shared/dimensions.ts';
import { type Filter, type FilterName, filterNames } from '../../shared/pairs.ts';

/** As it stands in the address of the page. */
export function readFilter(query: URLSearchParams): Filter {
  const given = filterNames.filter((name) => query.get(name));
  return Object.fromEntries(given.map((name) => [name, query.get(name) ?? '']));
}

const list = new Intl.ListFormat('en');

/** Why a report has no answer to a filter; undefined: there is no filter. */
export function describeRefusal(title: string, filter: Filter): string | undefined {
  const given = filterNames.filter((name) => filter[name] !== undefined);
  if (given.length === 0) return undefined;
  return `${title} are not kept together with ${list.format(given.map(pluralOf))}. Remove ${given.length > 1 ? 'a' : 'the'} filter to see them.`;
}

function pluralOf(name: FilterName): string {
  if (name === 'path') return 'pages';
  return name === 'client' ? 'AI clients' : dimensions[name].title.toLowerCase();
}
