import { isUtf8 } from 'node:buffer';
import { join, posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveProject } from '../../projects/registry.ts';
import { isRedirectFile, type RedirectFile } from '../../sitefiles/redirects.ts';
import { JobFailure } from '../failure.ts';
import { GitClient } from '../git/git-client.ts';
import { routeOf } from '../site/routes.ts';
import { detectSite, isPage, type SiteFiles } from '../site/site.ts';
import type { JobServices } from './services.ts';
import { openTarget } from './target.ts';

const maxRedirectFiles = 20;
const maxFileBytes = 512 * 1024;
/** All copies that are kept to read from. */
const maxMirrorBytes = 1_000_000_000;
/** Of a folder in a folder in a folder. */
const maxFolders = 3;
const sendIt = 'send the text of the file that counts.';
const notOfTheSite = /^(?:tests?|__tests__|fixtures|examples?|vendor)$/i;
/** Parts of pages. */
const isPartial = /^(?:_(?!posts$).*|snippets)$/;

/** Reads files of the project's repository, at the branch that jobs start from. @throws JobFailure */
export async function readRepository<T>(
  services: Pick<JobServices, 'config' | 'secrets' | 'store' | 'now'>,
  { id, settings }: Pick<LiveProject, 'id' | 'settings'>,
  { repository, signal }: { repository: string; signal: AbortSignal },
  read: (files: SiteFiles, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { config, now } = services;
  const { path, protocols, network } = config.jobs.git;
  const options = { path, protocols, network, mayReach: config.jobs.mayReach, maxMirrorBytes, now };
  // Jobs have mirrors of their own, with all commits.
  const gitClient = new GitClient({
    ...options,
    root: join(config.dataDir, 'jobs', 'read'),
    isShallow: true,
  });
  try {
    const target = await openTarget(services, { repository }, { id, settings }, signal);
    const access = await target.access();
    await gitClient.start();
    const commit = await gitClient.findCommit(access, settings.ref);
    const paths = await gitClient.listFiles(access, commit);
    const readFile = async (file: string) => {
      const bytes = await gitClient.readFile(access, commit, file, maxFileBytes).catch(unlessTooLarge);
      return bytes && isUtf8(bytes) ? bytes.toString() : undefined;
    };
    return await read({ paths, read: readFile }, signal);
  } catch (error) {
    if (signal.aborted)
      throw new JobFailure('timeout', 'Reading the repository took longer than a minute: try again later.');
    throw error;
  } finally {
    await gitClient.close();
  }
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof JobFailure) || error.code !== 'too_large') throw error;
}

/** Those of the site, and not of its tests. @throws JobFailure */
export async function readRedirectFiles({ paths, read }: SiteFiles): Promise<RedirectFile[]> {
  const found = paths.filter(isOfTheSite);
  if (found.length > maxRedirectFiles)
    throw new JobFailure('too_large', `The repository has ${found.length} files with redirects: ${sendIt}`);
  const files: RedirectFile[] = [];
  for (const path of found) {
    const text = await read(path);
    if (text === undefined)
      throw new JobFailure(
        'too_large',
        `${path} has more than ${maxFileBytes / 1024} KB, or is no text: ${sendIt}`,
      );
    files.push({ path, text });
  }
  return files;
}

function isOfTheSite(path: string): boolean {
  const folders = posix.dirname(path).split('/');
  return (
    isRedirectFile(path) && folders.length <= maxFolders && !folders.some((one) => notOfTheSite.test(one))
  );
}

/** Hits are answered between so many pages. */
const pagesPerTurn = 500;

/** Where visitors see the pages of a repository, but for those that choose their own address. */
export async function listSitePages(
  files: SiteFiles,
  docsFolder: string,
  signal: AbortSignal,
): Promise<string[]> {
  const site = await detectSite(files, docsFolder);
  const [latest = 'current'] = site.versions ?? [];
  const root = latest === 'current' ? site.root : join(site.folder, 'versioned_docs', `version-${latest}`);
  const inside = root === '' ? '' : `${root}/`;
  const pages = files.paths.filter((path) => isPage(path) && path.startsWith(inside));
  const routes = new Set<string>();
  for (const [i, page] of pages.entries()) {
    if (i % pagesPerTurn === 0) await nextTurn();
    signal.throwIfAborted();
    const folders = posix.dirname(page.slice(inside.length)).split('/');
    if (folders.some((one) => notOfTheSite.test(one) || isPartial.test(one))) continue;
    const route = routeOf(site, page);
    // As paths are counted.
    if (route !== undefined) routes.add(encodeURI(route));
  }
  return [...routes];
}
