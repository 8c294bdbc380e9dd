import { posix } from 'node:path';
import type { Build } from './directives/new-directives.ts';
import { type Builder, builders, type Framework, frameworks, plainMarkdown } from './frameworks.ts';

/** A commit, as far as it is looked at. */
export interface SiteFiles {
  /** All files, without links and submodules. */
  paths: readonly string[];
  /** Undefined where there is no such file, or it is too large or no text. */
  read: (path: string) => Promise<string | undefined>;
}

/** What a repository holds a documentation site in. */
export interface Site {
  /** Its name in `frameworks`. */
  framework: string;
  formats: string;
  /** The folder of the framework's settings; '' is the top. */
  folder: string;
  /** The folder of the pages. */
  root: string;
  /** What addresses of pages begin with. */
  base: string;
  /** Which of its files are compiled as MDX. */
  mdx: RegExp;
  /** The files that list the pages. */
  navigation: readonly string[];
  /** The version that visitors see without its name in the address, where there are several: "current" is what is next. */
  versions?: readonly string[];
  /** Paths that settings give pages instead of their own. */
  rewrites?: readonly (readonly [from: string, to: string])[];
}

/** Settings that are looked into: a repository may be full of files of these names. */
const maxSettings = 20;
const maxNavigation = 20;

/** @param docsFolder where the project says that its documentation is; '' where it says nothing */
export async function detectSite(files: SiteFiles, docsFolder = ''): Promise<Site> {
  const found = (await findFramework(files, docsFolder)) ?? {
    framework: plainMarkdown,
    folder: docsFolder || plainFolder(files),
    settings: '',
  };
  const { framework, folder, settings } = found;
  const root = findRoot(framework, pagesOf(found), {
    folder,
    docsFolder,
    files,
  });
  return {
    framework: framework.name,
    formats: framework.formats,
    folder,
    root,
    base: framework.findBase?.(settings) ?? '',
    mdx: framework.mdx(settings),
    navigation: findNavigation(framework, folder, root, files),
    ...(framework.name === 'Docusaurus' && { versions: await readVersions(files, found) }),
    ...(framework.name === 'VitePress' && { rewrites: readRewrites(settings) }),
  };
}

