import { extname, posix } from 'node:path';
import { type Dialect, type Directive, dialects, type ReadFile, readDirectives } from './directives.ts';

/** What a build makes of the pages of a repository, besides showing them. */
export interface Build {
  name: string;
  /** The folder of its pages, and that of its settings. */
  root: string;
  folder: string;
  /** Which pages are compiled as MDX. */
  mdx: RegExp;
  directives: readonly Dialect[];
  /** Which pages these are looked for in; undefined: all. */
  pages?: RegExp;
}

/** What builders are known to do with pages of a repository. */
export interface Builds {
  builds: readonly Build[];
  /** Whether there is a plain file, as the change has it. */
  has: (path: string) => boolean;
}

export interface PageEdit {
  path: string;
  before: string;
  after: string;
}

/** The pages, and what may be put into them. */
export const markup = /\.(mdx?|markdown|mdown|mkd|mdoc|markdoc|rst|adoc|asciidoc|textile|mediawiki|txt)$/i;

/** All that some build could understand, and no file is one of the site. */
const all: Build = {
  name: '',
  root: '\0',
  folder: '',
  mdx: markup,
  directives: dialects,
};

/** Where no builder is known: MDX is run, and AsciiDoc takes files in, whatever reads them. */
export const plainBuilds: Builds = {
  builds: [
    { name: 'MDX', root: '', folder: '', mdx: /\.mdx$/i, directives: [] },
    {
      ...{ name: 'Asciidoctor', root: '', folder: '', mdx: /\.mdx$/i },
      ...{ directives: ['asciidoc'], pages: /\.(adoc|asciidoc)$/i },
    },
  ],
  has: () => false,
};

/** Whether it matters for an edit what builds the page: mostly it does not. */
export function mayMatter(edit: PageEdit): boolean {
  return findNewDirective(edit, { builds: [all], has: () => false }) !== undefined;
}

/** What a change adds to a page that runs something, or reads another file than one of the site, and by which build. */
export function findNewDirective(
  { path, before, after }: PageEdit,
  { builds, has }: Builds,
): { build: string; text: string; isCode: boolean } | undefined {
  for (const build of [...builds, ...plainBuilds.builds]) {
    const dialects: Dialect[] = [
      ...(build.mdx.test(path) ? (['mdx'] as const) : []),
      ...(build.pages?.test(path) === false ? [] : build.directives),
    ];
    for (const dialect of dialects) {
      const found = readDirectives(dialect, path, after);
      if (found.length === 0) continue;
      const known = new Set(readDirectives(dialect, path, before).map(({ text }) => text));
      const isFine = ({ text, reads }: Directive) =>
        known.has(text) || (reads !== undefined && isOfSite(path, reads, build, has));
      const wrong = found.find((directive) => !isFine(directive));
      if (wrong) return { build: build.name, text: wrong.text, isCode: dialect === 'mdx' };
    }
  }
  return undefined;
}

/** Whether it is a file of the site that is there: nothing hidden, and nothing that a build machine alone has. */
function isOfSite(
  page: string,
  { path, from, isPage, isChecked = false }: ReadFile,
  { root, folder }: Build,
  has: Builds['has'],
): boolean {
  if (path === '' || !/^[\p{L}\p{N}_. @+/-]+$/u.test(path) || path.startsWith('/')) return false;
  // What another language is written in holds directives that were not looked for.
  if (isPage && markup.test(path) && !/\.txt$/i.test(path) && extname(path) !== extname(page)) return false;
  const folders = { page: [posix.dirname(page)], pages: [root], anywhere: [root, folder, ''] }[from];
  const named = folders.map((base) => posix.normalize(posix.join(base, path)));
  const places = isChecked ? named : named.filter(has);
  return places.length > 0 && places.every((place) => isInside(root, place) && !/(^|\/)\./.test(place));
}

function isInside(root: string, path: string): boolean {
  return !path.startsWith('..') && (root === '' || path.startsWith(`${root}/`));
}
