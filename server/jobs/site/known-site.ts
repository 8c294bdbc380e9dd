import { excerpt } from '../text/excerpt.ts';
import type { Build } from './directives/new-directives.ts';
import { Pages, routeOf } from './routes.ts';
import { detectSite, findBuilds, isPage, type Site, type SiteFiles } from './site.ts';

/** The site of a commit, for an agent that works on it. */
export class KnownSite {
  readonly site: Site;
  /** All plain files that the commit has, and the pages of the site among them. */
  readonly paths: readonly string[];
  readonly pagePaths: readonly string[];
  #pages: Pages | undefined;

  readonly #files: SiteFiles;
  #builds: Promise<Build[]> | undefined;

  constructor(site: Site, files: SiteFiles) {
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
  fileAt(address: string): string | undefined {
    // Made when it is first asked for, as most turns look at no analytics.
    this.#pages ??= new Pages(this.site, this.pagePaths);
    return this.#pages.findServed(address);
  }

  /** Where visitors see a file, by its own path: a page may say otherwise. */
  addressOf(path: string): string | undefined {
    return routeOf(this.site, path);
  }
}

export async function learnSite(files: SiteFiles, docsFolder: string): Promise<KnownSite> {
  return new KnownSite(await detectSite(files, docsFolder), files);
}

export interface TurnFacts {
  /** YYYY-MM-DD in the project's time zone. */
  today: string;
  branch: string;
  baseBranch: string;
}

/** What an agent should not have to find out. */
export function describeSite(known: KnownSite, { today, branch, baseBranch }: TurnFacts): string {
  const { framework, formats, root, navigation } = known.site;
  const count = known.pagePaths.length;
  const lists =
    navigation.length === 0 ? '' : ` Its pages are listed in ${navigation.map(named).join(', ')}.`;
  return [
    'What you work on:',
    `- Today is ${today}. Your branch is ${named(branch)}, and its pull request goes to ${named(baseBranch)}.`,
    `- The documentation is ${framework === 'plain Markdown' ? framework : `made with ${framework}`}, in ${root === '' ? 'the top folder' : named(root)} (${formats}), ${count} ${count === 1 ? 'page' : 'pages'}.${lists}`,
    ...describeAddresses(known),
  ].join('\n');
}

/** Addresses in the analytics are those of pages, not of files. */
function describeAddresses(known: KnownSite): string[] {
  const [first] = known.pagePaths.filter(
    (path) => /^[\w./-]{1,100}$/.test(path) && (known.addressOf(path)?.length ?? 0) > 1,
  );
  if (first === undefined) return [];
  return [
    `- Visitors see ${named(first)} at ${named(known.addressOf(first) ?? '')}; the tool "pages" leads from addresses to files and back.`,
  ];
}

/** Names come from the repository: quoted, and cut. */
function named(text: string): string {
  return JSON.stringify(excerpt(text, 200));
}
