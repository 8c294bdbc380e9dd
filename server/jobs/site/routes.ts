import { decode } from './anchors.ts';
import { isPage, join, type Site } from './site.ts';

/**
 * The addresses at which a site shows a file, the usual one first; none for what is no page. Settings of which nothing is
 * known here may add to them or change them, so whoever looks for a page asks for all.
 */
export function routesOf(site: Site, path: string): string[] {
  if (!isPage(path)) return [];
  const routes = mountsOf(site, path).flatMap(({ base, inside }) => {
    const names = nameRoute(site, inside);
    return names.map((name) => foldRoute(`${base}/${name}`));
  });
  return [...new Set(routes)];
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

/** Where a page is served from: below the base, at the top, or both where the settings do not tell. */
function mountsOf({ framework, root, folder, base }: Site, path: string): Mount[] {
  const inRoot = pathIn(root, path);
  if (inRoot !== undefined) {
    const bare = base === '' ? [] : [{ base: '', inside: inRoot }];
    return [{ base, inside: inRoot }, ...bare, ...(root === '' ? [] : [{ base: '', inside: path }])];
  }
  if (framework === 'Docusaurus') return docusaurusMounts(folder, path);
  return [{ base: '', inside: path }];
}

function pathIn(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/** https://docusaurus.io/docs/versioning and https://docusaurus.io/docs/creating-pages */
function docusaurusMounts(folder: string, path: string): Mount[] {
  const pages = pathIn(join(folder, 'src/pages'), path);
  if (pages !== undefined) return [{ base: '', inside: pages }];
  const [, version, versioned] =
    /^versioned_docs\/version-([^/]+)\/(.*)$/.exec(pathIn(folder, path) ?? '') ?? [];
  if (versioned !== undefined)
    return [
      { base: `/docs/${version}`, inside: versioned },
      { base: '/docs', inside: versioned },
    ];
  return [{ base: '', inside: pathIn(folder, path) ?? path }];
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

  /** What a page says of its own address. */
  addRoute(route: string, path: string): void {
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
