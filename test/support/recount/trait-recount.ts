import type { Count } from '../../../shared/reports/analytics.ts';
import { dimensions } from '../../../shared/reports/dimensions.ts';
import type { ProjectClient } from '../headcount.ts';
import type { MmdbValue } from '../places/mmdb.ts';
import type { Landing, Sent } from './hit-stream.ts';
import { clientOf, countVisitors, type Traits, type WrittenDown } from './stream-recount.ts';

const counted = [
  ...(['country', 'region', 'city', 'language', 'screen'] as const),
  ...(['device', 'browser', 'system'] as const),
  ...(['utmCampaign', 'utmSource', 'utmMedium', 'ref'] as const),
];

/** Networks of the streams, for a database of the operator's own. */
export const networks: Record<string, MmdbValue> = {
  '192.0.2.1/32': { country_code: 'DE' },
  '192.0.2.2/32': {
    country: { iso_code: 'US' },
    subdivisions: [{ names: { en: 'California' } }],
    city: { names: { en: 'Fresno' } },
  },
  '2001:db8:0:1::/64': { country_code: 'CH', state1: 'Bern' },
};

const placeOf: Record<string, Traits['names']> = {
  '192.0.2.1': { country: 'DE' },
  '192.0.2.2': { country: 'US', region: 'California, US', city: 'Fresno, California, US' },
  '2001:db8:0:1::1': { country: 'CH', region: 'Bern, CH' },
};

const languageOf: Record<string, string> = { 'de-at,de;q=0.9': 'de-AT', fr: 'fr' };

/** By a word of the user agent. */
const readsWith: Record<string, Traits['names']> = {
  Firefox: { device: 'desktop', browser: 'Firefox', system: 'Linux' },
  Chrome: { device: 'desktop', browser: 'Chrome', system: 'Windows' },
  iPhone: { device: 'mobile', browser: 'Mobile Safari', system: 'iOS' },
};
const unknown = { device: '(unknown)', browser: '(unknown)', system: '(unknown)' };

function readerOf(userAgent: string): Traits['names'] {
  const word = Object.keys(readsWith).find((name) => userAgent.includes(name));
  return word === undefined ? unknown : (readsWith[word] ?? unknown);
}

export function traitsOf(hit: Sent): Traits {
  const { ip, kind, language, query, signing, userAgent } = hit;
  const parameters = new URLSearchParams(query);
  const names = {
    ...placeOf[ip],
    ...readerOf(userAgent),
    language: language === undefined ? null : (languageOf[language] ?? null),
    utmCampaign: parameters.get('utm_campaign'),
    utmSource: parameters.get('utm_source'),
    utmMedium: parameters.get('utm_medium'),
    ref: parameters.get('ref'),
  };
  const proof = signing === 'valid' ? 'verified' : 'claimed';
  return { names, client: kind === 'ai' ? { name: clientOf(hit), proof } : null };
}

const screenOf: Record<number, string> = { 1: 'xs', 2: 'sm', 9: 'xl' };

/** The image reports no width. */
export function traitsOfLanding({ way, ip, width }: Landing, userAgent: string): Traits {
  const screen = way === 'image' || width === undefined ? null : screenOf[width];
  return { names: { ...placeOf[ip], ...readerOf(userAgent), screen: screen ?? null }, client: null };
}

type Sums = Record<string, unknown>;

/** Sums of views by what each of them is named, where it is. */
function sumsBy<Sum>(
  views: readonly WrittenDown[],
  nameOf: (view: WrittenDown) => string | null | undefined,
  sum: (of: WrittenDown[]) => Sum,
): Record<string, Sum> {
  const named = Map.groupBy(views, (view) => nameOf(view) ?? '');
  return Object.fromEntries([...named].filter(([name]) => name !== '').map(([name, of]) => [name, sum(of)]));
}

const visitorsAndViews = (of: WrittenDown[]) => [countVisitors(of).total, of.length];

/** Each counted by hand. */
export function recountTraits(views: readonly WrittenDown[]): Sums {
  const ofAi = views.filter(({ client }) => client);
  const ofPage = views.filter(({ path }) => path === '/b');
  const paths = (of: WrittenDown[]) => sumsBy(of, ({ path }) => path, countVisitors);
  return {
    ...Object.fromEntries(
      counted.map((name) => [name, sumsBy(views, ({ names }) => names[name], countVisitors)]),
    ),
    'pages of countries': sumsBy(views, ({ names }) => names.country, paths),
    'countries of /b': sumsBy(ofPage, ({ names }) => names.country, countVisitors),
    'AI clients': sumsBy(ofAi, ({ client }) => `${client?.name} ${client?.proof}`, visitorsAndViews),
    'pages of AI clients': sumsBy(ofAi, ({ client }) => client?.name, paths),
    'AI clients of /b': sumsBy(
      ofPage.filter(({ client }) => client),
      ({ client }) => `${client?.name} null`,
      visitorsAndViews,
    ),
    'landings from assistants': sumsBy(
      views.filter(({ kind, source }) => kind === 'human' && source === 'ChatGPT'),
      ({ source, path }) => `${source} ${path}`,
      visitorsAndViews,
    ),
  };
}

type Row = Count & { visitors: number; views: number } & Record<string, string>;

/** The same by the reports. */
export async function readTraits(client: ProjectClient): Promise<Sums> {
  const rowsOf = async (report: string): Promise<Row[]> => {
    const reply = await client.get<object>(`/v1/analytics/${client.projectId}/${report}`);
    return Object.values(reply).find((value) => Array.isArray(value)) ?? [];
  };
  const countsOf = async (report: string, name: string) =>
    Object.fromEntries(
      (await rowsOf(report)).map(({ [name]: text, human, ai, total }) => [text, { human, ai, total }]),
    );
  const sumsOf = async (report: string, names: readonly string[]) =>
    Object.fromEntries(
      (await rowsOf(report)).map((row) => [
        names.map((name) => String(row[name])).join(' '),
        [row.visitors, row.views],
      ]),
    );
  const pagesOf = async (filter: 'country' | 'client', names: string[]) =>
    Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [
          name,
          await countsOf(`visitors?${filter}=${encodeURIComponent(name)}`, 'path'),
        ]),
      ),
    );
  const byName = await Promise.all(
    counted.map(async (name) => [name, await countsOf(dimensions[name].report, name)] as const),
  );
  const known = Object.fromEntries(byName);
  const clients = await sumsOf('ai-clients', ['client', 'proof']);
  const clientNames = Object.keys(clients).map((name) => name.slice(0, name.lastIndexOf(' ')));
  return {
    ...known,
    'pages of countries': await pagesOf('country', Object.keys(known.country ?? {})),
    'countries of /b': await countsOf('countries?path=/b', 'country'),
    'AI clients': clients,
    'pages of AI clients': await pagesOf('client', [...new Set(clientNames)]),
    'AI clients of /b': await sumsOf('ai-clients?path=/b', ['client', 'proof']),
    'landings from assistants': await sumsOf('assistant-landings', ['assistant', 'path']),
  };
}
