import type { History } from '../../agent/tools/history.ts';
import { ToolError } from '../../agent/tools/tool-error.ts';
import type { CollectedChange } from '../../git/change.ts';
import { findAncestor, findMergeBase, readDiff, readLog } from '../../git/history.ts';
import type { TurnContext } from '../turn-context.ts';

interface Bounds {
  /** The commit that the turn begins with. */
  base: string;
  /** The tip of the branch that the pull request goes to. */
  reviewed: Promise<string | undefined>;
  /** What the turn has done so far. */
  collect: () => Promise<CollectedChange>;
}

const maxDiffLength = 200_000;

/** What an agent may see of the past: its own branch, and what that comes from. */
export function turnHistory(
  { gitClient, target }: TurnContext,
  { base, reviewed, collect }: Bounds,
): History {
  const diffOfCommit = async (commit: string, path: string) => {
    const access = await target.access();
    const diff = await gitClient.look(access, base, async (call) => {
      const found = await findAncestor(call, commit, base);
      return found === undefined ? null : await readDiff(call, { from: undefined, to: found, path });
    });
    if (diff === null) throw new ToolError('This branch has no such commit. Use the log tool to find it.');
    return diff;
  };
  /** Of earlier turns; a pull request that has none begins here. */
  const diffOfBranch = async (path: string) => {
    const tip = await reviewed;
    if (tip === undefined || tip === base) return '';
    return await gitClient.look(await target.access(), base, async (call) => {
      const from = await findMergeBase(call, tip, base);
      return from === undefined ? '' : await readDiff(call, { from, to: base, path });
    });
  };
  return {
    log: async (query) => {
      const access = await target.access();
      return await gitClient.look(access, base, (call) => readLog(call, base, query));
    },
    diff: async ({ commit, path }) => {
      if (commit !== undefined) return await diffOfCommit(commit, path);
      const [before, change] = [await diffOfBranch(path), await collect()];
      const now = patchOf(change, path);
      return before === undefined || now.length > maxDiffLength ? undefined : before + now;
    },
  };
}

/** Of the files at a path, or below it. */
function patchOf({ patch }: CollectedChange, path: string): string {
  const parts = patch.toString().split(/^(?=diff --git )/m);
  const isWanted = (part: string) =>
    path === '' || new RegExp(`^diff --git .* b/${RegExp.escape(path)}(/|$)`, 'm').test(part);
  return parts.filter((part) => isWanted(part) && !part.includes('\nGIT binary patch\n')).join('');
}
