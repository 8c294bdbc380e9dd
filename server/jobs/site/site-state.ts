import { posix } from 'node:path';
import { decode, hasAnchor, readAnchors } from './anchors.ts';
import { leadsOutside, splitTarget } from './links.ts';
import { foldRoute, ownRoutesOf, ownRouteWords, Pages, routesOf } from './routes.ts';
import { isPage, join, type Site, type SiteFiles } from './site.ts';

/** Files of a commit, with a search through them. */
export interface SearchedFiles extends SiteFiles {
  /** Begins to read what will be asked for, all at once. */
  bring: (paths: readonly string[]) => void;
  /** Files that hold one of these texts, in any order; not all where there are very many. */
  find: (texts: readonly string[]) => Promise<string[]>;
}

type Resolved = 'outside' | 'nothing' | 'something' | { path: string };

const extensions = ['.md', '.mdx', '.markdown', '.rst', '.mdoc', '.txt'];
const indexes = ['index', 'README', 'readme', '_index'];
/** Where files are served from as they are. */
const staticFolders = ['public', 'static', 'assets', '_static'];
const imageForms = ['png', 'svg', 'jpg', 'jpeg', 'gif', 'webp', 'pdf'];
/** What puts headings of other files into a page. */
const includes = /^import\s.{0,300}\.mdx?['"]|--8<--|\{%|\{\{[<%]|<Snippet|<!--[ \t]*@include|\{include\}/m;
/** A site as it is in one commit: where its links lead. */
export class SiteState {
  readonly site: Site;
  readonly #files: SearchedFiles;
  readonly paths: ReadonlySet<string>;
  readonly #folders = new Set<string>();
  readonly #pages: Pages;
  readonly #redirects = new Redirects();
  readonly #anchors = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  #own: Promise<void> | undefined;

  constructor(site: Site, files: SearchedFiles) {
    this.site = site;
    this.#files = files;
    this.paths = new Set(files.paths);
    this.#pages = new Pages(site, files.paths);
    for (const path of files.paths) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        this.#folders.add(path.slice(0, end));
      }
    }
  }

  read(path: string): Promise<string | undefined> {
    return this.#files.read(path);
  }

  bring(paths: readonly string[]): void {
    this.#files.bring(paths);
  }

  find(texts: readonly string[]): Promise<string[]> {
    return this.#files.find(texts);
  }

  /** Where a link of a page leads. What is not known counts as leading outside. */
  async resolve(from: string, target: string): Promise<Resolved> {
    if (leadsOutside(target)) return 'outside';
    const found = this.#resolveNow(from, target);
    if (found !== 'nothing') return found;
    // Seldom needed, as it looks into many pages.
    this.#own ??= this.#readOwnRoutes();
    await this.#own;
    return this.#resolveNow(from, target);
  }

  /** Whether the page has what the fragment names; also where that is not known. */
  async hasFragment(path: string, fragment: string): Promise<boolean> {
    if (!isPage(path) || /\.rst$/i.test(path)) return true;
    const anchors = this.#anchors.get(path) ?? this.#readAnchors(path);
    this.#anchors.set(path, anchors);
    const found = await anchors;
    return found === undefined || hasAnchor(found, fragment);
  }

  async #readAnchors(path: string): Promise<ReadonlySet<string> | undefined> {
    const text = await this.read(path);
    const isMade =
      text !== undefined &&
      (includes.test(text) || (this.site.framework === 'MkDocs' && /^::: /m.test(text)));
    return text === undefined || isMade ? undefined : readAnchors(path, text);
  }

  #resolveNow(from: string, target: string): Resolved {
    const { path } = splitTarget(target);
    if (path.endsWith('.*')) return this.#resolveImages(from, path.slice(0, -1));
    if (path === '') return { path: from };
    if (path.startsWith('@site/')) return this.#file(posix.join(this.site.folder, decode(path.slice(6))));
    if (path.startsWith('~') || path.startsWith('@')) return 'outside';
    return path.startsWith('/')
      ? this.#resolveAddress(decode(path))
      : this.#resolveRelative(from, decode(path));
  }

  /** Sphinx takes the form of an image that suits what it builds. */
  #resolveImages(from: string, stem: string): Resolved {
    const isThere = imageForms.some((form) => this.#resolveNow(from, stem + form) !== 'nothing');
    return isThere ? 'something' : 'nothing';
  }

  #resolveAddress(address: string): Resolved {
    const page = this.#pages.find(address);
    if (page !== undefined) return { path: page };
    const { base } = this.site;
    const original = this.#pages.find(withoutLanguage(address));
    if (original !== undefined) return { path: original };
    const isBelow = base !== '' && `${address}/`.startsWith(`${base}/`);
    for (const part of isBelow ? [address, address.slice(base.length)] : [address]) {
      const found = this.#resolveStatic(part.replace(/^\/+|\/+$/g, ''));
      if (found !== 'nothing') return found;
    }
    return this.#redirects.has(address) ? 'something' : 'nothing';
  }

  #resolveStatic(inside: string): Resolved {
    const { folder, root } = this.site;
    const places = [root, folder, ''].flatMap((at) =>
      ['', ...staticFolders].map((name) => join(at, name, inside)),
    );
    for (const place of places) {
      const found = this.#file(place);
      if (found !== 'nothing') return found;
    }
    return 'nothing';
  }

  #resolveRelative(from: string, path: string): Resolved {
    const file = posix.join(posix.dirname(from), path).replace(/\/$/, '');
    const found = file.startsWith('..') ? 'nothing' : this.#file(file === '.' ? '' : file);
    if (found !== 'nothing') return found;
    for (const route of routesOf(this.site, from)) {
      for (const start of [route, `${route}/`]) {
        const seen = decode(new URL(encodeURI(path), `http://site.invalid${encodeURI(start)}`).pathname);
        const served = this.#resolveAddress(seen);
        if (served !== 'nothing') return served;
      }
    }
    // What is put into other pages has their addresses.
    return /(^|\/)(_[^/]*|snippets?|includes?|partials?)(\/|$)/i.test(from) ? 'outside' : 'nothing';
  }

  #file(path: string): Resolved {
    const exact = [path, ...extensions.map((extension) => path + extension)].find((name) =>
      this.paths.has(name),
    );
    if (exact !== undefined) return { path: exact };
    const inside = indexes.flatMap((name) => extensions.map((extension) => join(path, name + extension)));
    const index = inside.find((name) => this.paths.has(name));
    if (index !== undefined) return { path: index };
    // Many generators make a page of a folder.
    return path === '' || this.#folders.has(path) ? 'something' : 'nothing';
  }

  async #readOwnRoutes(): Promise<void> {
    const redirects = listRedirectFiles(this.site, this.paths);
    this.bring(redirects);
    for (const path of redirects) {
      const text = await this.read(path);
      if (text !== undefined) this.#redirects.add(this.site, path, text);
    }
    const pages = (await this.find(ownRouteWords)).filter(isPage);
    this.bring(pages);
    for (const path of pages) {
      const text = await this.read(path);
      if (text !== undefined) this.#pages.addOwn(ownRoutesOf(this.site, path, text), path);
    }
  }
}

