import { type Filter, type FilterName, filterNames } from '../../shared/reports/pairs.ts';
import { type Limits, nameOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { countedForm, countedNames } from '../counting/page/path-pattern.ts';
import { writtenSources } from '../counting/page/source.ts';
import { ApiError } from '../errors.ts';
import { clientNames, findClient } from '../identity/catalogue.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { nameMeant } from './spelling.ts';

/** The filters of each report, by its name. */
export const limits: Readonly<Record<string, Limits>> = Object.fromEntries(
  Object.entries<Report>(reports)
    .filter(([path]) => path !== 'filters')
    .map(([path, { filters = [] }]) => [nameOf(path), filters]),
);

export function namesIn(all: Limits = []): FilterName[] {
  return filterNames.filter((name) => all.some((limit) => limit.includes(name)));
}

/** Whose names are asked about. */
interface Asked {
  store: AnalyticsStore;
  projectId: string;
  keptParameters: readonly string[];
}

/**
 * What the query limits a report to, in the form in which names are counted, where the report has sums of that: other
 * combinations are rejected and never ignored.
 *
 * @throws ApiError `invalid`, with a detail for each filter
 */
export async function readFilter(query: object, report: string, asked: Asked): Promise<Filter> {
  const names = filterNames.filter((name) => Object.hasOwn(query, name));
  if (names.length > 0 && !allows(report, names)) throw notCombined(report, names);
  const found = names.map(async (name) => {
    return [name, await asCounted(name, String(Reflect.get(query, name)), asked)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** As it was counted on any day; what nobody counted stays as it is written. @throws ApiError `invalid` */
export async function asCounted(by: FilterName, written: string, asked: Asked): Promise<string> {
  if (by === 'path') return pathAsCounted(written, asked);
  if (by === 'client' && findClient(written)) return written;
  const forms = by === 'source' ? writtenSources(written) : [written];
  const counted = await countedOf(by, forms, asked);
  const known = forms.find((form) => counted.includes(form));
  if (known !== undefined) return known;
  const names = [...(await countedOf(by, undefined, asked)), ...(by === 'client' ? clientNames() : [])];
  const meant = nameMeant(written, [...new Set(names)], {
    parameter: by,
    isOfWords: by !== 'source',
    hasVersions: by === 'client' || by === 'browser' || by === 'system',
    othersOf: (name) => commonNamesOf(by, name),
  });
  return meant ?? (forms.at(-1) as string);
}

/** The name of an event as it was counted on any day. @throws ApiError `invalid` */
export async function eventAsCounted(written: string, { store, projectId }: Asked): Promise<string> {
  const { rows } = await store.readEvents({ projectId, from: null, to: null, limit: mostNames, offset: 0 });
  const names = rows.map(({ name }) => name);
  return nameMeant(written, names, { parameter: 'event', isOfWords: true }) ?? written;
}

/** A goal as the project has set it: the name of an event, or a path. @throws ApiError `invalid` */
export function goalAsSet(written: string, goals: readonly string[]): string {
  const forms = countedNames(written, []);
  const path = goals.find((goal) => goal.startsWith('/') && forms.includes(countedForm(goal)));
  const events = goals.filter((goal) => !goal.startsWith('/'));
  const isSet = goals.includes(written);
  return isSet
    ? written
    : (path ?? nameMeant(written, events, { parameter: 'goal', isOfWords: true }) ?? written);
}

/** With all of its query and fragment, or with what the project keeps of them. */
async function pathAsCounted(written: string, asked: Asked): Promise<string> {
  const forms = countedNames(written, asked.keptParameters);
  const counted = await countedOf('path', forms, asked);
  const known = forms.find((form) => counted.includes(form));
  return known ?? (forms.at(-1) as string);
}

/** More names of a kind are not looked through for what somebody may mean. */
const mostNames = 10_000;

/** Those of these names that were counted on any day; none given: all. */
async function countedOf(
  by: FilterName,
  names: readonly string[] | undefined,
  { store, projectId }: Asked,
): Promise<string[]> {
  const part = { projectId, from: null, to: null, limit: names?.length ?? mostNames, offset: 0 };
  if (by !== 'client') {
    const { rows } = await store.readCounts({ ...part, dimension: by, measure: 'views', names });
    return rows.map(({ name }) => name);
  }
  // A client may have a row for each proof.
  const filter = names && { client: names[0] };
  const { rows } = await store.readClients({ ...part, filter });
  return rows.map(({ name }) => name);
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

/** Names that people have for what is counted under another. */
const common: Partial<Record<FilterName, Readonly<Record<string, readonly string[]>>>> = {
  country: {
    GB: ['UK', 'Great Britain', 'Britain', 'England'],
    US: ['USA', 'U.S.', 'America', 'United States of America'],
    AE: ['UAE'],
    CZ: ['Czech Republic'],
    NL: ['Holland'],
    TR: ['Turkey'],
  },
  device: {
    desktop: ['computer', 'PC', 'laptop'],
    mobile: ['phone', 'smartphone', 'mobile phone', 'cell phone'],
    smarttv: ['TV', 'television'],
    wearable: ['watch', 'smartwatch'],
    xr: ['VR', 'AR'],
  },
  system: {
    macOS: ['Mac', 'OS X', 'Mac OS X'],
    'Mac OS': ['Mac', 'macOS', 'OS X', 'Mac OS X'],
    'Chrome OS': ['Chromium OS'],
    'Chromium OS': ['Chrome OS'],
    iOS: ['iPhone OS', 'iPadOS'],
    Windows: ['Microsoft Windows', 'Win'],
  },
  browser: {
    Chrome: ['Google Chrome'],
    Edge: ['Microsoft Edge', 'MS Edge'],
    Firefox: ['Mozilla Firefox'],
    Safari: ['Apple Safari'],
    'Mobile Chrome': ['Chrome Mobile', 'Chrome for Android'],
    'Mobile Safari': ['Safari Mobile', 'iOS Safari'],
    'Mobile Firefox': ['Firefox Mobile', 'Firefox for Android'],
    IE: ['Internet Explorer'],
  },
  screen: { xs: ['extra small'], sm: ['small'], md: ['medium'], lg: ['large'], xl: ['extra large'] },
};

/** Those of the dashboard. */
const languages = ['en', 'de', 'ar'];

/** Other names of a name that reports have. */
export function commonNamesOf(by: FilterName, name: string): readonly string[] {
  const own = common[by]?.[name] ?? [];
  if (by === 'country') return [...own, ...namesOfCode('region', name, languages)];
  if (by === 'language') return namesOfCode('language', name, [...languages, name]);
  // They stand before their region and country.
  if (by === 'region' || by === 'city') return name.includes(',') ? [name.split(',', 1)[0] as string] : own;
  return own;
}

/** What a country or a language is called in each of these languages. */
function namesOfCode(type: 'region' | 'language', code: string, inLanguages: readonly string[]): string[] {
  return inLanguages.flatMap((language) => {
    try {
      return new Intl.DisplayNames(language, { type }).of(code) ?? [];
    } catch {
      // It is no code, such as `(other)`.
      return [];
    }
  });
}
