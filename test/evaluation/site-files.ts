import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SearchedFiles } from '../../server/jobs/site/site-state.ts';

export const siteNames = ['mintlify', 'docusaurus', 'starlight', 'mkdocs'] as const;
export type SiteName = (typeof siteNames)[number];

/** Texts of files by their paths. */
export type Files = ReadonlyMap<string, string>;

/** A commit on top of a site; null deletes a file. */
export interface SiteCommit {
  message: string;
  files: Readonly<Record<string, string | null>>;
}

const folder = join(import.meta.dirname, 'sites');
const known = new Map<SiteName, Files>();

/** The documentation of a made-up product, in the layout of a framework. */
export function siteFiles(name: SiteName): Files {
  const files = known.get(name) ?? readFolder(join(folder, name));
  known.set(name, files);
  return files;
}

function readFolder(root: string): Files {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

export function afterCommits(files: Files, commits: readonly SiteCommit[]): Files {
  const after = new Map(files);
  for (const commit of commits) {
    for (const [path, text] of Object.entries(commit.files)) {
      if (text === null) after.delete(path);
      else after.set(path, text);
    }
  }
  return after;
}

/** A file of a site with one text in place of another, for commits. */
export function changed(site: SiteName, path: string, ...replacements: [old: string, next: string][]) {
  let text = siteFiles(site).get(path) ?? '';
  for (const [old, next] of replacements) {
    if (text.split(old).length !== 2) throw new Error(`${path} has ${JSON.stringify(old)} not once.`);
    text = text.replace(old, () => next);
  }
  return { [path]: text };
}

/** As the checks of the server look at them. */
export function searched(files: Files): SearchedFiles {
  return {
    paths: [...files.keys()],
    bring: () => undefined,
    read: async (path) => files.get(path),
    find: async (texts) =>
      [...files].filter(([, text]) => texts.some((part) => text.includes(part))).map(([path]) => path),
  };
}
