import { excerpt } from '../text/excerpt.ts';
import type { Build } from './directives/new-directives.ts';
import { ownRoutesOf, ownRouteWords, Pages, routeOf } from './routes.ts';
import { detectSite, findBuilds, isPage, type Site } from './site.ts';
import type { TreeFiles } from './tree-files.ts';

type KnownFiles = Pick<TreeFiles, 'paths' | 'read' | 'readAll' | 'find'>;

/** The site of a commit, for an agent that works on it. */
export class KnownSite {
  readonly site: Site;
  /** All plain files that the commit has, and the pages of the site among them. */
  readonly paths: readonly string[];
  readonly pagePaths: readonly string[];
  #pages: Promise<Pages> | undefined;
  #own: Promise<Map<string, OwnRoutes>> | undefined;

  readonly #files: KnownFiles;
  #builds: Promise<Build[]> | undefined;

  constructor(site: Site, files: KnownFiles) {
    const { paths } = files;
    this.site = site;
    this.paths = paths;
    this.#files = files;
    const inside = site.root === '' ? '' : `${site.root}/`;
    this.pagePaths = paths.filter((path) => isPage(path) && path.startsWith(inside));
  }

  /** What builds the pages of the repository: looked for when it is first asked for. */
  findBuilds(): Promise<Build[]> {
    this.#builds ??= findBuilds(this.#files);
    return this.#builds;
  }

  /** The folder that is all of the documentation, where the project names one; '' is the whole repository. */
  scopeOf(docsFolder: string): string {
    const { folder } = this.site;
    return folder !== '' && docsFolder.startsWith(`${folder}/`) ? folder : docsFolder;
  }

  /** The file of a page that visitors see at an address. */
  async fileAt(address: string): Promise<string | undefined> {
    this.#pages ??= this.#readPages();
    return (await this.#pages).findServed(address);
  }

  /** Where visitors see a file. @param old where its text is in the commit */
  async addressOf(path: string, old = path): Promise<string | undefined> {
    const usual = routeOf(this.site, path);
    const text = usual === undefined ? undefined : await this.#files.read(old);
    return (text === undefined ? undefined : ownRoutesOf(this.site, path, text).own) ?? usual;
  }

  /** Those of many files. */
  async addressesOf(paths: readonly string[]): Promise<(string | undefined)[]> {
    const own = await this.#readOwn();
    return paths.map((path) => own.get(path)?.own ?? routeOf(this.site, path));
  }

  /** With what Docusaurus serves besides its documentation. */
  #servedPaths(): readonly string[] {
    const { framework, folder } = this.site;
    if (framework !== 'Docusaurus') return this.pagePaths;
    const start = folder === '' ? '' : `${folder}/`;
    const isServed = (path: string) =>
      path.startsWith(start) && /^(blog|versioned_docs|i18n|src\/pages)\//.test(path.slice(start.length));
    return [...new Set([...this.pagePaths, ...this.paths.filter((path) => isPage(path) && isServed(path))])];
  }

  /** Looked for when it is first asked for, as most turns look at no analytics. */
  async #readPages(): Promise<Pages> {
    const pages = new Pages(this.site, this.#servedPaths());
    for (const [path, routes] of await this.#readOwn()) pages.addOwn(routes, path);
    return pages;
  }

  #readOwn(): Promise<Map<string, OwnRoutes>> {
    this.#own ??= this.#findOwn();
    return this.#own;
  }

  async #findOwn(): Promise<Map<string, OwnRoutes>> {
    const { framework, root, folder } = this.site;
    const all = new Set(this.#servedPaths());
    const inside = framework === 'Docusaurus' ? folderAround(folder, root) : root;
    const found = (await this.#files.find(ownRouteWords, inside)).filter((path) => all.has(path));
    const texts = await this.#files.readAll(found);
    return new Map(found.map((path, index) => [path, ownRoutesOf(this.site, path, texts[index] ?? '')]));
  }
}

/** That holds both; '' is the top. */
function folderAround(folder: string, root: string): string {
  return folder === '' || root === folder || root.startsWith(`${folder}/`) ? folder : '';
}

type OwnRoutes = ReturnType<typeof ownRoutesOf>;

export async function learnSite(files: KnownFiles, docsFolder: string): Promise<KnownSite> {
  return new KnownSite(await detectSite(files, docsFolder), files);
}

interface TurnFacts {
  /** YYYY-MM-DD in the project's time zone. */
  today: string;
  branch: string;
  baseBranch: string;
}

/** What an agent should not have to find out. */
export async function describeSite(
  known: KnownSite,
  { today, branch, baseBranch }: TurnFacts,
): Promise<string> {
  const { framework, formats, root, navigation } = known.site;
  const count = known.pagePaths.length;
  const lists =
    navigation.length === 0 ? '' : ` Its pages are listed in ${navigation.map(named).join(', ')}.`;
  return [
    'What you work on:',
    `- Today is ${today}. Your branch is ${named(branch)}, and its pull request goes to ${named(baseBranch)}.`,
    `- The documentation is ${framework === 'plain Markdown' ? framework : `made with ${framework}`}, in ${root === '' ? 'the top folder' : named(root)} (${formats}), ${count} ${count === 1 ? 'page' : 'pages'}.${lists}`,
    ...(await describeAddresses(known)),
  ].join('\n');
}

/** Addresses in the analytics are those of pages, not of files. */
async function describeAddresses(known: KnownSite): Promise<string[]> {
  const [first] = known.pagePaths.filter(
    (path) => /^[\w./-]{1,100}$/.test(path) && (routeOf(known.site, path)?.length ?? 0) > 1,
  );
  if (first === undefined) return [];
  return [
    `- Visitors see ${named(first)} at ${named((await known.addressOf(first)) ?? '')}; the tool "pages" leads from addresses to files and back.`,
  ];
}

/** Names come from the repository: quoted, and cut. */
function named(text: string): string {
  return JSON.stringify(excerpt(text, 200));
}
