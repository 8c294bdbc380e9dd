import { type Filter, type FilterName, filterNames } from '../../shared/pairs.ts';
import { ApiError } from '../errors.ts';

/** What a report can be limited to: one, or several together. */
export type Limits = readonly (readonly FilterName[])[];

/** Those of all reports, by their names. */
export type LimitsOfReports = Readonly<Record<string, Limits>>;

export function namesIn(limits: Limits): FilterName[] {
  return filterNames.filter((name) => limits.some((limit) => limit.includes(name)));
}

/**
 * What the query limits a report to, where the report has sums of that: other filters are refused and never passed over.
 *
 * @throws ApiError `invalid`, with a detail for each filter
 */
export function readFilter(query: object, report: string, all: LimitsOfReports): Filter {
  const names = filterNames.filter((name) => Object.hasOwn(query, name));
  if (names.length > 0 && !allows(all[report] ?? [], names)) throw refusal(report, names, all);
  return Object.fromEntries(names.map((name) => [name, String(Reflect.get(query, name))]));
}

function allows(limits: Limits, names: readonly FilterName[]): boolean {
  return limits.some((limit) => limit.length === names.length && limit.every((name) => names.includes(name)));
}

function refusal(report: string, names: readonly FilterName[], all: LimitsOfReports): ApiError {
  const asked = names.join(' and ');
  const own = (all[report] ?? []).map((limit) => limit.join(' and '));
  const others = Object.keys(all).filter((name) => allows(all[name] ?? [], names));
  const sentences = [
    `"${report}" cannot be limited to ${asked}: no sums are kept of that.`,
    own.length === 0 ? 'Leave it out.' : `It can be limited to ${own.join(', or ')}.`,
    ...(others.length === 0 ? [] : [`What can be limited to ${asked}: ${others.join(', ')}.`]),
  ];
  const details = names.map((path) => ({ message: `cannot be asked of "${report}" so`, path }));
  return new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, { details });
}
