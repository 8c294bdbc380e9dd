import { assetPath, healthCheck } from '../../../shared/project/page-rules.ts';
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

/** Assets that a log is likelier to tell of than a site that reports its pages, which has no room for them. */
const otherAsset = /\.(atom|bmp|cjs|dmg|docx?|eot|exe|m4[av]|mov|og[gv]|otf|pptx?|rar|tgz|wav|xlsx?|7z)$/i;

/** Whether what was sent as this is a page, whatever its name; a plain text may be anything. */
export function isPageByType(contentType: string): boolean {
  return /html|markdown/i.test(contentType);
}

/** Whether a page can have this name; every ending that is not named may be a page's. @param path in its normal form, without a query */
export function isPageByName(path: string): boolean {
  return !assetPath.test(path) && !otherAsset.test(path) && !healthCheck.test(path);
}

/** Where scanners suppose an application besides the root. */
const folder = '(/(api|app|backend|blog|cms|new|old|public|shop|site|src|test|web|wordpress|wp|www))?';

/**
 * What scanners ask every site for, and no site shows anybody: a page about one of these has another name, or lies
 * deeper. Many sites answer whatever they do not have with their start page, so that no status tells.
 */
const probes = [
  // Hidden files; /.md is the text of a page.
  String.raw`/\.(?!well-known(/|$)|mdx?$)\w.*`,
  String.raw`${folder}/\.(aws|env|git|hg|ssh|svn)([./].*)?`,
  // Programs of WordPress. Its pages are called as their author likes.
  String.raw`${folder}/(wp-[\w-]+|xmlrpc)\.php(\W.*)?`,
  String.raw`${folder}/wp-(admin|content|includes)/.*\.php`,
  `${folder}/wp-json/.+`,
  '/wp-(admin|includes|json)(/.*)?',
  // Programs that manage databases or servers.
  String.raw`${folder}/(adminer|phpinfo)\.php`,
  String.raw`${folder}/(phpmyadmin|pma|vendor/phpunit)/.*\.php`,
  `${folder}/(_ignition|_profiler)/.+`,
  `${folder}/actuator/(env|gateway|heapdump|mappings).*`,
  '/(boaform|cgi-bin/luci|gponform|hnap1|owa/auth)(/.*)?',
  // Copies that editors, archivers and hands leave behind, also of what is no page.
  String.raw`(/[^/]+)?/[^/]+(~|\.(bak|backup|bkp|old|orig|save|saved|sw[nop]|tmp|temp)\d?)`,
  // Secrets, settings and state of programs, keys, and dumps of databases and of whole sites.
  String.raw`${folder}/(docker-)?compose[\w.-]*\.ya?ml`,
  String.raw`${folder}/(application|appsettings|config|configuration|credentials?|database|local[._-]settings|parameters|secrets?|service-?account(-?key)?|settings|users?)([._-](dev|development|local|prod|production|staging|test))?\.(conf|config|env|inc|ini|json|php|properties|toml|xml|ya?ml)`,
  String.raw`${folder}/(web\.config|composer\.(json|lock)|package-lock\.json|yarn\.lock|[\w.-]*\.tf(state|vars)[\w.-]*)`,
  String.raw`${folder}/(id_(dsa|ecdsa|ed25519|rsa)(\.pub)?|[\w.-]+\.(jks|kdbx|key|keystore|p12|pem|pfx|ppk))`,
  String.raw`(/[^/]+)?/[\w.-]+\.(db|dump|mdb|sql|sqlite3?)(\.(7z|bz2|gz|rar|tar|tar\.gz|tgz|xz|zip))?`,
  String.raw`(/[^/]+)?/(archive|backups?|data|database|db|dump|full|htdocs|html|mysql|old|public_html|site|source|src|web|website|wordpress|wp|www|wwwroot)[\w.-]*\.(7z|bz2|gz|rar|tar|tgz|xz|zip)`,
  String.raw`(${folder}|/storage/logs|/logs?)/[\w-]+\.log`,
  // Consoles and states of servers, and files of the machine through a server for developers.
  '/@(fs|vite)/.*',
  '(/[^/]+)*/(etc/passwd|proc/self/environ)',
  String.raw`${folder}/(info|php[_-]?info|infophp|pinfo)\.php\d?`,
  '/(server-(info|status)|jmx-console|web-console|jolokia|_cat|_cluster|_all_dbs|_utils|nacos|solr|geoserver/web|druid/indexer|v2/_catalog|invoker|ecp)(/.*)?',
  '/(debug/(default/view|pprof|vars)|manager/(html|status|text)|jenkins/(login|script))(/.*)?',
  '/telescope/(client-requests|commands|exceptions|jobs|logs|queries|requests|schedule|telescope-api.*)?',
  String.raw`/(elmah|trace)\.axd`,
];

const probe = new RegExp(`^(?:${probes.join('|')})$`, 'i');

/** @param path in its normal form, without a query */
export const isProbe = memoize((path: string) => probe.test(path), 10_000);

/** `/docs/llms.txt`; the longer and shorter ones are those that tools and frameworks make beside it. */
const llmsText = /^(.*)\/llms(?:-full|-small|-medium|-ctx|-ctx-full)?\.txt$/;
/** `/page.md`, and `/page.html.md` as https://llmstxt.org has it; `.mdx` is what some documentation servers say. */
const markdown = /^(.*)\/([^/]+)\.mdx?$/;

/** The path that views of this one count under: where the project does not count twins as files, that of their page. */
export function untwinned(path: string, { countTwinsAs }: { countTwinsAs: 'page' | 'file' }): string {
  return countTwinsAs === 'file' ? path : pageOfTwin(path);
}

/**
 * The path of the page that a text for machines stands for: `/page.md` is `/page`, `/page.html.md` is `/page.html`,
 * `/docs/index.md`, `/docs/index.html.md` and `/docs/llms.txt` are `/docs`. All others are pages of their own, also
 * names in capitals, as nobody writes `/README` for `/README.md`.
 *
 * @param path in the normal form of `parsePage`; a kept query and a route stay
 */
function pageOfTwin(path: string): string {
  const end = path.search(/[?#]/);
  const file = end === -1 ? path : path.slice(0, end);
  const page = pageOfFile(file);
  return page === file ? path : page + path.slice(file.length);
}

function pageOfFile(file: string): string {
  const llms = llmsText.exec(file);
  if (llms) return llms[1] || '/';
  const [, folder = '', name = ''] = markdown.exec(file) ?? [];
  if (name === '' || /^[A-Z][A-Z0-9_-]+$/.test(name)) return file;
  return /^index(?:\.html?)?$/.test(name) ? folder || '/' : `${folder}/${name}`;
}