/** Many generators show a page that is not translated in the language that it has. */
function withoutLanguage(address: string): string {
  return address.replace(/^\/[a-z]{2,3}(?:-[A-Za-z]{2,4})?(?=\/)/, '');
}

/** Files that may hold redirects, seen from the folder of the site. */
const redirectFiles = [
  ...['docs.json', 'mint.json', 'redirects.json', 'vercel.json', 'netlify.toml', 'mkdocs.yml', 'mkdocs.yaml'],
  ...['_redirects', 'public/_redirects', 'static/_redirects'],
];

/** Which of these files hold redirects. */
function listRedirectFiles({ folder, navigation }: Site, paths: ReadonlySet<string>): string[] {
  const named = redirectFiles.flatMap((name) => [name, join(folder, name)]);
  const settings = [...paths].filter((path) => /(^|\/)docusaurus\.config\.[cm]?[jt]s$/.test(path));
  return [...new Set([...named, ...navigation, ...settings])].filter((path) => paths.has(path));
}

/** Addresses that a site leads elsewhere. */
export class Redirects {
  readonly #exact = new Set<string>();
  readonly #beginnings: string[] = [];

  /** Reads one file; programs are looked through, never run. */
  add(site: Site, path: string, text: string): void {
    for (const source of readSources(site, path, text)) {
      const wild = /[:*]/.exec(source);
      if (wild) this.#beginnings.push(source.slice(0, wild.index));
      else this.#exact.add(foldRoute(source));
    }
  }

  has(address: string): boolean {
    const route = foldRoute(address);
    return (
      this.#exact.has(route) || this.#beginnings.some((start) => start.length > 1 && route.startsWith(start))
    );
  }
}

function readSources(site: Site, path: string, text: string): string[] {
  if (/\.json$/.test(path)) return readJson(text);
  if (/_redirects$/.test(path)) return matchAll(/^(\/\S{0,1000})[ \t]+\S/gm, text);
  if (/\.ya?ml$/.test(path)) {
    return matchAll(/^[ \t]+["']?([^\s"':#]{1,500}\.md)["']?:[ \t]+\S/gm, text).flatMap((page) =>
      routesOf(site, join(site.root, page)),
    );
  }
  const lists = matchAll(/\bfrom["']?[ \t]*[:=][ \t]*\[([^\]]{0,5000})\]/g, text).flatMap((list) =>
    matchAll(/["'](\/[^"'\n]{0,1000})["']/g, list),
  );
  return [...lists, ...matchAll(/\bfrom["']?[ \t]*[:=][ \t]*["'](\/[^"'\n]{0,1000})["']/g, text)];
}

function matchAll(pattern: RegExp, text: string): string[] {
  return Array.from(text.matchAll(pattern), ([, found = '']) => found);
}

function readJson(text: string): string[] {
  try {
    const whole = JSON.parse(text) as { redirects?: unknown } | unknown[];
    // Mintlify can have them in a file of their own.
    const redirects = Array.isArray(whole) ? whole : whole.redirects;
    return (Array.isArray(redirects) ? redirects : []).flatMap((each: { source?: unknown } | null) =>
      typeof each?.source === 'string' ? [each.source] : [],
    );
  } catch {
    return [];
  }
}
