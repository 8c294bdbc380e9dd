import { assetPath, healthCheck } from '../../../shared/project/page-rules.ts';
import type { Dimension } from '../../../shared/reports/dimensions.ts';
import { memoize } from '../../memo.ts';

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
  const query = url.search === '' ? '' : keptQuery(url, keptParameters);
  const route = hashRoutes ? hashRoute(url.hash) : '';
  return {
    host: url.hostname.replace(/\.$/, ''),
    path: cut(normalizeEscapes(path + query + route)),
    campaign: url.search === '' ? noCampaign : readCampaign(url),
  };
}

function withoutTrailingSlash(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 47) end--;
  return text.slice(0, end);
}

function keptQuery(url: URL, keptParameters: readonly string[]): string {
  if (keptParameters.length === 0) return '';
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

/** Assets that are usual in a log, and rare in reports of a site's pages, which have no room for them. */
const otherAsset = /\.(atom|bmp|cjs|dmg|docx?|eot|exe|m4[av]|mov|og[gv]|otf|pptx?|rar|tgz|wav|xlsx?|7z)$/i;

/** Whether a response of this type is a page, whatever its name; plain text may be anything. */
export function isPageByType(contentType: string): boolean {
  return /html|markdown/i.test(contentType);
}

/** Whether a page can have this name; every ending that is not named may be a page's. @param path in its normal form, without a query */
export function isPageByName(path: string): boolean {
  return !assetPath.test(path) && !otherAsset.test(path) && !healthCheck.test(path);
}

/** Folders besides the root where scanners look for an application. */
const folder = '(/(api|app|backend|blog|cms|new|old|public|shop|site|src|test|web|wordpress|wp|www))?';

/**
 * Paths that scanners request on every site, and that no site publishes: a page about one of these has another name, or
 * is deeper. Many sites answer unknown paths with their start page, so that the status does not show it.
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
  // Copies that editors, archivers and people leave behind, also of files that are no pages.
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

/** `/docs/llms.txt`; tools and frameworks also make longer and shorter ones. */
const llmsText = /^(.*)\/llms(?:-full|-small|-medium|-ctx|-ctx-full)?\.txt$/;
/** `/page.md`, and `/page.html.md` as https://llmstxt.org has it; some documentation servers use `.mdx`. */
const markdown = /^(.*)\/([^/]+)\.mdx?$/;

/** The path that views of this one count under: that of the page, unless the project counts Markdown versions as files. */
export function untwinned(path: string, { countTwinsAs }: { countTwinsAs: 'page' | 'file' }): string {
  return countTwinsAs === 'file' ? path : pageOfTwin(path);
}

/**
 * The path of the page that a text for machines is a version of: `/page.md` is `/page`, `/page.html.md` is `/page.html`,
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

/** RFC 9562; escapes are matched apart, as an escaped brace in front of it ends in hexadecimal digits too. */
const uuid = /%[\dA-F]{2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** Header, payload and signature (RFC 7515), or the five parts of RFC 7516; `eyJ` is how `{"` begins in base64url. */
const webToken = /eyJ[\w-]{10,}(?:\.[\w-]*){1,4}/g;

/** Where an address has its @, which some senders escape twice. */
const atSign = /@|%40|%2540/i;
/** The characters before it (RFC 5322 without quotes, and without those that end a part of a path), and after it; a source is not escaped. */
const localPart = /(?<!%[\dA-F]?)(?:[\w.!#$'*+^`{|}~\u0080-\uFFFF-]|%(?!40|2F)[\dA-F]{2})+$/i;
const domain =
  /^(?:(?:[a-z\d\u0080-\uFFFF-]|%(?!40|2F)[\dA-F]{2})+\.)+(?!(?:avif|css|gif|html?|jpe?g|js|json|mjs|pdf|php|png|svg|txt|webp|xml)(?![a-z\d]))(?:xn--[a-z\d-]+|(?:[a-z\u0080-\uFFFF]|%[89A-F][\dA-F]){2,})/i;

/** Runs of base64, in either alphabet; escapes of other characters are matched apart, so that none is cut in two. */
const base64Run = /(?:[\w+-]|%2[BF])+(?:=|%3D)*|%[\dA-F]{2}/g;

/**
 * The path without personal data and secrets: e-mail addresses become `:email`, UUIDs `:id`, and long
 * random tokens `:token`.
 *
 * @param path in the normal form of `parsePage`; values of a kept query and a route are treated alike
 */
export const maskPersonalParts: (path: string) => string = memoize(
  (path) => maskTokens(maskAddresses(path).replace(webToken, ':token').replace(uuid, maskId)),
  10_000,
);

function maskAddresses(path: string): string {
  let done = '';
  let rest = path;
  for (let found = atSign.exec(rest); found; found = atSign.exec(rest)) {
    const end = found.index + found[0].length;
    const before = localPart.exec(rest.slice(0, found.index))?.[0] ?? '';
    const after = domain.exec(rest.slice(end))?.[0];
    // `a@b.cc@d.ee` is one, as the placeholder of the first would else be read as the name in the second.
    const goesOn = found.index === 0 && done.endsWith(':email') && after !== undefined;
    const isAddress = before !== '' && after !== undefined;
    if (!goesOn)
      done += isAddress ? `${rest.slice(0, found.index - before.length)}:email` : rest.slice(0, end);
    rest = rest.slice(end + (goesOn || isAddress ? after.length : 0));
  }
  return done + rest;
}

function maskId(text: string): string {
  return text.startsWith('%') ? text : ':id';
}

function maskTokens(path: string): string {
  return path.replace(base64Run, (text) => {
    if (isRandomText(text)) return ':token';
    // Or some of its words are: a title with a token behind it.
    return text.replace(/[^+_-]+/g, (word) => (isRandomText(word) ? ':token' : word));
  });
}

/** The path that a view counts under. */
export function countedPath(path: string, { personalPaths }: { personalPaths: 'mask' | 'keep' }): string {
  return personalPaths === 'keep' ? path : maskPersonalParts(path);
}

/** Shorter ones may as well be a number of an article or the hash of a version. */
const minTokenLength = 20;

const hexadecimal = /^(?:[\da-f]+|[\dA-F]+)$/;
/** Separators of words, here and in base64. */
const separators = /(?:[_+=-]|%2[BF]|%3D)+/;
/** Hardly ever found between the separators of a random text. */
const plainWord = /^(?:[A-Z]?[a-z]{4,}|[A-Z]{5,})$/;
/** `getHTTPStatus2` is `get`, `HTTP`, `Status` and `2`. */
const wordPiece = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g;

/**
 * How much of a text has to speak against words; measured on 64,000 names of program interfaces and sentences in twenty
 * languages, of which it takes none or next to none, and on random texts, of which it takes all but 1 to 2 in 100. With
 * letters of one case there is less to go by: of these it misses 1 in 10.
 */
const minOddity = { mixedCase: 0.46, oneCase: 0.4 };

/**
 * Whether a text of letters, digits and hyphens was drawn by lot: 20 hexadecimal digits and more, or a mix of
 * letters and digits that falls apart into pieces too short to be words.
 */
function isRandomText(text: string): boolean {
  if (text.length < minTokenLength) return false;
  if (hexadecimal.test(text)) return true;
  const hasLower = /[a-z]/.test(text);
  const hasUpper = /[A-Z]/.test(text);
  // Letters of one case are words, however long.
  if (!(hasLower && hasUpper) && !/\d/.test(text)) return false;
  return oddity(text) >= (hasLower && hasUpper ? minOddity.mixedCase : minOddity.oneCase);
}

/** How often a word changes between cases and digits, and how much of it is in pieces that are no words, by its length. */
function oddity(text: string): number {
  let length = 0;
  let odd = 0;
  for (const word of text.split(separators)) {
    if (plainWord.test(word)) return 0;
    const pieces = word.match(wordPiece) ?? [];
    length += word.length;
    if (pieces.length < 2) continue;
    odd += pieces.length - 1;
    for (const part of pieces) if (isOdd(part)) odd += part.length / 2;
  }
  return length < minTokenLength / 2 ? 0 : odd / length;
}

function isOdd(piece: string): boolean {
  return piece.length <= 2 || /^[^aeiouy\d]+$/i.test(piece);
}

/** Dimensions of campaigns, each with its parameter in the address of a page. */
const parameters = {
  utmSource: 'utm_source',
  utmMedium: 'utm_medium',
  utmCampaign: 'utm_campaign',
  ref: 'ref',
} as const satisfies Partial<Record<Dimension, string>>;

type Tag = keyof typeof parameters;
export type ByTag<Value> = Readonly<Record<Tag, Value>>;

const tags = Object.keys(parameters) as Tag[];

export function byTag<Value>(of: (tag: Tag) => Value): ByTag<Value> {
  return Object.fromEntries(tags.map((tag) => [tag, of(tag)])) as ByTag<Value>;
}

/** The campaign in the address of a page. */
export type Campaign = ByTag<string | null>;

export const noCampaign: Campaign = byTag(() => null);

const maxTagLength = 100;

/** The first value of each parameter. */
export function readCampaign({ search, searchParams }: URL): Campaign {
  if (!/utm_|ref=/.test(search)) return noCampaign;
  return byTag((tag) => searchParams.get(parameters[tag]));
}

/** As it is counted: trimmed, without personal data, and cut to a length that a table shows. */
export function countedCampaign(
  campaign: Campaign,
  settings: { readonly personalPaths: 'mask' | 'keep' },
): Campaign {
  if (campaign === noCampaign) return campaign;
  const counted = (text: string | null) =>
    text === null ? null : trimTag(countedPath(text.slice(0, 10 * maxTagLength), settings)) || null;
  return byTag((tag) => counted(campaign[tag]));
}

const trimTag = memoize(
  (text) => Array.from(text.trim()).slice(0, maxTagLength).join('').trim().toWellFormed(),
  10_000,
);
