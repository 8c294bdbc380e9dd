import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../failure.ts';
import { type Change, type ChangeLimits, readChange } from './change.ts';
import type { Git, Remote } from './git.ts';
import { type ListedChange, listChanges } from './listing.ts';
import type { Mirror } from './mirror.ts';
import { listFilesAt } from './tree.ts';

export interface Person {
  name: string;
  email: string;
}

export interface CommitPlan {
  /** The first parent. */
  base: string;
  /** The second parent of a merge: then the patch is what the commit changes of this one. */
  merged?: string | null | undefined;
  patch: Buffer;
  message: string;
  author: Person;
  committer: Person;
  /** Author and committer date, in milliseconds since 1970: fixed per turn, so that the hash is too. */
  at: number;
  /** With which it was signed before: the same hash needs the same signature. */
  signature?: string | undefined;
  /** Signs it where it has none; undefined: it is not signed. */
  sign?: ((payload: Buffer) => string) | undefined;
}

export interface MadeCommit {
  commit: string;
  tree: string;
  signature?: string | undefined;
}

export interface CommitCall {
  git: Git;
  mirror: Mirror;
  /** Parts of files that the patch needs may be missing in a new mirror. */
  remote: Remote;
  scratch: string;
  signal?: AbortSignal | undefined;
}

/** The same plan gives the same hash on every machine. The parents must be in the mirror. */
export async function makeCommit(call: CommitCall, plan: CommitPlan): Promise<MadeCommit> {
  const changed = plan.merged ?? plan.base;
  return await withIndex(call, changed, async (environment) => {
    const { git, remote, signal } = call;
    const applied = await applyPatch(call, environment, plan.patch, []);
    if (applied.code !== 0) {
      throw new JobFailure('conflict', `The recorded change does not fit commit ${changed}.`, {
        cause: new Error(applied.stderr),
      });
    }
    const tree = await writeTree(call, environment);
    const made = await git({
      args: ['commit-tree', tree, '-p', plan.base, ...(plan.merged ? ['-p', plan.merged] : [])],
      environment: { ...environment, ...identityOf(plan) },
      // Git refuses a message with a NUL in it.
      input: `${plan.message.replaceAll('\0', '').trimEnd()}\n`,
      remote,
      signal,
    });
    const plain = made.stdout.toString().trim();
    const { commit, signature } = await signCommit(call, plain, plan);
    call.mirror.seen.add(commit);
    return { commit, tree, ...(signature !== undefined && { signature }) };
  });
}

/** The same commit with a signature in its head, as git writes it there. */
async function signCommit(
  { git, mirror, signal }: CommitCall,
  commit: string,
  { signature: given, sign }: CommitPlan,
): Promise<{ commit: string; signature?: string | undefined }> {
  if (given === undefined && sign === undefined) return { commit };
  const environment = { GIT_DIR: mirror.gitDir };
  const read = await git({ args: ['cat-file', 'commit', commit], environment, signal });
  const payload = read.stdout;
  const signature = given ?? sign?.(payload) ?? '';
  // A hash of SHA-256 has 64 digits: https://git-scm.com/docs/hash-function-transition
  const name = commit.length === 64 ? 'gpgsig-sha256' : 'gpgsig';
  const header = `\n${name} ${signature.replaceAll('\n', '\n ')}`;
  const end = payload.indexOf('\n\n');
  const input = Buffer.concat([payload.subarray(0, end), Buffer.from(header), payload.subarray(end)]);
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const written = await git({ args, environment, input, signal });
  return { commit: written.stdout.toString().trim(), signature };
}

export type Reapplied = { kind: 'applied'; change: Change } | { kind: 'conflict'; paths: string[] };

/** Moves a change onto a newer commit. Where both changed the same lines, it says in which files. */
export async function reapplyChange(
  call: CommitCall,
  { patch, onto, limits }: { patch: Buffer; onto: string; limits: ChangeLimits },
): Promise<Reapplied> {
  return await withIndex(call, onto, async (environment) => {
    const applied = await applyPatch(call, environment, patch, ['--3way']);
    if (applied.code !== 0) {
      return { kind: 'conflict', paths: await listConflicts(call, environment, applied.stderr) };
    }
    const tree = await writeTree(call, environment);
    const bound = (part: { args: readonly string[] }) =>
      call.git({ ...part, environment, remote: call.remote });
    return { kind: 'applied', change: await readChange(bound, onto, tree, limits, call.signal) };
  });
}

