import type { Look } from './access.ts';
import type { Change, ChangeLimits } from './change.ts';
import { reapplyChange } from './commit.ts';
import { isAncestor } from './history.ts';
import { listChanges } from './listing.ts';
import { bind, listPaths, readPatchOf } from './merge.ts';

/** A pull request as it came into its base. */
export interface MergedCommit {
  commit: string;
  /** Of the commits that it had, in any order. */
  messages: readonly string[];
}

export type RevertedMerge =
  | { kind: 'applied'; change: Change }
  | { kind: 'conflict'; paths: string[] }
  /** It is not in the history of the base. */
  | { kind: 'missing' };

/** What takes a merged pull request back on top of what came after it. */
export async function revertMerged(
  call: Look,
  onto: string,
  merged: MergedCommit,
  limits: ChangeLimits,
): Promise<RevertedMerge> {
  const { commit } = merged;
  if (!(await isAncestor(call, commit, onto))) return { kind: 'missing' };
  const before = await findBefore(call, merged);
  if (before === undefined) return { kind: 'missing' };
  const [touched, differing] = await Promise.all([
    listPaths(call, commit, before),
    listChanges(bind(call), onto, before, call.signal),
  ]);
  // What is as it was before already, somebody else has taken back.
  const different = new Set(differing.flatMap(({ path, from }) => [path, from]));
  const paths = touched.filter((path) => different.has(path));
  const patch = paths.length === 0 ? Buffer.alloc(0) : await readPatchOf(call, commit, before, paths);
  // What stood there before, and what stands there now, was put there by others: code in it is not new.
  const conflicts = differing.map(({ path, from = path, before: ours, after: theirs }) => {
    return { path: from, ours, theirs };
  });
  return await reapplyChange(call, { patch, onto, limits: { ...limits, conflicts } });
}

/** The base as it was before. Undefined where it has no commit before. */
async function findBefore(call: Look, { commit, messages }: MergedCommit): Promise<string | undefined> {
  const [own, ...earlier] = await readLine(call, commit, messages.length + 1);
  // Of a merge the first parent is the base.
  if (own === undefined || own.parents.length !== 1) return own?.parents[0];
  const line = [own, ...earlier].slice(0, messages.length);
  const first = isRebased(line, messages) ? line.at(-1) : own;
  return first?.parents[0];
}

/** Whether the newest commits of the base are those of the pull request one by one, and not all of them as one. */
function isRebased(line: readonly LineCommit[], messages: readonly string[]): boolean {
  const found = line.map(({ message }) => message).toSorted();
  const own = messages.map((message) => message.trim()).toSorted();
  return own.length > 1 && found.length === own.length && found.every((message, i) => message === own[i]);
}

interface LineCommit {
  parents: string[];
  message: string;
}

/** A commit and those before it on its branch, the newest first. */
async function readLine({ git, mirror, signal }: Look, commit: string, count: number): Promise<LineCommit[]> {
  const { stdout } = await git({
    args: [
      ...['log', '-z', '--first-parent', `--max-count=${count}`, '--no-show-signature'],
      ...['--format=%P%x01%B', commit, '--'],
    ],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
  });
  const records = stdout.toString().split('\0');
  return records.flatMap((record) => {
    const [parents, message] = record.split('\u0001');
    if (parents === undefined || message === undefined) return [];
    return [{ parents: parents.split(' ').filter(Boolean), message: message.trim() }];
  });
}
