import type { BoundGit } from './git.ts';

type FileStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'typechanged';

/** One file of the difference of two trees, as git lists it. */
export interface ListedChange {
  path: string;
  status: FileStatus;
  /** The old path of a renamed file. */
  from: string | undefined;
  oldMode: string;
  mode: string;
  /** Hashes of the contents. */
  before: string;
  after: string;
  /** Lines; undefined for binary files. */
  additions: number | undefined;
  deletions: number | undefined;
}

export async function listChanges(
  git: BoundGit,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<ListedChange[]> {
  const listing = ['-r', '-M', '-z', '--raw', '--numstat', '--no-abbrev', '--no-ext-diff'];
  const listed = await git({ args: ['diff-tree', ...listing, from, to], signal });
  return parseListing(listed.stdout.toString());
}

const statusNames: Readonly<Record<string, FileStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'typechanged',
};

/** The formats of https://git-scm.com/docs/git-diff-tree#_raw_output_format, with -z: first all raw records, then all counts. */
function parseListing(text: string): ListedChange[] {
  const fields = text.split('\0');
  const changes: ListedChange[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':')) {
    const [oldMode = '', mode = '', before = '', after = '', letter = ''] = (fields[at] ?? '')
      .slice(1)
      .split(' ');
    const renamed = letter.startsWith('R');
    const from = renamed ? fields[at + 1] : undefined;
    const path = fields[at + (renamed ? 2 : 1)] ?? '';
    const status = statusNames[letter.charAt(0)] ?? 'modified';
    const counts = { additions: undefined, deletions: undefined };
    changes.push({ path, status, from, oldMode, mode, before, after, ...counts });
    at += renamed ? 3 : 2;
  }
  for (const change of changes) at = readCounts(change, fields, at);
  return changes;
}

/** `added TAB deleted TAB path`, or for a renamed file an empty path and then the old and the new one. */
function readCounts(change: ListedChange, fields: readonly string[], at: number): number {
  const [additions = '-', deletions = '-', path = ''] = (fields[at] ?? '').split('\t');
  if (additions !== '-') {
    change.additions = Number(additions);
    change.deletions = Number(deletions);
  }
  return at + (path === '' ? 3 : 1);
}
