import { JobFailure } from '../failure.ts';
import type { BoundGit, Git, GitResult } from './git.ts';
import type { Mirror } from './mirror.ts';
import { isGitName } from './path.ts';

/** A file, link or submodule of a commit. */
export interface TreeEntry {
  mode: string;
  hash: string;
  path: string;
}

/** Beyond this a checkout would fill the disk: a few kilobytes in a pack can unfold to as many files as one likes. */
const maxFiles = 200_000;

/** All that is in a commit. */
export async function readTree(git: Git, mirror: Mirror, commit: string): Promise<TreeEntry[]> {
  const environment = { GIT_DIR: mirror.gitDir };
  return parseTree(await git({ ...listing(commit), environment }));
}

/** The plain files of a commit or tree. */
export async function listFiles(git: BoundGit, tree: string): Promise<TreeEntry[]> {
  return plainFiles(parseTree(await git(listing(tree))));
}

/** Those of some paths at which there are plain files. */
export async function listFilesAt(
  git: BoundGit,
  tree: string,
  paths: readonly string[],
): Promise<TreeEntry[]> {
  return plainFiles(parseTree(await git({ args: ['ls-tree', '-z', '--full-tree', tree, '--', ...paths] })));
}

/** Without links and submodules. */
export function plainFiles(entries: readonly TreeEntry[]): TreeEntry[] {
  return entries.filter(({ mode }) => mode.startsWith('100'));
}

function listing(tree: string) {
  return { args: ['ls-tree', '-r', '-z', '--full-tree', tree], maxBytes: 256_000_000 };
}

function parseTree({ stdout }: GitResult): TreeEntry[] {
  const lines = stdout.toString().split('\0').slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , hash = ''] = line.slice(0, tab).split(' ');
    return { mode, hash, path: line.slice(tab + 1) };
  });
}

/**
 * Bytes of contents, in the same order; undefined for those that are not there.
 *
 * @param environment of a repository without a remote, from which git would fetch them
 */
export async function sizesOf(
  git: Git,
  environment: Readonly<Record<string, string>>,
  hashes: readonly string[],
): Promise<(number | undefined)[]> {
  const result = await git({
    args: ['cat-file', '--batch-check=%(objectsize)', '--buffer'],
    environment,
    input: hashes.map((hash) => `${hash}\n`).join(''),
  });
  const lines = result.stdout.toString().split('\n').slice(0, -1);
  return lines.map((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
}

/** Whether git reads the file by itself, out of the index where it is not on the disk. */
export function isReadByGit(path: string): boolean {
  return /(^|\/)\.(gitattributes|gitignore|gitmodules|mailmap)$/.test(path);
}

/** @throws JobFailure for trees that could harm anyone who checks them out */
export function checkTree(entries: readonly TreeEntry[]): void {
  if (entries.length > maxFiles) {
    throw tooLarge(`The repository has ${entries.length} files; at most ${maxFiles} can be checked out.`);
  }
  const submodule = entries.find(({ mode, path }) => mode === '160000' && isReadByGit(path));
  if (submodule) {
    throw new JobFailure(
      'bad_repository',
      `The repository holds a submodule at ${JSON.stringify(submodule.path)}, which git reads as a file: remove it.`,
    );
  }
  const hostile = entries.find(({ path }) => path.split('/').some(isGitName));
  if (!hostile) return;
  throw new JobFailure(
    'bad_repository',
    `The repository holds ${JSON.stringify(hostile.path)}, and git itself uses such paths: remove it from the repository.`,
  );
}

export function tooLarge(sentence: string): JobFailure {
  return new JobFailure('too_large', sentence);
}
