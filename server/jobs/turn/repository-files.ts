import { isUtf8 } from 'node:buffer';
import { join, posix } from 'node:path';
import type { LiveProject } from '../../projects/registry.ts';
import { isRedirectFile, type RedirectFile } from '../../sitefiles/redirects.ts';
import { JobFailure } from '../failure.ts';
import { GitClient } from '../git/git-client.ts';
import type { JobServices } from './services.ts';
import { openTarget } from './target.ts';

const maxFiles = 20;
const maxFileBytes = 512 * 1024;
/** All copies that are kept to read from. */
const maxMirrorBytes = 1_000_000_000;
/** Of a folder in a folder in a folder. */
const maxFolders = 3;
const sendIt = 'send the text of the file that counts.';
const notOfTheSite = /^(?:tests?|__tests__|fixtures|examples?|vendor)$/i;

/** Those of the project's repository, at the branch that jobs start from. @throws JobFailure */
export async function readRedirectFiles(
  services: Pick<JobServices, 'config' | 'secrets' | 'store' | 'now'>,
  { id, settings }: Pick<LiveProject, 'id' | 'settings'>,
  repository: string,
  signal: AbortSignal,
): Promise<RedirectFile[]> {
  const { config, now } = services;
  const { path, protocols, network } = config.jobs.git;
  const options = { path, protocols, network, mayReach: config.jobs.mayReach, maxMirrorBytes, now };
  const gitClient = new GitClient({ ...options, root: join(config.dataDir, 'jobs', 'read') });
  try {
    const target = await openTarget(services, { repository }, { id, settings }, signal);
    const access = await target.access();
    await gitClient.start();
    const commit = await gitClient.findCommit(access, settings.ref);
    const paths = (await gitClient.listFiles(access, commit)).filter(isOfTheSite);
    if (paths.length > maxFiles)
      throw new JobFailure('too_large', `The repository has ${paths.length} files with redirects: ${sendIt}`);
    const files: RedirectFile[] = [];
    for (const one of paths) {
      const bytes = await gitClient.readFile(access, commit, one, maxFileBytes).catch((error: unknown) => {
        if (!(error instanceof JobFailure) || error.code !== 'too_large') throw error;
        throw new JobFailure('too_large', `${one} has more than ${maxFileBytes / 1024} KB: ${sendIt}`);
      });
      if (bytes && isUtf8(bytes)) files.push({ path: one, text: bytes.toString() });
    }
    return files;
  } catch (error) {
    if (signal.aborted) throw new JobFailure('timeout', 'The repository took too long: try again later.');
    throw error;
  } finally {
    await gitClient.close();
  }
}

function isOfTheSite(path: string): boolean {
  const folders = posix.dirname(path).split('/');
  return (
    isRedirectFile(path) && folders.length <= maxFolders && !folders.some((one) => notOfTheSite.test(one))
  );
}
