import { channelNames } from './channels.ts';
import { type Condition, type Filter, type FilterName, filterNames, filtersOf } from './pairs.ts';
import type { Limits, Report } from './report.ts';

/**
 * What views are combined by besides their page, in the order in which rare values are left out: what is asked for least comes
 * first. As stored: never change it.
 */
export const combinedNames = [
  ...(['screen', 'language', 'ref', 'utmMedium', 'utmSource', 'region', 'system', 'browser'] as const),
  ...(['utmCampaign', 'device', 'country', 'source', 'client'] as const),
] as const satisfies readonly FilterName[];

/** A channel follows from the source and the medium. */
export type CombinedName = (typeof combinedNames)[number] | 'channel';

/** The filters that can be given together, however many. */
export const combinedFilters: readonly FilterName[] = filterNames.filter(
  (name) => name === 'path' || name === 'channel' || (combinedNames as readonly FilterName[]).includes(name),
);

/** The filters of a report whose rows are by one of them; null: it has no rows, or they are of days. */
export function limitsBy(by: FilterName | null): { filters: FilterName[][]; combines: boolean } {
  return { filters: filtersOf(by), combines: by === null || combinedFilters.includes(by) };
}

/** Whether a filter is written as more than one value; a name with these signs that was counted is meant itself. */
export const isSeveral = (written: string): boolean => /^!|^$|[|*]/.test(written);

/** The values of such a filter: `a|b` is one of them, `!a` none of them, `*a*` all that contain it; none where it is not valid. */
export function readValues(
  written: string,
): Pick<Condition, 'isNot' | 'values'> & { how: 'is' | 'contains' } {
  const isNot = written.startsWith('!');
  // As in !a|!b.
  const parts = written.split('|').map((part) => (isNot ? part.trim().replace(/^!/, '') : part).trim());
  const values = parts.filter((part) => part !== '');
  if (values.some((value) => value.startsWith('!'))) return { isNot, how: 'is', values: [] };
  return values.every((value) => /^\*[^*]+\*$/.test(value))
    ? { isNot, how: 'contains', values: values.map((value) => value.slice(1, -1)) }
    : { isNot, how: 'is', values };
}

/** Whether a filter is written as one can be, unless it is the very name of something that was counted. */
export function isWritten(name: FilterName, written: string): boolean {
  const { how, values } = readValues(written);
  if (values.length === 0) return false;
  if (how === 'contains') return true;
  const names: readonly string[] = ['(other)', ...channelNames];
  if (name === 'channel') return values.every((value) => names.includes(value));
  if (name !== 'path') return values.every((value) => !value.includes('*'));
  // With more brackets the server may not take it.
  const isGlob = (value: string) => value[0] === '/' && value.split(/[([{]/).length < 6;
  return !isSeveral(written) || values.every((value) => !value.includes('*') || isGlob(value));
}

/** Whether these are given alone or together as one of the limits has them. */
export const allows = (limits: Limits, names: readonly FilterName[]): boolean =>
  limits.some((limit) => limit.length === names.length && limit.every((name) => names.includes(name)));

/** Whether a report has numbers with a filter as it is written. */
export function answers(
  { filters = [], combines }: Pick<Report, 'filters' | 'combines'>,
  filter: Filter,
): boolean {
  const names = filterNames.filter((name) => filter[name] !== undefined);
  const several = names.map((name) => filter[name] ?? '').filter(isSeveral);
  if (combines && names.every((name) => combinedFilters.includes(name)))
    return several.every((written) => readValues(written).values.length > 0);
  const isOfPages = several.length === 1 && filter.path !== undefined && isSeveral(filter.path);
  return (several.length === 0 || isOfPages) && (names.length === 0 || allows(filters, names));
}
