import { type Filter, type FilterName, filterNames, filtersOf } from '../../shared/reports/pairs.ts';
import { countedName } from '../counting/page/path-pattern.ts';
import { writtenSource } from '../counting/page/source.ts';
import { ApiError } from '../errors.ts';
import type { Limits, Report } from './report.ts';
import { reports } from './reports.ts';

/** Those of the whole site alone. */
const ofWholeSite = [
  'hours',
  'now',
  'operators',
  'silent-clients',
  'gaps',
  'changes',
  'changes/{changeId}/effect',
  'marks',
  'search-engines',
  'search-names',
];

/** The filters of each report, by its name. */
export const limits: Readonly<Record<string, Limits>> = {
  ...Object.fromEntries(reports.map((report) => [nameOf(report), report.limits])),
  series: filtersOf(null),
  freshness: [['client']],
  ...Object.fromEntries(ofWholeSite.map((name) => [name, []])),
};

/** As in the description of the API. */
export function nameOf({ path }: Report): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

export function namesIn(all: Limits): FilterName[] {
  return filterNames.filter((name) => all.some((limit) => limit.includes(name)));
}

/**
 * What the query limits a report to, in the form in which names are counted, where the report has sums of that: other combinations are rejected and never ignored.
 *
 * @throws ApiError `invalid`, with a detail for each filter
 */
export function readFilter(query: object, report: string, keptParameters: readonly string[]): Filter {
  const names = filterNames.filter((name) => Object.hasOwn(query, name));
  if (names.length > 0 && !allows(report, names)) throw notCombined(report, names);
  return Object.fromEntries(
    names.map((name) => [name, asCounted(name, String(Reflect.get(query, name)), keptParameters)]),
  );
}

function asCounted(name: FilterName, written: string, keptParameters: readonly string[]): string {
  if (name === 'path') return countedName(written, keptParameters);
  if (name === 'source') return writtenSource(written);
  if (name === 'country') return /^[a-z]{2}$/i.test(written) ? written.toUpperCase() : written;
  if (name === 'device' || name === 'screen') return written.toLowerCase();
  return written;
}

function allows(report: string, names: readonly FilterName[]): boolean {
  const all = limits[report] ?? [];
  return all.some((limit) => limit.length === names.length && limit.every((name) => names.includes(name)));
}

function notCombined(report: string, names: readonly FilterName[]): ApiError {
  const own = (limits[report] ?? []).map((limit) => limit.join(' and '));
  const others = Object.keys(limits).filter((name) => allows(name, names));
  const asked = names.join(' and ');
  const sentences = [
    `"${report}" cannot be filtered by ${asked} at once. Available: ${own.join(', or ')}.`,
    ...(others.length === 0 ? [] : [`Reports with ${asked}: ${others.join(', ')}.`]),
  ];
  const details = names.map((path) => ({ message: 'cannot be combined with the other filters', path }));
  return new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, { details });
}
