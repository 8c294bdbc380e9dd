import { posix } from 'node:path';
import { decode } from './anchors.ts';
import { isPage, join, type Site } from './site.ts';

/**
 * The addresses at which a site shows a file, the usual one first; none for what is no page. Settings of which nothing is
 * known here may add to them or change them, so a search for a page asks for all.
 */
export function routesOf(site: Site, path: string): string[] {
  if (!isPage(path)) return [];
  const routes = mountsOf(site, rewritten(site, path)).flatMap(({ base, inside }) => {
    const names = nameRoute(site, inside);
    return names.map((name) => foldRoute(`${base}/${name}`));
  });
  return [...new Set(routes)];
}

/** https://vitepress.dev/guide/routing#route-rewrites, where they are written as texts. */
function rewritten({ root, rewrites = [] }: Site, path: string): string {
  const inside = pathIn(root, path);
  if (inside === undefined) return path;
  for (const [from, to] of rewrites) {
    const names: string[] = [];
    const pattern = from
      .split(/(:\w+\*?(?:\(\.\*\))?)/)
      .map((part, index) => {
        if (index % 2 === 0) return RegExp.escape(part);
        names.push(part.replace(/\W/g, ''));
        return /[*)]$/.test(part) ? '(.{1,500}?)' : '([^/]{1,200})';
      })
      .join('');
    const found = new RegExp(`^${pattern}$`).exec(inside);
    if (found)
      return join(
        root,
        to.replace(/:(\w+)\*?/g, (_all, name: string) => found[names.indexOf(name) + 1] ?? ''),
      );
  }
  return path;
}

/** The address at which a site usually shows a file. */
export function routeOf(site: Site, path: string): string | undefined {
  return routesOf(site, path)[0];
}

/** Without what makes no difference to where it leads. */
export function foldRoute(address: string): string {
  const path = decode(address)
    .replace(/\/{2,}/g, '/')
    .replace(/(?:\/index)?(?:\.html?|\.mdx?)?$/, '')
    .replace(/\/$/, '');
  return path === '' ? '/' : path;
}

interface Mount {
  base: string;
  /** The path from there. */
  inside: string;
}

/** Where a page is served from: below the base, at the top, or both where the settings do not say. */
function mountsOf(site: Site, path: string): Mount[] {
  const { framework, root, base } = site;
  const inRoot = pathIn(root, path);
  if (inRoot !== undefined && framework === 'Docusaurus' && !isLatest(site, 'current')) {
    return [`${base}/next`, base].map((at) => ({ base: at, inside: inRoot }));
  }
  if (inRoot !== undefined) {
    const bare = base === '' ? [] : [{ base: '', inside: inRoot }];
    return [{ base, inside: inRoot }, ...bare, ...(root === '' ? [] : [{ base: '', inside: path }])];
  }
  if (framework === 'Docusaurus') return docusaurusMounts(site, path);
  return [{ base: '', inside: path }];
}

function pathIn(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/** Whether it is the version that visitors see without its name in the address. */
function isLatest({ versions = [] }: Site, version: string): boolean {
  return (versions[0] ?? 'current') === version;
}

/** https://docusaurus.io/docs/versioning, https://docusaurus.io/docs/creating-pages and https://docusaurus.io/docs/i18n/introduction */
function docusaurusMounts(site: Site, path: string): Mount[] {
  const { folder, base } = site;
  const pages = pathIn(join(folder, 'src/pages'), path);
  if (pages !== undefined) return [{ base: '', inside: pages }];
  const inside = pathIn(folder, path) ?? path;
  const [, language, plugin, translated] =
    /^i18n\/([^/]+)\/docusaurus-plugin-content-(docs|blog|pages)\/(.*)$/.exec(inside) ?? [];
  const [, version, rest] =
    /^(?:versioned_docs\/)?(?:version-([^/]+)|current)\/(.*)$/.exec(
      plugin === undefined ? inside : plugin === 'docs' ? (translated ?? '') : '',
    ) ?? [];
  const start = language === undefined ? '' : `/${language}`;
  if (rest !== undefined && (plugin === 'docs' || inside.startsWith('versioned_docs/'))) {
    const name = version ?? 'current';
    const named = `${start}${base}/${version ?? 'next'}`;
    const bare = `${start}${base}`;
    const bases = isLatest(site, name) ? [bare, named] : [named, bare];
    return bases.map((at) => ({ base: at, inside: rest }));
  }
  if (plugin === 'blog') return [{ base: `${start}/blog`, inside: translated ?? '' }];
  return [{ base: start, inside: translated ?? inside }];
}

/** The part of an address that a file's own path makes. */
function nameRoute({ framework }: Site, path: string): string[] {
  const stem = path.replace(/\.[^./]+$/, '');
  switch (framework) {
    case 'Docusaurus': {
      const plain = stem
        .split('/')
        .map((name) => name.replace(/^\d+\s*[-_.]+\s*(?=[^\d\s])/, ''))
        .join('/');
      return [
        foldIndex(plain, /^(index|readme)$/i, true),
        foldIndex(stem, /^(index|readme)$/i, true),
        dated(plain),
      ];
    }
    case 'Nextra':
      return [foldIndex(stem.replace(/(^|\/)\([^)]*\)(?=\/)/g, ''), /^(index|page)$/, false)];
    case 'Hugo': {
      const bare = stem.replace(/\.[a-z]{2}(-[A-Za-z]{2})?$/, '');
      return [foldIndex(bare, /^_?index$/, false).toLowerCase(), foldIndex(bare, /^_?index$/, false)];
    }
    case 'Astro Starlight':
      return [foldIndex(slugged(stem), /^index$/, false), foldIndex(stem, /^index$/, false)];
    case 'Jekyll':
      return jekyllNames(stem);
    case 'MkDocs':
    case 'plain Markdown':
      return [foldIndex(stem, /^(index|readme)$/i, false), stem];
    default:
      return [foldIndex(stem, /^index$/, false), stem];
  }
}

