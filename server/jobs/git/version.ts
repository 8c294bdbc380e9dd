import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Why jobs cannot use this git, which printed its version; undefined: they can. */
export function objectToGit(printed: string): string | undefined {
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(printed)?.[0] ?? '').split('.').map(Number);
  return major * 1000 + minor < 2039
    ? `Jobs need git 2.39 or later, and this is ${printed.trim()}.`
    : undefined;
}

/** The same of the git that is found there. */
export async function findGitFault(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['version'], { env: { PATH: path } });
    return objectToGit(stdout);
  } catch {
    return 'Jobs need git, which is not installed: install git 2.39 or later.';
  }
}
