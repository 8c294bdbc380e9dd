import { type Filter, type FilterName, filterNames, filtersOf } from '../../shared/reports/pairs.ts';
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

/** What can be asked of each report, by its name; what cannot is refused. */
export const limits: Readonly<Record<string, Limits>> = {
  ...Object.fromEntries(reports.map((report) => [nameOf(report), report.limits])),
  series: filtersOf(null),
  freshness: [['client']],
  ...Object.fromEntries(ofWholeSite.map((name) => [name, []])),
};

const ofNone = [
  ...['assistant', 'campaign', 'event', 'family', 'form', 'goal', 'network', 'passage', 'proof', 'property'],
  ...['purpose', 'reason', 'referrer', 'result', 'status', 'way'],
];

/**
 * Names by which some reports are limited, or that are columns of others, and the reports that take them: of any other, the
 * numbers of all would pass for those of one.
 */
const ofSome: Readonly<Record<string, readonly string[]>> = {
  operator: ['operators'],
  kind: ['gaps'],
  tool: ['search-engines', 'search-names'],
  search: [...reports.filter(({ takesSearch = true }) => takesSearch).map(nameOf), 'freshness'],
  ...Object.fromEntries(ofNone.map((name) => [name, []])),
};

/** As in the description of the API. */
export function nameOf({ path }: Report): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

export function namesIn(all: Limits): FilterName[] {
  return filterNames.filter((name) => all.some((limit) => limit.includes(name)));
}

/**
 * What the query limits a report to, where the report has sums of that: other filters are refused and never passed over.
 *
 * @throws ApiError `invalid`, with a detail for each filter
 */
export function readFilter(query: object, report: string): Filter {
  const others = Object.keys(ofSome).filter(
    (name) => isGiven(query, name) && !ofSome[name]?.includes(report),
  );
  if (others.length > 0) throw refusalOfSome(report, others);
  const names = filterNames.filter((name) => Object.hasOwn(query, name));
  if (names.length > 0 && !allows(report, names)) throw refusal(report, names);
  return Object.fromEntries(names.map((name) => [name, String(Reflect.get(query, name))]));
}

/** To look for nothing is to look for all. */
function isGiven(query: object, name: string): boolean {
  return Object.hasOwn(query, name) && (name !== 'search' || Reflect.get(query, name) !== '');
}

function allows(report: string, names: readonly FilterName[]): boolean {
  const all = limits[report] ?? [];
  return all.some((limit) => limit.length === names.length && limit.every((name) => names.includes(name)));
}

/** By another name there may be a filter. */
const filterFor: Readonly<Record<string, FilterName>> = { campaign: 'utmCampaign', referrer: 'source' };

function refusalOfSome(report: string, names: readonly string[]): ApiError {
  const asked = names.join(' and ');
  const sentences = [
    `"${report}" cannot be limited to ${asked}. Leave it out.`,
    ...names.flatMap((name) =>
      filterFor[name] ? [`What "${name}" may mean is called ${filterFor[name]}.`] : [],
    ),
    ...names.flatMap((name) =>
      ofSome[name]?.length ? [`What takes ${name}: ${ofSome[name].join(', ')}.`] : [],
    ),
  ];
  const details = names.map((path) => ({ message: `cannot be asked of "${report}"`, path }));
  return new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, { details });
}

function refusal(report: string, names: readonly FilterName[]): ApiError {
  const asked = names.join(' and ');
  const own = (limits[report] ?? []).map((limit) => limit.join(' and '));
  const others = Object.keys(limits).filter((name) => allows(name, names));
  const sentences = [
    ...(own.length === 0
      ? [`"${report}" cannot be limited to ${asked}: it is of the whole site. Leave it out.`]
      : [
          `"${report}" cannot be limited to ${asked}: no sums are kept of that.`,
          `It can be limited to ${own.join(', or ')}.`,
        ]),
    ...(others.length === 0 ? [] : [`What can be limited to ${asked}: ${others.join(', ')}.`]),
  ];
  const details = names.map((path) => ({ message: `cannot be asked of "${report}" so`, path }));
  return new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, { details });
}
