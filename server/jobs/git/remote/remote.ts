import { join } from 'node:path';
import { isCommitHash } from '../../../../shared/jobs/git-ref.ts';
import { JobFailure } from '../../failure.ts';
import { type Git, type GitCall, type Remote, whereItMayLack } from '../git.ts';
import { damagedMirror } from '../git-failure.ts';
import { type Mirror, sizeOf } from '../mirror.ts';

/** A clone of a large repository over a slow line. */
const fetchTimeoutMs = 900_000;
const sizeCheckMs = 1_000;

/** What a remote answered: full ref names and their hashes. */
export interface RemoteRefs {
  hashes: ReadonlyMap<string, string>;
  /** Full name of the default branch; undefined in a repository without commits. */
  head: string | undefined;
}

interface Call {
  git: Git;
  remote: Remote;
  signal?: AbortSignal | undefined;
  isShallow?: boolean;
}

/** Asks for some refs by their full names, and always for HEAD. */
export async function listRefs({ git, remote, signal }: Call, names: readonly string[]): Promise<RemoteRefs> {
  const result = await git({
    args: ['ls-remote', '--symref', '--', remote.url, 'HEAD', ...names],
    remote,
    signal,
  });
  const wanted = new Set(['HEAD', ...names]);
  const hashes = new Map<string, string>();
  let head: string | undefined;
  for (const line of result.stdout.toString().split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (value.startsWith('ref: ') && name === 'HEAD') head = value.slice('ref: '.length);
    // A pattern of ls-remote also matches the end of longer names.
    else if (wanted.has(name) && isCommitHash(value)) hashes.set(name, value);
  }
  return { hashes, head };
}

/**
 * Makes sure that a commit and its trees are in the mirror. @throws JobFailure missing_base when the remote lacks it, or has
 * something else by this hash; mirror_damaged when it came and cannot be read
 */
export async function ensureCommit(
  call: Call,
  mirror: Mirror,
  commit: string,
  maxBytes: number,
): Promise<void> {
  if (await hasCommit(call.git, mirror, commit)) return;
  try {
    const depth = call.isShallow === true ? ['--depth=1'] : [];
    await fetchInto(call, mirror, maxBytes, { args: [...depth, 'origin', `+${commit}:refs/pins/${commit}`] });
  } catch (error) {
    // The lock of a process that was killed: the commit itself arrives before its ref is written.
    if (!(error instanceof JobFailure) || error.code !== 'locked') throw error;
  }
  if (await hasCommit(call.git, mirror, commit)) return;
  // Git does not fetch again what it takes for there, by its refs.
  if (!(await canRead(call.git, mirror, '-t', commit))) throw damagedMirror();
  throw new JobFailure('missing_base', `${call.remote.url} has no commit ${commit}.`);
}

/** Brings the contents of files that a partial mirror lacks, in one request. */
export async function fetchObjects(
  call: Call,
  mirror: Mirror,
  hashes: readonly string[],
  maxBytes: number,
): Promise<void> {
  await fetchInto(call, mirror, maxBytes, {
    // Without negotiation: what we have says nothing about what we lack.
    settings: [['fetch.negotiationAlgorithm', 'noop']],
    args: ['--stdin', 'origin'],
    input: `${hashes.join('\n')}\n`,
  });
}

/** Whether a commit is in the mirror; never asks the remote. */
export async function hasCommit(git: Git, mirror: Mirror, commit: string): Promise<boolean> {
  if (mirror.seen.has(commit)) return true;
  const isThere = await canRead(git, mirror, '-e', `${commit}^{commit}`);
  if (isThere) mirror.seen.add(commit);
  return isThere;
}

/** `-e` looks whether an object is there, and `-t` into it. */
async function canRead(git: Git, mirror: Mirror, how: '-e' | '-t', object: string): Promise<boolean> {
  const result = await git({
    args: ['cat-file', how, object],
    // Git would start a fetch of what it lacks, which its settings forbid anyway.
    environment: { GIT_DIR: mirror.gitDir, GIT_NO_LAZY_FETCH: '1' },
    accept: whereItMayLack,
  });
  return result.code === 0;
}

async function fetchInto(
  { git, remote, signal }: Call,
  mirror: Mirror,
  maxBytes: number,
  what: Pick<GitCall, 'args' | 'settings' | 'input'>,
): Promise<void> {
  const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const objects = join(mirror.gitDir, 'objects');
  const guard = guardSize(objects, maxBytes);
  try {
    await git({
      ...what,
      args: ['fetch', ...quietly, '--no-recurse-submodules', '--filter=blob:none', ...what.args],
      environment: { GIT_DIR: mirror.gitDir },
      remote,
      timeoutMs: fetchTimeoutMs,
      signal: signal ? AbortSignal.any([signal, guard.signal]) : guard.signal,
    });
  } finally {
    guard.end();
  }
  if ((await sizeOf(objects)) > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): JobFailure {
  const megabytes = (maxBytes / 1_000_000).toFixed(1);
  return new JobFailure(
    'too_large',
    `The repository is larger than the ${megabytes} MB that mirrors may take.`,
  );
}

/** Ends a fetch that would fill the disk. */
function guardSize(folder: string, maxBytes: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timer = setInterval(async () => {
    if ((await sizeOf(folder)) > maxBytes) controller.abort(tooLarge(maxBytes));
  }, sizeCheckMs);
  return { signal: controller.signal, end: () => clearInterval(timer) };
}
