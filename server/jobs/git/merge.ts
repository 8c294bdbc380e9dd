import { JobFailure } from '../failure.ts';
import { type ChangeLimits, readChange } from './change.ts';
import {
  applyPatch,
  type CommitCall,
  type CommitPlan,
  identityOf,
  listPresent,
  type MadeCommit,
  makeCommit,
  withIndex,
  writeTree,
} from './commit.ts';
import type { Conflict } from './conflict.ts';
import type { BoundGit } from './git.ts';
import { findMergeBase, isAncestor } from './history.ts';

/** What a workspace begins with. */
export interface Start {
  commit: string;
  /** The same files without marks of conflicts: those that have some are as the merged side has them. */
  sound: string;
  conflicts: readonly Conflict[];
}

/** A merge as git makes it by itself; what it cannot bring together stands in the files between marks. */
interface MergedTree {
  tree: string;
  conflicts: Conflict[];
}

/** Whom the commit is by that never leaves this machine: it is the same whenever it is made. */
const nobody = { name: 'Headcount', email: 'headcount@localhost' };

export function plainStart(commit: string): Start {
  return { commit, sound: commit, conflicts: [] };
}

/** Merges one commit into another, as far as git can. */
export async function startMerge(call: CommitCall, ours: string, theirs: string): Promise<Start> {
  const { tree, conflicts } = await mergeTrees(call, ours, theirs);
  const sound = conflicts.length === 0 ? tree : await takeTheirs(call, tree, conflicts);
  const made = await call.git({
    args: ['commit-tree', tree, '-p', ours, '-p', theirs, '-m', 'Merge'],
    environment: { GIT_DIR: call.mirror.gitDir, ...identityOf({ author: nobody, committer: nobody, at: 0 }) },
    signal: call.signal,
  });
  return { commit: made.stdout.toString().trim(), sound, conflicts };
}

/** How two commits that parted go together. */
export interface Overlap {
  /** Files that both of them changed. */
  paths: readonly string[];
  conflicts: readonly Conflict[];
  /** Conflicts that do not stand in a file of their name, as where one side has a folder there. */
  tangled: readonly string[];
}

/** Undefined where one of them holds the other already. */
export async function findOverlap(
  call: CommitCall,
  ours: string,
  theirs: string,
): Promise<Overlap | undefined> {
  const parted = await findMergeBase(call, ours, theirs);
  if (parted === undefined || parted === ours || parted === theirs) return undefined;
  const [mine = [], yours = []] = await Promise.all(
    [ours, theirs].map((side) => listPaths(call, parted, side)),
  );
  const { tree, conflicts } = await mergeTrees(call, ours, theirs);
  const paths = conflicts.map(({ path }) => path);
  const there = paths.length === 0 ? [] : await listPresent(call, tree, paths);
  return {
    paths: [...new Set([...mine.filter((path) => yours.includes(path)), ...paths])],
    conflicts,
    tangled: paths.filter((path) => !there.includes(path)),
  };
}

/**
 * Makes the commit of a turn that worked on a merge.
 * @param plan its patch is what the turn changed of what `startMerge` made
 * @returns the patch that makes the same commit of `merged` alone, wherever it runs
 */
export async function makeMerge(
  call: CommitCall,
  { merged, ...plan }: CommitPlan & { merged: string },
): Promise<MadeCommit & { patch: Buffer }> {
  const start = await startMerge(call, plan.base, merged);
  const tree = await withIndex(call, start.commit, async (environment) => {
    const { code, stderr } = await applyPatch(call, environment, plan.patch, []);
    if (code === 0) return await writeTree(call, environment);
    const cause = new Error(stderr);
    throw new JobFailure('conflict', `The change does not fit the merge of ${merged}.`, { cause });
  });
  const patch = await readPatchOf(call, merged, tree);
  return { patch, ...(await makeCommit(call, { ...plan, merged, patch })) };
}

type Remerged =
  | { kind: 'applied'; patch: Buffer; merged: string | null }
  | { kind: 'conflict'; paths: string[] };

/** Brings the commit of a turn that merged together with what people pushed meanwhile. */
export async function mergeAgain(
  call: CommitCall,
  { commit, merged, onto, limits }: { commit: string; merged: string; onto: string; limits: ChangeLimits },
): Promise<Remerged> {
  const { tree, conflicts } = await mergeTrees(call, onto, commit);
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts.map(({ path }) => path) };
  // Somebody may have merged it, too.
  const isMerged = await isAncestor(call, merged, onto);
  const start = isMerged ? { tree: onto, conflicts: [] } : await mergeTrees(call, onto, merged);
  await readChange(bind(call), start.tree, tree, { ...limits, conflicts: start.conflicts }, call.signal);
  const patch = await readPatchOf(call, isMerged ? onto : merged, tree);
  return { kind: 'applied', patch, merged: isMerged ? null : merged };
}

export function bind({ git, mirror, remote }: CommitCall): BoundGit {
  return (part) => git({ ...part, environment: { GIT_DIR: mirror.gitDir }, remote });
}

/** @param paths all where none is given */
export async function readPatchOf(
  call: CommitCall,
  from: string,
  tree: string,
  paths: readonly string[] = [],
): Promise<Buffer> {
  const format = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'];
  const sides = ['--src-prefix=a/', '--dst-prefix=b/', from, tree];
  const args = ['--literal-pathspecs', 'diff-tree', '-r', '-p', ...format, ...sides, '--', ...paths];
  return (await bind(call)({ args, ...(call.signal && { signal: call.signal }) })).stdout;
}

export async function listPaths(call: CommitCall, from: string, to: string): Promise<string[]> {
  const listed = await bind(call)({
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to],
  });
  return listed.stdout.toString().split('\0').slice(0, -1);
}

/** https://git-scm.com/docs/git-merge-tree#OUTPUT */
async function mergeTrees(call: CommitCall, ours: string, theirs: string): Promise<MergedTree> {
  const { git, mirror, remote, signal } = call;
  const { stdout } = await git({
    args: ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs],
    environment: { GIT_DIR: mirror.gitDir },
    remote,
    signal,
    accept: [0, 1],
  });
  const [tree = '', ...records] = stdout.toString().split('\0').slice(0, -1);
  const found = new Map<string, Conflict>();
  for (const record of records) {
    const [, hash = '', stage = '', path = ''] = /^\d+ (\w+) ([123])\t([\s\S]+)$/.exec(record) ?? [];
    const conflict = found.get(path) ?? { path, ours: undefined, theirs: undefined };
    if (stage === '2') conflict.ours = hash;
    if (stage === '3') conflict.theirs = hash;
    if (path !== '') found.set(path, conflict);
  }
  return { tree, conflicts: [...found.values()] };
}

async function takeTheirs(call: CommitCall, tree: string, conflicts: readonly Conflict[]): Promise<string> {
  return await withIndex(call, tree, async (environment) => {
    const lines = conflicts.map(({ path, ours, theirs }) => `100644 ${theirs ?? ours}\t${path}\0`);
    const args = ['update-index', '-z', '--index-info'];
    await call.git({ args, environment, input: lines.join(''), signal: call.signal });
    return await writeTree(call, environment);
  });
}
