import { posix } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { parseDocument, visit } from 'yaml';
import { findRenameFault, type Rename } from '../../shared/project/renames.ts';

/** Renames among the redirects of a site, and how many are none. */
interface Redirects {
  renames: Rename[];
  left: number;
}

export interface RedirectFile {
  path: string;
  text: string;
}

const names =
  /^(?:_redirects|netlify\.toml|vercel\.json|(?:docs|mint)\.json|(?:docs|mkdocs)\.ya?ml|redocly\.ya?ml|\.gitbook\.ya?ml)$/;

export const isRedirectFile = (path: string) => names.test(posix.basename(path));

/**
 * Undefined: it cannot be read.
 *
 * @param path of the file; what is sent without a name is taken for `_redirects` where it is nothing else
 * @param text of `_redirects` (Netlify, Cloudflare), `netlify.toml`, `vercel.json`, `docs.json` or `mint.json` (Mintlify),
 *   `docs.yml` (Fern), `redocly.yaml`, `.gitbook.yaml` or `mkdocs.yml` (mkdocs-redirects)
 */
export function readRedirects({ path, text }: RedirectFile): Redirects | undefined {
  const found = listRedirects(path, text);
  if (!found) return undefined;
  const renames = new Map<string, Rename>();
  let left = 0;
  for (const [from, to] of found) {
    const rename = toRename(from, to);
    // Of several for one path the first is followed.
    if (rename && !renames.has(rename.from)) renames.set(rename.from, rename);
    else left++;
  }
  return { renames: [...renames.values()], left };
}

/** Empty: it is no plain redirect. */
type Redirect = [from: string, to: string];

const notPlain: Redirect = ['', ''];

function listRedirects(path: string, text: string): Redirect[] | undefined {
  try {
    if (/^\s*(?:\{|\[\s*[{\]])/.test(text)) return readList(redirectsOf(JSON.parse(text)) ?? []);
    if (/^[ \t]*(?:\[\[ *redirects *\]\]|redirects *=)/m.test(text))
      return readList(redirectsOf(parseToml(text)));
    if (/^[ \t-]*(?:redirects|redirect_maps)[ \t]*:/m.test(text)) return readYaml(text);
  } catch {
    return undefined;
  }
  return posix.basename(path) === '_redirects' ? readLines(text) : [];
}

/** Mintlify and others can have the list alone. */
const redirectsOf = (file: unknown): unknown =>
  Array.isArray(file) ? file : (file as { redirects?: unknown }).redirects;

/** Undefined: there are lines, and none begins with a path or an address. */
function readLines(text: string): Redirect[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  if (lines.length > 0 && !lines.some((line) => /^(?:\/|https?:)/.test(line))) return undefined;
  return lines.map((line): Redirect => {
    const [from = '', to = '', status = '301', ...conditions] = line.split(/\s+/);
    return isRedirect(status) && conditions.length === 0 ? [from, to] : notPlain;
  });
}

const isRedirect = (status: unknown) => /^30[1278]!?$/.test(String(status));

/** What a redirect may depend on besides its path, in the words of Vercel and Netlify. */
const conditions = ['has', 'missing', 'conditions', 'query'];

function readList(list: unknown): Redirect[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((one: Record<string, unknown> | null): Redirect => {
    const { source, destination, from = source, to = destination, status, statusCode = status } = one ?? {};
    if (conditions.some((name) => one?.[name] !== undefined)) return notPlain;
    if (statusCode !== undefined && !isRedirect(statusCode)) return notPlain;
    // A pattern, besides one for all that follows.
    if (/[()]/.test(String(from).replace(/\/\(\.\*\)$/, ''))) return notPlain;
    return [String(from ?? ''), String(to ?? '')];
  });
}

interface YamlFile {
  redirects?: unknown;
  plugins?: unknown;
  site_url?: unknown;
  use_directory_urls?: unknown;
}

/** With more, a file of a few lines can be written to take for ever. */
const maxAliases = 50;

function readYaml(text: string): Redirect[] | undefined {
  // To look for keys that come twice takes the square of their number.
  const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false });
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases++;
    },
  });
  if (document.errors.length > 0 || aliases > maxAliases) return undefined;
  const file = document.toJS({ maxAliasCount: 10 }) as YamlFile;
  if (file.redirects !== undefined) return readList(file.redirects) ?? readMap(file.redirects, '');
  const plugins = Array.isArray(file.plugins) ? file.plugins : [file.plugins];
  const folder = URL.parse(String(file.site_url))?.pathname ?? '';
  const maps = plugins.flatMap((plugin) => {
    const map = plugin?.redirects?.redirect_maps;
    return map === undefined ? [] : [readMap(map, folder, file.use_directory_urls === false ? '.html' : '')];
  });
  return maps.includes(undefined) ? undefined : maps.flatMap((map) => map ?? []);
}

/** By the old page, its new one: paths, or files of pages. Undefined: it is no map. @param suffix of their addresses */
function readMap(map: unknown, folder: string, suffix = ''): Redirect[] | undefined {
  if (typeof map !== 'object' || Array.isArray(map)) return undefined;
  const pathOf = (page: string) => {
    if (/^(?:[a-z]+:|\/\/)/.test(page)) return page;
    const path = page
      .replace(/(^|\/)(?:index|README)\.md$/, suffix === '' ? '$1' : '$1index.md')
      .replace(/\.md$/, suffix);
    return `/${folder}/${path}`.replace(/\/{2,}/g, '/');
  };
  return Object.entries(map ?? {}).map(([from, to]: [string, unknown]) => {
    const target = typeof to === 'string' ? to : (to as { to?: unknown } | null)?.to;
    return typeof target === 'string' ? [pathOf(from), pathOf(target)] : notPlain;
  });
}

/** `/old/*`, `/old/:slug*` and `/old/(.*)` are all below a path. */
function toRename(from: string, to: string): Rename | undefined {
  const rename = wholeFolder(from, to) ?? { from, to };
  const isPath = (path: string) => /^\/(?!\/)[^:*?#]*$/.test(path.replace(/\/\*\*$/, '/'));
  const isRename = isPath(rename.from) && isPath(rename.to) && findRenameFault(rename) === undefined;
  return isRename ? rename : undefined;
}

function wholeFolder(from: string, to: string): Rename | undefined {
  const [, folder, name] = /^(.*)\/(?:\*|:(\w+)\*|\(\.\*\))$/.exec(from) ?? [];
  if (folder === undefined) return undefined;
  // Redocly has `/new/*`.
  const rest = [name === undefined ? ':splat' : `:${name}*`, '$1', '*'].find((each) =>
    to.endsWith(`/${each}`),
  );
  return { from: `${folder}/**`, to: rest === undefined ? to : `${to.slice(0, -rest.length)}**` };
}
