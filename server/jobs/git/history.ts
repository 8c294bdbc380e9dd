import { JobFailure } from '../failure.ts';
import { type Git, type Remote, whereItMayLack } from './git.ts';
import type { Mirror } from './mirror.ts';

/** What is read of what happened in a repository, from one commit backwards. */
interface HistoryCall {
  git: Git;
  mirror: Mirror;
  /** Contents of earlier commits may have to be fetched, which git does by itself. */
  remote: Remote;
  signal?: AbortSignal | undefined;
}

interface LoggedChange {
  /** Ten digits. */
  hash: string;
  /** YYYY-MM-DD */
  date: string;
  author: string;
  subject: string;
}

const maxDiffBytes = 200_000;
/** Commits among which writers are looked for. */
const maxLookedAt = 100;
/** Of one diff: their contents are fetched. */
const maxFiles = 150;
const sinceParent = ['--root', '--diff-merges=first-parent', '--no-commit-id'];
const format = ['--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
/** What is seldom text, and often large. */
const binary =
  /\.(png|jpe?g|gif|webp|avif|ico|bmp|mp[34]|mov|webm|zip|gz|tgz|xz|pdf|woff2?|ttf|otf|eot|wasm|jar|exe|bin)$/i;

/** The newest commits before and at one, those of a path where one is given. */
export async function readLog(
  { git, mirror, signal }: HistoryCall,
  tip: string,
  { path, count }: { path: string; count: number },
): Promise<LoggedChange[]> {
  const { stdout } = await git({
    args: [
      ...[
        'log',
        '-z',
        `--max-count=${count}`,
        '--no-show-signature',
        '--format=%h%x01%cs%x01%an%x01%s',
        '--abbrev=10',
      ],
      ...[tip, '--', ...(path === '' ? [] : [path])],
    ],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
  });
  const records = stdout
    .toString()
    .split('\0')
    .filter((record) => record !== '');
  return records.map((record) => {
    const [hash = '', date = '', author = '', subject = ''] = record.split('\u0001');
    return { hash, date, author, subject };
  });
}

/** The newest commit of each person who changed some paths, the newest first; without merges and what jobs committed. */
export async function listWriters(
  { git, mirror, signal }: HistoryCall,
  tip: string,
  paths: readonly string[],
): Promise<string[]> {
  const which = ['--no-merges', `--max-count=${maxLookedAt}`, '--invert-grep', '--grep=^Headcount-Job: '];
  const { stdout } = await git({
    args: ['log', '-z', '--no-show-signature', '--format=%H %ae', ...which, tip, '--', ...paths],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
  });
  const newest = new Map<string, string>();
  for (const record of stdout.toString().split('\0').filter(Boolean)) {
    const [hash = '', address = ''] = record.split(' ');
    if (!newest.has(address)) newest.set(address, hash);
  }
  return [...newest.values()];
}

/** The whole hash of a commit that is at or before another; undefined for any other, as the mirror has other branches, too. */
export async function findAncestor(
  call: HistoryCall,
  hash: string,
  tip: string,
): Promise<string | undefined> {
  const { git, mirror, signal } = call;
  const environment = { GIT_DIR: mirror.gitDir };
  const found = await git({
    args: ['rev-parse', '--verify', '--quiet', `${hash}^{commit}`],
    environment,
    signal,
    accept: whereItMayLack,
  });
  const commit = found.stdout.toString().trim();
  if (found.code !== 0 || commit === '') return undefined;
  return (await isAncestor(call, commit, tip)) ? commit : undefined;
}

export async function isAncestor(
  { git, mirror, signal }: Pick<HistoryCall, 'git' | 'mirror' | 'signal'>,
  older: string,
  newer: string,
): Promise<boolean> {
  const { code } = await git({
    args: ['merge-base', '--is-ancestor', older, newer],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
    accept: whereItMayLack,
  });
  return code === 0;
}

/** Where two commits parted; undefined where they have nothing in common. */
export async function findMergeBase(
  { git, mirror, signal }: Pick<HistoryCall, 'git' | 'mirror' | 'signal'>,
  one: string,
  other: string,
): Promise<string | undefined> {
  const { code, stdout } = await git({
    args: ['merge-base', one, other],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
    accept: whereItMayLack,
  });
  return code === 0 ? stdout.toString().trim() : undefined;
}

/**
 * What changed between two commits, or since the first parent of one, without images and their like. Undefined where it is
 * too much to be shown.
 */
export async function readDiff(
  { git, mirror, remote, signal }: HistoryCall,
  { from, to, path }: { from: string | undefined; to: string; path: string },
): Promise<string | undefined> {
  const environment = { GIT_DIR: mirror.gitDir };
  const range = from === undefined ? [...sinceParent, to] : [from, to];
  const listed = await git({
    args: [
      'diff-tree',
      '-r',
      '-z',
      '--no-renames',
      '--name-only',
      ...range,
      '--',
      ...(path === '' ? [] : [path]),
    ],
    environment,
    signal,
  });
  const paths = listed.stdout
    .toString()
    .split('\0')
    .filter((name) => name !== '' && !binary.test(name));
  if (paths.length === 0) return '';
  if (paths.length > maxFiles) return undefined;
  try {
    const { stdout } = await git({
      args: ['diff-tree', '-r', '-p', ...format, ...range, '--', ...paths],
      environment,
      remote,
      signal,
      maxBytes: maxDiffBytes,
    });
    return stdout.toString();
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'too_large') return undefined;
    throw error;
  }
}
