import { type Filter, filterNames } from '../../shared/reports/pairs.ts';
import { fill, list } from '../texts/part.ts';
import { t } from '../texts/report.ts';

/** As it stands in the address of the page. */
export function readFilter(query: URLSearchParams): Filter {
  const given = filterNames.filter((name) => query.get(name));
  return Object.fromEntries(given.map((name) => [name, query.get(name) ?? '']));
}

/** Why a report has no answer to a filter; undefined: there is no filter. */
export function describeRefusal(report: string, filter: Filter): string | undefined {
  const given = filterNames.filter((name) => filter[name] !== undefined);
  if (given.length === 0) return undefined;
  const text = given.length > 1 ? t.notKeptWithFilters : t.notKeptWithFilter;
  return fill(text, { report, names: list(given.map((name) => t.filtered[name])) });
}
