import { countedForm } from '../../counting/page/path-pattern.ts';
import type { Mark } from '../../store/marks.ts';

/** Files of these endings become pages. */
const pageEndings =
  /\.(?:mdx?|markdown|html?|astro|vue|svelte|tsx?|jsx?|rst|adoc|ipynb|php|erb|njk|liquid)$/i;
/** Files that stand for the folder they are in. */
const folderFiles = /^(?:_?index|readme|page|\+page)$/i;
/** Folders that are in no address. */
const groupFolder = /^(?:\(.*\)|@.*)$/;

/** Which of the site's paths a change touched, as far as can be told. */
export function touchedPaths(
  { kind, touched }: Pick<Mark, 'kind' | 'touched'>,
  paths: readonly string[],
): string[] {
  return kind === 'release' ? markedPaths(touched, paths) : pathsOfFiles(touched, paths);
}

/** `/docs/*` stands for all below `/docs/`. */
function markedPaths(patterns: readonly string[], paths: readonly string[]): string[] {
  const named = new Set(patterns.map(countedForm));
  // Of a start the slash at its end stays.
  const below = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => countedForm(`${pattern.slice(0, -1)}-`).slice(0, -1));
  return paths.filter((path) => named.has(path) || below.some((start) => path.startsWith(start)));
}

/**
 * A file's page is the path that the end of the file's own path says: `content/docs/install.md` is `/docs/install`, and where
 * there is no such page, `/install`. The longest is meant.
 */
function pathsOfFiles(files: readonly string[], paths: readonly string[]): string[] {
  const bySegments = new Map(paths.map((path) => [keyOf(segmentsOf(path)), path]));
  const found = new Set<string>();
  for (const file of files) {
    const path = pathOfFile(file, bySegments);
    if (path !== undefined) found.add(path);
  }
  return [...found];
}

function pathOfFile(file: string, bySegments: ReadonlyMap<string, string>): string | undefined {
  if (!pageEndings.test(file)) return undefined;
  const parts = file.replace(pageEndings, '').split('/');
  const isFolder = folderFiles.test(parts.at(-1) ?? '');
  if (isFolder) parts.pop();
  const segments = parts.filter((part) => !groupFolder.test(part)).map(plain);
  for (let start = 0; start < segments.length; start++) {
    const path = bySegments.get(keyOf(segments.slice(start)));
    if (path !== undefined) return path;
  }
  // The first page of the site is a file that stands for its folder, near the top.
  return isFolder && segments.length <= 2 ? bySegments.get('') : undefined;
}

function segmentsOf(path: string): string[] {
  const [address = ''] = path.split('?');
  return address
    .replace(/\.(?:html?|php|md)$/i, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => plain(decode(segment)));
}

/** Sites drop numbers for the order, as in `01-install.md`, and the case. */
function plain(segment: string): string {
  return segment.toLowerCase().replace(/^\d{1,3}[-_.]\s*(?=\p{L})/u, '');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function keyOf(segments: readonly string[]): string {
  return segments.join('/');
}
