import { JobFailure } from '../failure.ts';
import type { BoundGit, Git, GitResult } from './git.ts';
import { damagedMirror } from './git-failure.ts';
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
  const entries = parseTree(await git(listing(tree)));
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

/** The hashes of contents that a partial mirror lacks. */
export async function listMissing(git: Git, mirror: Mirror, commit: string): Promise<string[]> {
  const result = await git({
    args: ['rev-list', '--objects', '--no-object-names', '--missing=print', `${commit}^{tree}`],
    environment: { GIT_DIR: mirror.gitDir },
  });
  const lines = result.stdout.toString().split('\n');
  return lines.filter((line) => line.startsWith('?')).map((line) => line.slice(1));
}

/** Bytes of contents, in the same order. @throws JobFailure where the mirror lacks some */
export async function sizesOf(git: Git, mirror: Mirror, hashes: readonly string[]): Promise<number[]> {
  const result = await git({
    args: ['cat-file', '--batch-check=%(objectsize)', '--buffer'],
    environment: { GIT_DIR: mirror.gitDir },
    input: hashes.map((hash) => `${hash}\n`).join(''),
  });
  const sizes = result.stdout.toString().split('\n').slice(0, -1).map(Number);
  if (sizes.some(Number.isNaN)) {
    throw damagedMirror();
  }
  return sizes;
}

/** @throws JobFailure for trees that could harm whoever checks them out */
export function checkTree(entries: readonly TreeEntry[]): void {
  if (entries.length > maxFiles) {
    throw tooLarge(`The repository has ${entries.length} files; at most ${maxFiles} can be checked out.`);
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