/** https://docusaurus.io/docs/versioning: the first is what visitors see, unless the settings say otherwise. */
async function readVersions(files: SiteFiles, { folder, settings }: Found): Promise<string[]> {
  const [, last] = /\blastVersion["']?\s*:\s*["'`]([\w.-]{1,100})["'`]/.exec(settings) ?? [];
  if (last !== undefined) return [last];
  const path = join(folder, 'versions.json');
  const text = files.paths.includes(path) ? await files.read(path) : undefined;
  return Array.from(text?.matchAll(/"([^"\n]{1,100})"/g) ?? [], ([, version = '']) => version).slice(0, 100);
}

/** Of the settings, which are a program, the pairs of texts. */
function readRewrites(settings: string): [string, string][] {
  const [, inside = ''] = /\brewrites\s*:\s*\{([^}]{0,5000})\}/.exec(settings) ?? [];
  const pairs = inside.matchAll(/["'`]([^"'`\n]{1,300})["'`]\s*:\s*["'`]([^"'`\n]{1,300})["'`]/g);
  const all = Array.from(pairs, ([, from = '', to = '']): [string, string] => [from, to]);
  // With more of these, a path can be tried in too many ways.
  return all.filter(([from]) => from.split('*').length <= 3).slice(0, 100);
}

interface Found<Kind extends Builder = Framework> {
  framework: Kind;
  folder: string;
  settings: string;
}

/** All that may build pages of a repository: it may hold several sites, and a page of one can be put into another. */
export async function findBuilds(files: SiteFiles): Promise<Build[]> {
  const found: Build[] = [];
  const candidates = files.paths
    .filter((path) => builders.some(({ settings }) => settings.test(path)) && !isVendored(path))
    .sort((one, other) => distance(folderOf(one), '') - distance(folderOf(other), ''));
  for (const path of candidates.slice(0, maxSettings)) {
    const settings = (await files.read(path)) ?? '';
    for (const framework of builders.filter((one) => isSettings(one, path, settings))) {
      const folder = folderOf(path);
      const root = pagesOf({ framework, folder, settings });
      const directives = framework.directives(settings);
      found.push({ name: framework.name, root, folder, mdx: framework.mdx(settings), directives });
    }
  }
  return found;
}

function isSettings({ settings, ownName, text }: Builder, path: string, content: string): boolean {
  if (!settings.test(path)) return false;
  return (ownName?.test(path) ?? text === undefined) || (text?.test(content) ?? false);
}

/** The one whose settings are closest to the named folder, or else to the top; or stand beside it and name it. */
async function findFramework(files: SiteFiles, docsFolder: string): Promise<Found | undefined> {
  const candidates = frameworks.flatMap((framework, rank) =>
    files.paths
      .filter((path) => framework.settings.test(path) && !isVendored(path))
      .map((path) => ({ framework, path, rank, folder: folderOf(path) })),
  );
  const sorted = candidates.toSorted(
    (one, other) =>
      distance(one.folder, docsFolder) - distance(other.folder, docsFolder) || one.rank - other.rank,
  );
  const isNear = (folder: string) => isAbove(folder, docsFolder) || isAbove(docsFolder, folder);
  const near = sorted.filter(({ folder }) => isNear(folder)).slice(0, maxSettings);
  const beside = sorted.filter(({ folder }) => !isNear(folder)).slice(0, maxSettings);
  for (const { framework, path, folder } of [...near, ...beside]) {
    const settings = (await files.read(path)) ?? '';
    const found = { framework, folder, settings };
    const fits = isNear(folder) || isAbove(docsFolder, pagesOf(found));
    if (fits && isSettings(framework, path, settings)) return found;
  }
  return undefined;
}

/** The folder of the pages, as the settings have it. */
function pagesOf({ framework, folder, settings }: Found<Builder>): string {
  const place = posix.normalize(join(folder, framework.findPages(settings)));
  return place === '.' ? '' : place.replace(/\/$/, '');
}

/** Of the settings: what is in a folder of its own for them belongs to the folder above. */
function folderOf(path: string): string {
  const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  return folder.replace(/(^|\/)(?:\.vitepress(?:\/config)?|\.vuepress|config\/_default)$/, '');
}

function isVendored(path: string): boolean {
  return /(^|\/)(node_modules|vendor|examples?|templates?|fixtures?|__tests__|tests?)\//.test(path);
}

/** Whether the other folder is this one or below it. */
function isAbove(folder: string, other: string): boolean {
  return folder === '' || other === folder || other.startsWith(`${folder}/`);
}

function distance(folder: string, other: string): number {
  const depth = (path: string) => (path === '' ? 0 : path.split('/').length);
  return Math.abs(depth(folder) - depth(other));
}

/** Some frameworks have their pages in one of several folders, and a project may have its own mind. */
function findRoot(
  framework: Framework,
  usual: string,
  { folder, docsFolder, files }: { folder: string; docsFolder: string; files: SiteFiles },
): string {
  const others =
    framework.name === 'Nextra' ? ['content', 'src/content', 'pages', 'src/pages', 'app', 'src/app'] : [];
  const candidates = [usual, ...others.map((name) => join(folder, name))];
  const there = candidates.find((root) => files.paths.some((path) => isAbove(root, path) && isPage(path)));
  const root = there ?? folder;
  return isAbove(root, docsFolder) && docsFolder !== '' && framework === plainMarkdown ? docsFolder : root;
}

/** What is hidden is there for tools. */
export function isPage(path: string): boolean {
  return /\.(mdx?|markdown|mdown|mkd|mdoc|markdoc|rst)$/i.test(path) && !/(^|\/)\./.test(path);
}

function plainFolder({ paths }: SiteFiles): string {
  return (
    ['docs', 'doc', 'documentation', 'content'].find((folder) =>
      paths.some((path) => path.startsWith(`${folder}/`) && isPage(path)),
    ) ?? ''
  );
}

function findNavigation(framework: Framework, folder: string, root: string, { paths }: SiteFiles): string[] {
  const found = paths.filter((path) =>
    [folder, root].some((from) => {
      if (!isAbove(from, path) || path === from) return false;
      return framework.navigation.test(from === '' ? path : path.slice(from.length + 1));
    }),
  );
  return found.slice(0, maxNavigation);
}

export function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}
