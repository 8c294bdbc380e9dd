import type { CountedDropReason } from '../../../shared/hit.ts';
import { Calendar, type Day } from '../../counting/calendar.ts';
import { pageDrop, ruleReasons } from '../../counting/drop-rules.ts';
import { countedCampaign, countedPath, noCampaign, parsePage, untwinned } from '../../counting/page/page.ts';
import { viewedPath } from '../../counting/page/renamed.ts';
import { findSource } from '../../counting/page/source.ts';
import { memoize } from '../../memo.ts';
import type { LiveProject } from '../../projects/registry.ts';

/** Why a line is not counted. */
export const leftOut = [
  ...ruleReasons.page,
  'no_path',
  'no_views',
  'event',
  'bot' satisfies CountedDropReason,
] as const;
export type LeftOut = (typeof leftOut)[number];

type PageFound = { path: string } | { left: LeftOut };

interface From {
  /** As the tool calls it. */
  source: string;
  referrer: string;
  utmSource: string;
}

interface Tags {
  utmSource: string;
  utmMedium: string;
  utmCampaign: string;
}

const remembered = 20_000;
const maxNameLength = 100;

/** Pages, sources and names of an export under the names that hits of the project count by. */
export class HistorySite {
  readonly #project: LiveProject;
  readonly #ownHost: string;
  readonly #page: (address: string) => PageFound;
  readonly #calendar: Calendar;

  constructor(project: LiveProject) {
    this.#project = project;
    const { hosts } = project.settings;
    this.#ownHost = project.settings.siteHost ?? hosts.find((name) => !name.startsWith('*.')) ?? 'localhost';
    this.#calendar = new Calendar(project.settings.timeZone);
    this.#page = memoize((address) => this.#readPage(address), remembered);
  }

  /** Of the project, on which a moment (milliseconds since 1970) falls. */
  dayOf(at: number): Day {
    return this.#calendar.dayOf(at);
  }

  /** A search query, without personal data. */
  query(text: string): string {
    const { settings } = this.#project;
    return text
      .split(' ')
      .map((word) => countedPath(word, settings))
      .join(' ');
  }

  /** @param host empty: the export does not have it */
  page(host: string, path: string): PageFound {
    return this.#page(`${host}\n${path}`);
  }

  /** Null: a step inside the site. */
  source({ source, referrer, utmSource }: From): string | null {
    const isDirect = /^(direct( \/ none)?|\(direct\)|\(none\))?$/i.test(source);
    const named =
      utmSource || (referrer === '' && !isDirect ? (searches[source.toLowerCase()] ?? source) : '');
    const page = { host: this.#ownHost, path: '/', campaign: { ...noCampaign, utmSource: named || null } };
    const from = referrer === '' || referrer.includes('://') ? referrer : `https://${referrer}`;
    return findSource(page, from || undefined, this.#project);
  }

  /** By their dimensions; null where a tag is missing. */
  campaign({ utmSource, utmMedium, utmCampaign }: Tags) {
    const given = (text: string) => text || null;
    const { ref: _, ...tags } = countedCampaign(
      {
        utmSource: given(utmSource),
        utmMedium: given(utmMedium),
        utmCampaign: given(utmCampaign),
        ref: null,
      },
      this.#project.settings,
    );
    return tags;
  }

  #readPage(address: string): PageFound {
    const [host = '', path = ''] = address.split('\n');
    const { keptParameters } = this.#project.settings;
    const isRouted = /#!?\//.test(path);
    const page = path.startsWith('/')
      ? parsePage(`https://${host || this.#ownHost}${path}`, keptParameters, isRouted)
      : undefined;
    if (!page) return { left: 'no_path' };
    const counted = untwinned(page.path, this.#project.settings);
    const dropped = pageDrop(host === '' ? null : page.host, counted, path, this.#project);
    if (dropped) return { left: dropped };
    return { path: viewedPath(counted, this.#project.settings) };
  }
}

/** A name as tables have room for. */
export function shortName(text: string): string {
  return Array.from(text.slice(0, 10 * maxNameLength))
    .slice(0, maxNameLength)
    .join('')
    .toWellFormed();
}

/** ISO 3166-1 alpha-2; undefined: it is none. */
export function countryOf(text: string): string | undefined {
  return /^[A-Z]{2}$/.test(text) ? text : undefined;
}

/** Where tools name only the search engine, and not its host. */
const searches: Readonly<Record<string, string>> = {
  baidu: 'baidu.com',
  bing: 'bing.com',
  duckduckgo: 'duckduckgo.com',
  ecosia: 'ecosia.org',
  google: 'google.com',
  yahoo: 'search.yahoo.com',
  yandex: 'yandex.ru',
};

const browsers: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Browser': 'Samsung Internet',
};

const systems: Readonly<Record<string, string>> = {
  'GNU/Linux': 'Linux',
  'Chrome OS': 'Chromium OS',
  Mac: 'Mac OS',
  Macintosh: 'Mac OS',
  macOS: 'Mac OS',
  'Android OS': 'Android',
};

/** As hits call it, where tools call it otherwise. */
export const browserOf = (text: string): string => shortName(browsers[text] ?? text);
export const systemOf = (text: string): string =>
  /^Windows (?!Mobile|Phone)/.test(text) ? 'Windows' : shortName(systems[text] ?? text);

/** `Firefox 135.0` */
export function nameWithoutVersion(text: string): string {
  return text.replace(/ [\d._]+$/, '');
}

const devices: Readonly<Record<string, string>> = {
  desktop: 'desktop',
  laptop: 'desktop',
  'ultra-wide': 'desktop',
  mobile: 'mobile',
  phone: 'mobile',
  smartphone: 'mobile',
  'feature phone': 'mobile',
  phablet: 'mobile',
  tablet: 'tablet',
  tv: 'smarttv',
  smarttv: 'smarttv',
  'smart tv': 'smarttv',
  console: 'console',
  wearable: 'wearable',
};

/** Undefined: it is none that hits have. */
export const deviceOf = (text: string): string | undefined => devices[text.toLowerCase()];