/** @param ofFolder whether a file with the name of its folder stands for it, too */
function foldIndex(stem: string, index: RegExp, ofFolder: boolean): string {
  const names = stem.split('/');
  const last = names.at(-1) ?? '';
  const isIndex = index.test(last) || (ofFolder && names.length > 1 && names.at(-2) === last);
  return (isIndex ? names.slice(0, -1) : names).join('/');
}

/** https://jekyllrb.com/docs/permalinks/ and https://jekyllrb.com/docs/collections/ */
function jekyllNames(stem: string): string[] {
  const [, categories = '', date = '', title = ''] =
    /^(?:(.*)\/)?_(?:posts|drafts)\/(?:.*\/)?(?:(\d{4}-\d\d-\d\d)-)?([^/]+)$/.exec(stem) ?? [];
  if (title === '') return [foldIndex(stem.replace(/(^|\/)_/g, '$1'), /^(index|readme)$/i, false), stem];
  const [year, month, day] = date.split('-');
  // Built-in styles, and what people choose most.
  return [
    join(categories, `${year}/${month}/${day}/${title}`),
    join(categories, `${year}/${month}/${title}`),
    join(categories, title),
    `blog/${title}`,
    title,
  ];
}

/** A blog's posts: `2026-11-23-title`. */
function dated(stem: string): string {
  return stem.replace(/(^|\/)(\d{4})-(\d\d)-(\d\d)-/, '$1$2/$3/$4/');
}

function slugged(stem: string): string {
  return stem
    .split('/')
    .map((name) =>
      name
        .toLowerCase()
        .replace(/\s+/g, '-')
        .replace(/[^\p{L}\p{N}_-]/gu, ''),
    )
    .join('/');
}

/** Words that every link to a file has in it. */
export function wordsInLinks(site: Site, path: string): string[] {
  if (!isPage(path)) return [path.slice(path.lastIndexOf('/') + 1)];
  const words = [path, ...routesOf(site, path)].map(lastName).filter((word) => word.length > 1);
  return [...new Set(words)];
}

/** The last part of a path or an address that is not the same for all pages. */
export function lastName(path: string): string {
  const names = path.split('/').map((name) => name.replace(/\.[^.]+$/, ''));
  return names.findLast((name) => name !== '' && !/^(_?index|readme|page)$/i.test(name)) ?? '';
}

