import type { ProjectSettings } from '../../shared/project/project.ts';
import { channelNames } from '../../shared/reports/channels.ts';
import { allows, combinedFilters, isSeveral, readValues } from '../../shared/reports/combined.ts';
import {
  type Condition,
  type Filter,
  type FilterName,
  filterNames,
  type KeptName,
} from '../../shared/reports/pairs.ts';
import { type Limits, nameOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { countedForm, countedNames, preparePaths } from '../counting/page/path-pattern.ts';
import { renamedPath } from '../counting/page/renamed.ts';
import { writtenSources } from '../counting/page/source.ts';
import { ApiError } from '../errors.ts';
import { clientNames, findClient } from '../identity/catalogue.ts';
import { findGlobFault, isGlob } from '../pattern/glob.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { RangeQuery } from '../store/counts/analytics-store.ts';
import { quoted } from '../text/one-line.ts';
import { readMeasured, runOf, writeRun } from './measured.ts';
import { nameMeant } from './spelling.ts';

/** The filters of each report, by name. */
export const limits: Readonly<Record<string, Limits>> = Object.fromEntries(
  Object.entries<Report>(reports)
    .filter(([path]) => path !== 'filters')
    .map(([path, { filters = [] }]) => [nameOf(path), filters]),
);

/** Those that take any filters together. */
const combining = new Set(
  Object.entries<Report>(reports).flatMap(([path, { combines }]) => (combines ? [nameOf(path)] : [])),
);

/** The filters that a report takes together, whichever. */
export const combinedIn = (report: string) => (combining.has(report) ? combinedFilters : []);

export function namesIn({ filters = [], combines = false }: Report): FilterName[] {
  return filterNames.filter(
    (name) => filters.some((limit) => limit.includes(name)) || (combines && combinedFilters.includes(name)),
  );
}

/** The project whose names are looked up. */
interface Asked {
  store: AnalyticsStore;
  projectId: string;
  keptParameters: readonly string[];
  renamedPaths: readonly string[];
}

/** A project whose reports are read. */
export interface AskedProject extends Asked {
  /** Countries that are left out of what was counted before they were excluded. */
  pastCountries: readonly string[];
  /** The range of the report; left out: none is asked of days that another tool counted. */
  days?: Pick<RangeQuery, 'from' | 'to'>;
}

/** What is asked for of a project with these settings. */
export function askedOf(
  store: AnalyticsStore,
  projectId: string,
  { keptParameters, renamedPaths, excludesPast, excludedCountries }: ProjectSettings,
): AskedProject {
  const pastCountries = excludesPast ? excludedCountries : [];
  return { store, projectId, keptParameters, renamedPaths, pastCountries };
}

/** What a reply says that cannot leave out what is excluded for the past, too. */
export const sayIncluded = ({ excludesPast, excludedCountries }: ProjectSettings) =>
  excludesPast && excludedCountries.length > 0
    ? {
        includesExcluded:
          'Views from excluded countries of days before they were excluded are in these numbers: this report cannot leave them out.',
      }
    : {};

/** What a reply says whose rows lack days. */
export async function sayLacking(
  store: AnalyticsStore,
  range: Parameters<typeof store.daysWithoutDetails>[0],
) {
  const run = runOf(await store.daysWithoutDetails(range));
  return run === null
    ? {}
    : { lacksDetails: `Of ${writeRun(run)} only totals are kept: rows leave them out.` };
}

/** What a query limits a report to. */
export interface Limited {
  /** Of which sums are kept; nothing, where there are conditions. */
  filter: Filter;
  /** Of which there are no sums; undefined: there are. */
  conditions?: readonly Condition[];
  /** Besides the filter, of a report whose rows are of pages. */
  pages?: Condition | undefined;
}

/**
 * What the query limits a report to, in the form in which names are counted: combinations that a report does not take are
 * rejected and never ignored.
 *
 * @throws ApiError `invalid`, with a detail for each filter
 */
export async function readFilter(query: object, report: string, asked: AskedProject): Promise<Limited> {
  const given = filterNames.filter((name) => Object.hasOwn(query, name));
  const mayCombine = combining.has(report) && given.every((name) => combinedFilters.includes(name));
  if (given.length > 0 && !mayCombine && !allows(limitsOf(report), given)) throw notCombined(report, given);
  const all = await Promise.all(
    given.map((name) => readCondition(name, String(Reflect.get(query, name)), asked)),
  );
  const conditions = all.filter((one) => !isOfAllPages(one));
  const names = conditions.map(({ name }) => name);
  const { pastCountries } = asked;
  if (mayCombine && pastCountries.length > 0)
    conditions.push({ name: 'country', isNot: true, how: 'is', values: [...pastCountries] });
  // Of channels there are no sums.
  const hasSums = names.length === 0 ? report !== 'channels' : allows(limitsOf(report), names);
  const page = conditions.find(({ name }) => name === 'path');
  const isJoined =
    mayCombine &&
    page !== undefined &&
    asked.renamedPaths.length > 0 &&
    (await asked.store.hasFormerPaths(asked.projectId, page.values[0] ?? ''));
  const special = conditions.filter((one) => !isPlain(one));
  const isCombined = special.length > 0 || !hasSums || isJoined;
  if (mayCombine && (isCombined || (await lacksSums(names, asked)))) return { filter: {}, conditions };
  const refused = special.map(({ name }) => name).filter((name) => name !== 'path');
  if (refused.length > 0) throw notSeveral(report, refused);
  const filter = conditions.filter(isPlain).map(({ name, values }) => [name, values[0]]);
  return { filter: Object.fromEntries(filter), pages: special[0] };
}

/**
 * Whether days of the range have views without sums, so that what is not known is bounded, and no zero: of days whose details
 * were deleted, or that another tool counted. Such a tool counts no pairs, not every dimension, and no AI clients.
 */
async function lacksSums(
  names: readonly FilterName[],
  { store, projectId, days }: AskedProject,
): Promise<boolean> {
  if (!days || names.length === 0) return false;
  const range = { projectId, ...days };
  if ((await store.daysWithoutDetails(range)).length > 0) return true;
  return !names.includes('client') && (await readMeasured(store, range)).ways.includes('history');
}

const isPlain = ({ isNot, how, values }: Condition) => !isNot && how === 'is' && values.length === 1;

/** It leaves out no view, and is no filter. */
const isOfAllPages = ({ name, isNot, how, values }: Condition) =>
  name === 'path' && !isNot && how === 'glob' && values.includes('/**');

/** Which pages somebody writes as a filter; undefined: all. @throws ApiError `invalid` */
export async function readPages(written: string | undefined, asked: Asked): Promise<Condition | undefined> {
  const pages = written === undefined ? undefined : await readCondition('path', written, asked);
  return pages && !isOfAllPages(pages) ? pages : undefined;
}

/** A filter as it is written: one value, or several with `|` between them, after `!` none of them. */
async function readCondition(name: FilterName, written: string, asked: Asked): Promise<Condition> {
  const one = { name, isNot: false, how: 'is' as const };
  const isPlain = !isSeveral(written) && !(name === 'path' && /[{[]/.test(written) && isGlob(written));
  if (isPlain || (await isCounted(name, written, asked)))
    return { ...one, values: [await asCounted(name, written, asked)] };
  const { isNot, how, values } = readValues(written);
  if (values.length === 0) throw notWritten(name);
  if (how === 'contains') return { name, isNot, how, values };
  if (name === 'path' && values.some(isGlob)) {
    if (values.some((value) => !value.startsWith('/') || findGlobFault(value) !== undefined))
      throw notWritten(name);
    await preparePaths(values);
    return { name, isNot, how: 'glob', values };
  }
  for (const value of values)
    if (value.includes('*') && !(await isCounted(name, value, asked))) throw notWritten(name);
  const counted = await Promise.all(values.map((value) => asCounted(name, value, asked)));
  return { name, isNot, how: 'is', values: [...new Set(counted)] };
}

/** @throws ApiError `invalid` where there is no such channel */
function channelNamed(written: string): string {
  const othersOf = (name: string) => common.channel?.[name] ?? [];
  const options = { parameter: 'channel', isOfWords: true, othersOf };
  const meant = nameMeant(written, [...channelNames, otherName], options);
  if (meant === undefined) throw notAChannel();
  return meant;
}

function notAChannel(): ApiError {
  const message = `must be ${channelNames.join(', ')}, several of them such as search|social, or none of them such as !paid`;
  return new ApiError('invalid', `The query is not valid: "channel" ${message}.`, {
    details: [{ message, path: 'channel' }],
  });
}

/** Whether it is a name itself, with whatever signs. */
async function isCounted(name: FilterName, written: string, asked: Asked): Promise<boolean> {
  if (name === 'channel') return false;
  const forms = name === 'path' ? countedNames(written, asked.keptParameters) : [written];
  return (await countedOf(name, forms, asked)).length > 0;
}

function notWritten(path: FilterName): ApiError {
  const message = `must be one value, several such as a|b, none of them such as !a, or what values contain such as *a*${path === 'path' ? ', or a glob such as /docs/**' : ''}`;
  return new ApiError('invalid', `The query is not valid: "${path}" ${message}.`, {
    details: [{ message, path }],
  });
}

function notSeveral(report: string, names: readonly FilterName[]): ApiError {
  const reports = [...combining].join(', ');
  const details = names.map((path) => ({ message: 'must be one value', path }));
  const message = `The query is not valid: "${report}" takes one value of ${names.join(' and ')}. Reports that take several: ${reports}.`;
  return new ApiError('invalid', message, { details });
}

/** The counted form of a value; a value that was never counted stays as it is. @throws ApiError `invalid` */
export async function asCounted(by: FilterName, written: string, asked: Asked): Promise<string> {
  if (by === 'channel') return channelNamed(written);
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

/** A goal as the project has set it: the name of an event, or a path. @throws ApiError `invalid`, `not_found` */
export function goalAsSet(written: string, goals: readonly string[]): string {
  if (goals.includes(written)) return written;
  const forms = countedNames(written, []);
  const events = goals.filter((goal) => !goal.startsWith('/'));
  const goal =
    goals.find((one) => one.startsWith('/') && forms.includes(countedForm(one))) ??
    nameMeant(written, events, { parameter: 'goal', isOfWords: true });
  if (goal !== undefined) return goal;
  const remedy = goals.length === 0 ? ': set some first' : `. Goals: ${goals.join(', ')}`;
  throw new ApiError('not_found', `The project has no goal "${quoted(written)}"${remedy}.`);
}

/** With its whole query and fragment, or with the parts that the project keeps. */
async function pathAsCounted(written: string, asked: Asked): Promise<string> {
  const forms = countedNames(written, asked.keptParameters).map((form) => renamedPath(form, asked));
  const counted = await countedOf('path', forms, asked);
  const known = forms.find((form) => counted.includes(form));
  return known ?? (forms.at(-1) as string);
}

/** With more names of a kind, no similar name is looked for. */
const mostNames = 10_000;

/** The names among these that were counted on any day; none given: all. */
async function countedOf(
  by: KeptName,
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

const limitsOf = (report: string): Limits => limits[report] ?? [];

function notCombined(report: string, names: readonly FilterName[]): ApiError {
  const own = limitsOf(report).map((limit) => limit.join(' and '));
  const others = Object.keys(limits).filter(
    (name) =>
      allows(limitsOf(name), names) ||
      (combining.has(name) && names.every((one) => combinedFilters.includes(one))),
  );
  const asked = names.join(' and ');
  if (combining.has(report)) own.push(`any of ${combinedFilters.join(', ')} together`);
  const sentences = [
    `"${report}" cannot be filtered by ${asked} at once. Available: ${own.join(', or ')}.`,
    ...(others.length === 0 ? [] : [`Reports with ${asked}: ${others.join(', ')}.`]),
  ];
  const details = names.map((path) => ({ message: 'cannot be combined with the other filters', path }));
  return new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, { details });
}

/** Aliases of counted names. */
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
  channel: {
    ai: ['AI assistant', 'AI assistants', 'assistants', 'LLM'],
    search: ['organic', 'organic search', 'search engines'],
    social: ['social media', 'social networks'],
    mail: ['email', 'e-mail', 'newsletter'],
    paid: ['ads', 'advertising', 'paid search'],
    campaign: ['campaigns'],
    referral: ['referrals', 'links'],
  },
  screen: { xs: ['extra small'], sm: ['small'], md: ['medium'], lg: ['large'], xl: ['extra large'] },
};

/** The languages of the dashboard. */
const languages = ['en', 'de', 'ar'];

/** Aliases of a name in reports. */
export function commonNamesOf(by: FilterName, name: string): readonly string[] {
  const own = common[by]?.[name] ?? [];
  if (by === 'country') return [...own, ...namesOfCode('region', name, languages)];
  if (by === 'language') return namesOfCode('language', name, [...languages, name]);
  // They come before their region and country.
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
