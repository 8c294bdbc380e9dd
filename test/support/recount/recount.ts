import type { Count, DayCount } from '../../../shared/reports/analytics.ts';
import type { DatasetView } from '../dataset/view.ts';

/** What reports have to say of the days that were counted, made without the server's help. */
export interface Recount {
  site: DayCount;
  days: Map<string, DayCount>;
  paths: Map<string, DayCount>;
  /** Each by its name. */
  sources: Map<string, DayCount>;
  countries: Map<string, DayCount>;
  languages: Map<string, DayCount>;
  screens: Map<string, DayCount>;
  utmCampaigns: Map<string, DayCount>;
  utmSources: Map<string, DayCount>;
  utmMediums: Map<string, DayCount>;
  refs: Map<string, DayCount>;
  devices: Map<string, DayCount>;
  browsers: Map<string, DayCount>;
  systems: Map<string, DayCount>;
  /** By name and proof, such as `GPTBot verified`; only AI counts. */
  clients: Map<string, DayCount>;
  /** By name, whatever the proof. */
  clientPaths: Map<string, Map<string, DayCount>>;
  /** Of each page. */
  pathSources: Map<string, Map<string, DayCount>>;
  pathCountries: Map<string, Map<string, DayCount>>;
  /** By reason and family, such as `bot seo` or `foreign_host`. */
  dropped: Map<string, number>;
}

/** Of each day what is sent on it. */
export interface RecountedDay {
  date: string;
  views: readonly DatasetView[];
}

type Seen = Map<string, Set<string>>;

/** Visitors are recognised within a day, and the days are added up. */
export function recount(days: readonly RecountedDay[]): Recount {
  const counts: Recount = {
    site: noCount(),
    days: new Map(),
    paths: new Map(),
    sources: new Map(),
    countries: new Map(),
    languages: new Map(),
    screens: new Map(),
    utmCampaigns: new Map(),
    utmSources: new Map(),
    utmMediums: new Map(),
    refs: new Map(),
    devices: new Map(),
    browsers: new Map(),
    systems: new Map(),
    clients: new Map(),
    clientPaths: new Map(),
    pathSources: new Map(),
    pathCountries: new Map(),
    dropped: new Map(),
  };
  for (const { date, views } of days) {
    const seen: Seen = new Map();
    for (const view of views) addView(counts, view, date, seen);
  }
  return counts;
}

function addView(
  counts: Recount,
  { url, address, userAgent, fate }: DatasetView,
  date: string,
  seen: Seen,
): void {
  if (fate.dropped !== undefined) {
    const name = fate.family === null ? fate.dropped : `${fate.dropped} ${fate.family}`;
    counts.dropped.set(name, (counts.dropped.get(name) ?? 0) + 1);
    return;
  }
  const { kind, path, source, country, language, screen, traits, client } = fate;
  const visitor = `${networkOf(address)} ${userAgent}`;
  const add = (what: string, count: DayCount) => addTo(count, kind, visitor, what, seen);
  const addNamed = (what: keyof Recount, map: Map<string, DayCount>, name: string | null) => {
    if (name !== null) add(`${what} ${name}`, getOrMake(map, name, noCount));
  };
  add('site', counts.site);
  addNamed('days', counts.days, date);
  addNamed('paths', counts.paths, path);
  addNamed('sources', counts.sources, source);
  addNamed('countries', counts.countries, country);
  addNamed('languages', counts.languages, language);
  addNamed('screens', counts.screens, screen);
  addNamed('utmCampaigns', counts.utmCampaigns, parameterOf(url, 'utm_campaign'));
  addNamed('utmSources', counts.utmSources, parameterOf(url, 'utm_source'));
  addNamed('utmMediums', counts.utmMediums, parameterOf(url, 'utm_medium'));
  addNamed('refs', counts.refs, parameterOf(url, 'ref'));
  addNamed('devices', counts.devices, traits.device);
  addNamed('browsers', counts.browsers, traits.browser);
  addNamed('systems', counts.systems, traits.system);
  const addPair = (what: 'pathSources' | 'pathCountries', name: string | null) => {
    if (name === null) return;
    const names = getOrMake(counts[what], path, () => new Map<string, DayCount>());
    add(`${what} ${path} ${name}`, getOrMake(names, name, noCount));
  };
  addPair('pathSources', source);
  addPair('pathCountries', country);
  if (!client) return;
  addNamed('clients', counts.clients, `${client.name} ${client.proof}`);
  const read = getOrMake(counts.clientPaths, client.name, () => new Map<string, DayCount>());
  add(`client ${client.name} ${path}`, getOrMake(read, path, noCount));
}

function addTo(count: DayCount, kind: 'human' | 'ai', visitor: string, what: string, seen: Seen): void {
  count.views[kind]++;
  count.views.total++;
  const kinds = getOrMake(seen, `${visitor}\n${what}`, () => new Set<string>());
  if (kinds.has(kind)) return;
  if (kinds.size === 0) count.visitors.total++;
  kinds.add(kind);
  count.visitors[kind]++;
}

function parameterOf(url: string, name: string): string | null {
  const value = new URL(url).searchParams.get(name);
  return value && Array.from(value).slice(0, 100).join('');
}

/** An IPv6 visitor is its /64. */
function networkOf(address: string): string {
  const [start = ''] = address.split('::');
  return start;
}

function noCount(): DayCount {
  const zero = (): Count => ({ human: 0, ai: 0, total: 0 });
  return { visitors: zero(), views: zero() };
}

function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