const listed = /^[ \t]*-[ \t]+["']?([^"'\s#][^"'\n]{0,300}?)["']?[ \t]*\r?$/gm;

/** The value of a key of front matter, in YAML or TOML; several of a list. */
function valuesOf(head: string, key: string): string[] {
  const found = new RegExp(
    `^["']?${key}["']?[ \\t]*[:=][ \\t]*([^\\r\\n]{0,1000})((?:\\r?\\n[ \\t]*-[ \\t][^\\r\\n]{0,300}){0,50})`,
    'm',
  ).exec(head);
  const [, value = '', list = ''] = found ?? [];
  const bare = value.replace(/[ \t]+#.*$/, '').trim();
  if (bare.startsWith('['))
    return bare
      .split(/[[\],]/)
      .map(unquoted)
      .filter(Boolean);
  if (bare !== '') return [unquoted(bare)];
  return Array.from(list.matchAll(listed), ([, one = '']) => one);
}

const unquoted = (text: string) => text.trim().replace(/^["']|["']$/g, '');

/** What a page says of its own addresses, in its front matter: that of the page, and those that lead to it. */
export function ownRoutesOf(
  site: Site,
  path: string,
  text: string,
): { own: string | undefined; others: string[] } {
  const head =
    text
      .slice(0, 8_000)
      .match(/^\uFEFF?(?:---|\+\+\+)[ \t]*\r?\n([\s\S]*?)^(?:---|\+\+\+)[ \t]*\r?$/m)?.[1] ?? '';
  const [usual = '/'] = routesOf(site, path);
  const folder = posix.dirname(usual);
  const { base = '' } = mountsOf(site, path)[0] ?? {};
  const first = (key: string) => valuesOf(head, key)[0];
  const from = (start: string, route: string) => foldRoute(posix.join('/', start, route));
  const below = (route: string) => (route.startsWith('/') ? from(base, route) : from(folder, route));
  const others = ['aliases', 'redirect_from'].flatMap((key) => valuesOf(head, key)).map(below);
  return { own: findOwn(site, path, { first, from, below, base, folder, usual }), others };
}

interface OwnParts {
  first: (key: string) => string | undefined;
  from: (start: string, route: string) => string;
  below: (route: string) => string;
  base: string;
  folder: string;
  usual: string;
}

function findOwn(
  { framework }: Site,
  path: string,
  { first, from, below, base, folder, usual }: OwnParts,
): string | undefined {
  const slug = first('slug');
  switch (framework) {
    // https://docusaurus.io/docs/api/plugins/@docusaurus/plugin-content-docs#markdown-front-matter
    case 'Docusaurus': {
      const blog = /(?:^|\/)(blog|docusaurus-plugin-content-blog)\//.exec(path)?.[1];
      if (slug !== undefined && blog === 'blog') return from(usual.replace(/(\/blog)\/.*$/, '$1'), slug);
      if (slug !== undefined) return slug.startsWith('/') ? from(base, slug) : from(folder, slug);
      const id = first('id');
      const isIndex = /(^|\/)(index|readme)\.\w+$/i.test(path);
      return id === undefined || isIndex || id.includes('/') ? undefined : from(folder, id);
    }
    // https://gohugo.io/content-management/urls/
    case 'Hugo': {
      const url = first('url');
      if (url !== undefined) return below(url);
      return slug === undefined ? undefined : from(folder, slug);
    }
    case 'Jekyll': {
      const permalink = first('permalink');
      if (permalink !== undefined && !permalink.includes(':')) return from(base, permalink);
      return slug === undefined ? undefined : from(folder, slug);
    }
    case 'Astro Starlight':
      return slug === undefined ? undefined : from(base, slug);
    default: {
      const named = first('permalink') ?? slug ?? first('url');
      return named === undefined || /^\w+:/.test(named) ? undefined : below(named);
    }
  }
}

/** Words of front matter that set an address. */
export const ownRouteWords: readonly string[] = [
  ...['slug:', 'slug =', 'permalink:', 'url:', 'url =', 'id:', 'aliases:', 'aliases =', 'redirect_from:'],
];

/** The pages of a site by their addresses. */
export class Pages {
  readonly #byRoute = new Map<string, string>();

  constructor(site: Site, paths: Iterable<string>) {
    const all = Array.from(paths, (path) => ({ path, routes: routesOf(site, path) }));
    // What an address usually leads to goes before what it could lead to, and pages of the site before others.
    const ranked = all.sort((one, other) => rank(site, one.path) - rank(site, other.path));
    for (const { path, routes } of ranked) this.#add(routes.slice(0, 1), path);
    for (const { path, routes } of ranked) this.#add(routes.slice(1), path);
  }

  #add(routes: readonly string[], path: string): void {
    for (const route of routes) if (!this.#byRoute.has(route)) this.#byRoute.set(route, path);
  }

  /** What a page says of its own addresses. */
  addOwn({ own, others }: ReturnType<typeof ownRoutesOf>, path: string): void {
    for (const route of [...others, ...(own === undefined ? [] : [own])])
      this.#byRoute.set(foldRoute(route), path);
  }

  find(address: string): string | undefined {
    return this.#byRoute.get(foldRoute(address));
  }

  /** An address as visitors see it, where the whole site may be served below some path. */
  findServed(address: string): string | undefined {
    let rest = foldRoute(address);
    for (let dropped = 0; dropped < 3; dropped += 1) {
      const found = this.#byRoute.get(rest);
      if (found !== undefined) return found;
      const next = rest.indexOf('/', 1);
      if (next === -1) return undefined;
      rest = rest.slice(next);
    }
    return undefined;
  }
}

function rank({ root }: Site, path: string): number {
  return pathIn(root, path) === undefined ? 1 : 0;
}