/** What a commit changed since it left another one's history. Both must be in the mirror. */
export async function compareCommits(
  { git, mirror, remote, signal }: Omit<CommitCall, 'scratch'>,
  base: string,
  commit: string,
): Promise<ListedChange[]> {
  const environment = { GIT_DIR: mirror.gitDir };
  const found = await git({ args: ['merge-base', base, commit], environment, signal, accept: [0, 1] });
  const from = found.code === 0 ? found.stdout.toString().trim() : base;
  return await listChanges((call) => git({ ...call, environment, remote }), from, commit, signal);
}

/** Undefined when the commit has no plain file there. @throws JobFailure too_large */
export async function readCommitted(
  call: Omit<CommitCall, 'scratch'>,
  commit: string,
  path: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  return await readFirst(call, commit, [path], maxBytes);
}

/** The first of some paths at which the commit has a plain file. @throws JobFailure too_large */
export async function readFirst(
  { git, mirror, remote, signal }: Omit<CommitCall, 'scratch'>,
  commit: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  const environment = { GIT_DIR: mirror.gitDir };
  const there = await listFilesAt((part) => git({ ...part, environment, signal }), commit, paths);
  const found = paths.map((path) => there.find((entry) => entry.path === path)).find(Boolean);
  if (!found) return undefined;
  const args = ['cat-file', 'blob', found.hash];
  return (await git({ args, environment, remote, signal, maxBytes })).stdout;
}

/** Subjects of the commits that led to one, the newest first, without merges and without those of jobs. */
export async function listSubjects(
  { git, mirror, signal }: Omit<CommitCall, 'scratch' | 'remote'>,
  commit: string,
  count: number,
): Promise<string[]> {
  const format = ['--first-parent', '--no-merges', `--max-count=${count}`, '--format=%s'];
  const others = ['--invert-grep', '--grep=^Headcount-Job: '];
  const environment = { GIT_DIR: mirror.gitDir };
  const found = await git({ args: ['log', ...format, ...others, commit, '--'], environment, signal });
  return found.stdout
    .toString()
    .split('\n')
    .filter((subject) => subject !== '');
}

/** Those of some paths at which a commit has something. */
export async function listPresent(
  { git, mirror, signal }: Omit<CommitCall, 'scratch' | 'remote'>,
  commit: string,
  paths: readonly string[],
): Promise<string[]> {
  const environment = { GIT_DIR: mirror.gitDir };
  const args = ['ls-tree', '--full-tree', '--name-only', '-z', commit, '--', ...paths];
  return (await git({ args, environment, signal })).stdout
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}

/** Works in an index of its own: no workspace is needed, and nobody else is disturbed. */
export async function withIndex<T>(
  { git, mirror, scratch, signal }: CommitCall,
  commit: string,
  action: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const folder = join(scratch, `index-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const environment = { GIT_DIR: mirror.gitDir, GIT_INDEX_FILE: join(folder, 'index') };
    await git({ args: ['read-tree', commit], environment, signal });
    return await action(environment);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function applyPatch(
  { git, remote, signal }: CommitCall,
  environment: Record<string, string>,
  patch: Buffer,
  options: readonly string[],
): Promise<{ code: number; stderr: string }> {
  // Git takes an empty patch for a broken one.
  if (patch.length === 0) return { code: 0, stderr: '' };
  return await git({
    args: ['apply', '--cached', '--whitespace=nowarn', ...options, '-'],
    environment,
    input: patch,
    remote,
    signal,
    accept: [0, 1],
  });
}

export async function writeTree(
  { git, signal }: CommitCall,
  environment: Record<string, string>,
): Promise<string> {
  // A partial mirror lacks the contents of files that the patch does not touch.
  const written = await git({ args: ['write-tree', '--missing-ok'], environment, signal });
  return written.stdout.toString().trim();
}

async function listConflicts(
  { git, signal }: CommitCall,
  environment: Record<string, string>,
  stderr: string,
): Promise<string[]> {
  const unmerged = await git({ args: ['ls-files', '-z', '--unmerged'], environment, signal });
  const paths = unmerged.stdout
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((line) => line.slice(line.indexOf('\t') + 1));
  const named = [...stderr.matchAll(/^error: (?:patch failed: )?(.+?)(?::\d+$|: .*$)/gm)].map(
    (match) => match[1] ?? '',
  );
  return [...new Set([...paths, ...named])];
}

export function identityOf({
  author,
  committer,
  at,
}: Pick<CommitPlan, 'author' | 'committer' | 'at'>): Record<string, string> {
  const date = `@${Math.floor(at / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: date,
  };
}
