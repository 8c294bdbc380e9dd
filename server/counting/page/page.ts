import { memoize } from '../../memo.ts';
import { type Campaign, readCampaign } from './campaign.ts';

/** Where a view happened, as the counts know it. */
export interface Page {
  /** Host name without port, lower case. */
  readonly host: string;
  readonly path: string;
  readonly campaign: Campaign;
}

const maxPathLength = 1024;

/**
 * Reads the address of a page; undefined for what is not an absolute http(s) URL.
 *
 * The path has the normal form of RFC 3986, section 6.2.2 (so `/%7Eanna/caf%c3%a9/` is `/~anna/caf%C3%A9`, however its é is composed), no
 * trailing slash except the root's, no query except the parameters to keep, and no fragment unless the site
 * routes by it.
 */
export function parsePage(
  address: string,
  keptParameters: readonly string[],
  hashRoutes: boolean,
): Page | undefined {
  // Queries are often those of one visit, and fragments of one reader.
  return /[?#]/.test(address)
    ? readPage(address, keptParameters, hashRoutes)
    : (readPlainPage(address) ?? undefined);
}

/** Many views are of few pages. */
const readPlainPage = memoize((address: string) => readPage(address, [], false) ?? null, 10_000);

function readPage(address: string, keptParameters: readonly string[], hashRoutes: boolean): Page | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  const path = withoutTrailingSlash(url.pathname) || '/';
  const query = keptQuery(url, keptParameters);
  const route = hashRoutes ? hashRoute(url.hash) : '';
  return {
    host: url.hostname.replace(/\.$/, ''),
    path: cut(normalizeEscapes(path + query + route)),
    campaign: readCampaign(url),
  };
}

function withoutTrailingSlash(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 47) end--;
  return text.slice(0, end);
}

function keptQuery(url: URL, keptParameters: readonly string[]): string {
  if (keptParameters.length === 0 || url.search === '') return '';
  const kept = keptParameters.flatMap((name) => url.searchParams.getAll(name).map((value) => [name, value]));
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/** `#/settings/?tab=2` is the route `#/settings`; `#/` is the page itself. */
function hashRoute(fragment: string): string {
  const [route = ''] = fragment.slice(1).split('?', 1);
  const trimmed = withoutTrailingSlash(route);
  return trimmed === '' || trimmed === '!' ? '' : `#${trimmed}`;
}

/** The normal form of RFC 3986, section 6.2.2, with letters and their marks composed (Unicode's form C). */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  const normal = text.replace(/%([0-9a-f]{2})?/gi, (_, hex: string | undefined) => {
    if (hex === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${hex.toUpperCase()}`;
  });
  return /%[C-F]/.test(normal) ? normal.replace(/[A-Za-z]?(?:%[89A-F][0-9A-F])+/g, compose) : normal;
}

/** Bytes that are no UTF-8 stay as they are. */
function compose(escaped: string): string {
  try {
    const text = decodeURIComponent(escaped);
    const composed = text.normalize('NFC');
    return composed === text ? escaped : encodeURIComponent(composed);
  } catch {
    return escaped;
  }
}

/** Cuts without leaving half an escape or half a character behind. */
function cut(path: string): string {
  if (path.length <= maxPathLength) return path;
  return path
    .slice(0, maxPathLength)
    .replace(/%[0-9A-F]?$/, '')
    .toWellFormed();
}
