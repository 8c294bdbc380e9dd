import { zipf } from '../../../bench/random.ts';
import type { Traits } from '../../../server/counting/visitor/visitor.ts';
import { launchPage, peoplesPages, siteUrl } from './site.ts';
import type { CountedView, DatasetDay, DatasetView, Dice } from './view.ts';

interface Reader {
  userAgent: string;
  traits: Traits;
  share: number;
}

const traits = (device: string, browser: string, system: string): Traits => ({ device, browser, system });
const chrome = (system: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36`;
const mac = 'Macintosh; Intel Mac OS X 10_15_7';
const windows = 'Windows NT 10.0; Win64; x64';

const readers: readonly Reader[] = [
  { share: 25, userAgent: chrome(windows), traits: traits('desktop', 'Chrome', 'Windows') },
  { share: 18, userAgent: chrome(mac), traits: traits('desktop', 'Chrome', 'Mac OS') },
  { share: 6, userAgent: chrome('X11; Linux x86_64'), traits: traits('desktop', 'Chrome', 'Linux') },
  { share: 7, userAgent: `${chrome(windows)} Edg/142.0.0.0`, traits: traits('desktop', 'Edge', 'Windows') },
  {
    share: 9,
    userAgent: `Mozilla/5.0 (${mac}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`,
    traits: traits('desktop', 'Safari', 'Mac OS'),
  },
  {
    share: 5,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
    traits: traits('desktop', 'Firefox', 'Windows'),
  },
  {
    share: 5,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    traits: traits('desktop', 'Firefox', 'Linux'),
  },
  {
    share: 13,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
    traits: traits('mobile', 'Mobile Safari', 'iOS'),
  },
  {
    share: 11,
    userAgent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    traits: traits('mobile', 'Chrome', 'Android'),
  },
  {
    share: 2,
    userAgent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/30.0 Chrome/143.0.0.0 Mobile Safari/537.36',
    traits: traits('mobile', 'Samsung Internet', 'Android'),
  },
  {
    share: 2,
    userAgent:
      'Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
    traits: traits('tablet', 'Mobile Safari', 'iOS'),
  },
];

/** Networks of large providers, as they have been for years; one of IPv6 counts by its /64. */
const networks = [
  { country: 'US', share: 30, prefixes: ['73.99', '24.5', '98.30', '2600:1700:'] },
  { country: 'DE', share: 14, prefixes: ['80.128', '87.128', '2a02:8100:'] },
  { country: 'GB', share: 9, prefixes: ['86.128', '2a00:23c0:'] },
  { country: 'IN', share: 9, prefixes: ['49.36', '117.200'] },
  { country: 'FR', share: 6, prefixes: ['90.1', '2a01:cb00:'] },
  { country: 'BR', share: 5, prefixes: ['177.30', '189.4'] },
  { country: 'CA', share: 4, prefixes: ['142.112'] },
  { country: 'JP', share: 4, prefixes: ['126.3'] },
  { country: 'NL', share: 4, prefixes: ['77.160'] },
  { country: 'AU', share: 3, prefixes: ['1.120'] },
  { country: 'PL', share: 3, prefixes: ['83.0'] },
  { country: 'ES', share: 2, prefixes: ['88.0'] },
  { country: 'SE', share: 2, prefixes: ['81.224'] },
  { country: 'IT', share: 2, prefixes: ['79.0'] },
  { country: 'KR', share: 2, prefixes: ['175.192'] },
  { country: 'CH', share: 1, prefixes: ['85.0'] },
];

interface AcceptLanguage {
  header: string;
  language: string;
}

const languages: Readonly<Record<string, AcceptLanguage>> = {
  US: { header: 'en-US,en;q=0.9', language: 'en-US' },
  DE: { header: 'de,en-US;q=0.7,en;q=0.3', language: 'de' },
  GB: { header: 'en-GB,en-US;q=0.9,en;q=0.8', language: 'en-GB' },
  IN: { header: 'en-IN', language: 'en-IN' },
  FR: { header: 'fr-fr', language: 'fr-FR' },
  BR: { header: 'pt-BR,pt;q=0.9', language: 'pt-BR' },
  JP: { header: 'ja-JP', language: 'ja-JP' },
  ES: { header: 'es-419,es;q=0.9', language: 'es-419' },
};
const elsewhere: AcceptLanguage = { header: 'en;q=1.0, *;q=0.5', language: 'en' };

/** Some Swiss change from page to page. */
function languageOf(country: string, url: string): AcceptLanguage {
  if (country !== 'CH') return languages[country] ?? elsewhere;
  return url.length % 2 === 0
    ? { header: 'de-CH, fr;q=0.8', language: 'de-CH' }
    : { header: 'fr-CH, de;q=0.8', language: 'fr-CH' };
}

/** Windows on a desktop are made smaller and larger. */
function windowOf({ traits: { device } }: Reader, url: string): { width: number; screen: string } {
  if (device === 'mobile') return { width: 390, screen: 'xs' };
  if (device === 'tablet') return { width: 820, screen: 'md' };
  if (url.length % 5 === 0) return { width: 767, screen: 'sm' };
  return url.length % 3 === 0 ? { width: 1279, screen: 'lg' } : { width: 2560, screen: 'xl' };
}

interface Source {
  name: string;
  share: number;
  /** Share on the days after the launch. */
  atLaunch?: number;
  referrer?: string;
  query?: string;
}

const sources: readonly Source[] = [
  { name: '(direct)', share: 30 },
  { name: 'google.com', share: 26, referrer: 'https://www.google.com/' },
  { name: 'ChatGPT', share: 8, referrer: 'https://chatgpt.com/' },
  { name: 'github.com', share: 5, referrer: 'https://github.com/teapot/teapot' },
  { name: 'github.com', share: 2, referrer: 'https://github.com/', query: '?ref=awesome-tea' },
  { name: 'newsletter', share: 5, query: '?utm_source=newsletter&utm_medium=email&utm_campaign=autumn-teas' },
  { name: 'bing.com', share: 4, referrer: 'https://www.bing.com/' },
  { name: 'duckduckgo.com', share: 4, referrer: 'https://duckduckgo.com/' },
  { name: 'Perplexity', share: 3, referrer: 'https://www.perplexity.ai/search/how-to-descale' },
  { name: 'Claude', share: 3, referrer: 'https://claude.ai/' },
  { name: 'news.ycombinator.com', share: 1, atLaunch: 120, referrer: 'https://news.ycombinator.com/item' },
  { name: 'reddit.com', share: 2, atLaunch: 20, referrer: 'https://www.reddit.com/r/tea/' },
  { name: 'x.com', share: 2, atLaunch: 15, referrer: 'https://t.co/k9QxT2' },
  { name: 'linkedin.com', share: 1, atLaunch: 6, referrer: 'https://www.linkedin.com/' },
  { name: 'Gemini', share: 2, referrer: 'https://gemini.google.com/' },
  { name: 'ChatGPT', share: 1, query: '?utm_source=chatgpt.com' },
  { name: 'Microsoft Copilot', share: 1, referrer: 'https://copilot.microsoft.com/' },
];

interface Person {
  reader: Reader;
  country: string;
  /** An address for a view: people of IPv6 change all but their /64. */
  address(): string;
}

const personCount = 4000;
const visitsPerDay = 52;
/** Visits of the days from the launch on, as multiples of others. */
const launchPeak = [7, 4, 2.4, 1.7, 1.4, 1.2];
/** Agents at work in a person's browser, one in so many visits. */
const agentEvery = 40;
const agentAtWork = { signs: 'c', client: { name: 'Claude in Chrome', proof: 'inferred' as const } };

/** Whom the site has for readers: the same few thousand on all days, each seldom. */
export function createPeople(dice: Dice): (day: DatasetDay) => DatasetView[] {
  const people = Array.from({ length: personCount }, (_, number) => createPerson(number, dice));
  const drawPage = zipf(peoplesPages.length, dice.random);
  return (day) =>
    Array.from({ length: visitCount(day, dice) }, () => visit(dice.pick(people), day, dice, drawPage)).flat();
}

function createPerson(number: number, dice: Dice): Person {
  const { country, prefixes } = dice.pick(networks, ({ share }) => share);
  const prefix = dice.pick(prefixes);
  const reader = dice.pick(readers, ({ share }) => share);
  const [high, low] = [1 + Math.floor(number / 250), 1 + (number % 250)];
  return {
    reader,
    country,
    address: prefix.includes(':')
      ? () => `${prefix}${high.toString(16)}:${low.toString(16)}::${dice.between(1, 0xffff).toString(16)}`
      : () => `${prefix}.${high}.${low}`,
  };
}

function visitCount({ progress, isWeekend, sinceLaunch, length }: DatasetDay, dice: Dice): number {
  const trend = 1 + progress;
  const week = isWeekend ? 0.55 : 1;
  const weather = 0.85 + 0.3 * dice.random();
  return Math.round(visitsPerDay * trend * week * weather * (launchPeak[sinceLaunch] ?? 1) * length);
}

function visit(person: Person, day: DatasetDay, dice: Dice, drawPage: () => number): DatasetView[] {
  const isLaunch = day.sinceLaunch >= 0 && day.sinceLaunch < launchPeak.length;
  const source = dice.pick(sources, ({ share, atLaunch }) => (isLaunch && atLaunch) || share);
  const views: DatasetView[] = [];
  let referrer = source.referrer;
  let path = isLaunch && source.atLaunch ? launchPage : drawPath();
  do {
    const isFirst = views.length === 0;
    const url = siteUrl + path + ((isFirst && source.query) || '');
    views.push(viewOf(person, url, referrer, { path, source: isFirst ? source.name : null }));
    referrer = siteUrl + path;
    path = drawPath();
  } while (dice.random() < 0.55);
  if (dice.between(1, agentEvery) === 1) views.push(viewOf(person, siteUrl + path, referrer, { path }, true));
  return views;

  function drawPath(): string {
    return peoplesPages[drawPage()] ?? '/';
  }
}

function viewOf(
  { reader, country, address }: Person,
  url: string,
  referrer: string | undefined,
  fate: Partial<CountedView> & Pick<CountedView, 'path'>,
  isAgent = false,
): DatasetView {
  const acceptLanguage = languageOf(country, url);
  const window = windowOf(reader, url);
  return {
    via: 'script',
    url,
    ...(referrer !== undefined && { referrer }),
    address: address(),
    userAgent: reader.userAgent,
    acceptLanguage: acceptLanguage.header,
    width: window.width,
    ...(isAgent && { signs: agentAtWork.signs }),
    fate: {
      kind: isAgent ? 'ai' : 'human',
      source: null,
      country,
      language: acceptLanguage.language,
      screen: window.screen,
      traits: reader.traits,
      client: isAgent ? agentAtWork.client : null,
      ...fate,
    },
  };
}
