import type { TurnRecord } from '../../store/jobs/job.ts';
import type { Change } from '../git/change.ts';
import { findOverlap, type Overlap } from '../git/merge.ts';
import { createPathRules } from '../git/path-rules.ts';
import type { Workspace } from '../git/workspace/workspace.ts';
import { excerpt } from '../text/excerpt.ts';
import type { Start } from './base.ts';
import type { TurnContext } from './turn-context.ts';

const maxNamed = 20;

/** What a turn finds out before it goes on with a branch whose base has moved. */
interface BaseMerge extends Pick<TurnRecord, 'merged'> {
  /** For the transcript. */
  said?: string;
}

/**
 * Whether a turn has to bring its base branch into its own: where both have changed the same files since they parted. Where
 * they have not, a code host does that by itself in the end.
 */
export async function findBaseMerge(
  { gitClient, target, project }: TurnContext,
  { base: tip, baseBranch, baseTip: base = null }: Start,
): Promise<BaseMerge> {
  if (base === null || base === tip) return {};
  const access = await target.access();
  const overlap = await gitClient.look(access, tip, async (call) => {
    await call.ensure(base);
    return await findOverlap(call, tip, base);
  });
  if (!overlap || overlap.paths.length === 0) return {};
  const closed = findClosed(overlap, project.settings.agentPaths);
  if (closed.length > 0) {
    return {
      said: `${baseBranch} and this branch have changed the same lines of ${list(closed)}, which an agent may not change: bring them together by hand. This turn goes on without that.`,
    };
  }
  const files = `${baseBranch} has changed files that this branch changes, too (${list(overlap.paths)})`;
  const conflicts = overlap.conflicts.map(({ path }) => path);
  const left = conflicts.length === 0 ? '.' : `, and the agent brings together ${list(conflicts)}.`;
  return { merged: base, said: `${files}: it is merged into the branch${left}` };
}

function findClosed({ conflicts, tangled }: Overlap, globs: readonly string[]): string[] {
  const rules = createPathRules(globs);
  const paths = conflicts.map(({ path }) => path);
  return paths.filter((path) => rules.findRefusal(path) !== undefined || tangled.includes(path));
}

/** What the prompt says of it. Undefined where nothing is merged. */
export function describeBaseMerge(
  { commit, conflicts }: Pick<Workspace, 'commit' | 'conflicts'>,
  { merged, base, baseBranch = '' }: TurnRecord,
): string | undefined {
  if (!merged || commit === base) return undefined;
  const name = JSON.stringify(excerpt(baseBranch, 200));
  const lead = `The base branch ${name} has moved, and was merged into your branch for you, as both had changed the same files.`;
  if (conflicts.length === 0)
    return `${lead} There was no conflict. Read files again before you change them.`;
  const lines = conflicts.map(({ path, ours, theirs }) => {
    const what =
      theirs === undefined
        ? `${name} deleted it, your branch changed it, and it is here as your branch has it`
        : ours === undefined
          ? `your branch deleted it, ${name} changed it, and it is here as ${name} has it`
          : `between "<<<<<<< ${base}" and "=======" stands your branch, from there to ">>>>>>> ${merged}" stands ${name}; a file without these marks is here as your branch has it`;
    return `- ${JSON.stringify(excerpt(path, 300))}: ${what}`;
  });
  return `${lead} These files conflict. Before anything else bring both sides together in each of them: keep what each of them
meant to change, the facts of ${name} where they exclude each other, and no mark.\n${lines.join('\n')}`;
}

/** Files in which a conflict still stands. */
export async function findConflictsLeft(
  { git, conflicts }: Workspace,
  { merged, base }: TurnRecord,
  { tree, files }: Change,
  signal: AbortSignal,
): Promise<string[]> {
  if (!merged || conflicts.length === 0) return [];
  // What else is there need not be on this machine.
  const paths = new Set([...conflicts, ...files].map(({ path }) => path));
  const marks = ['-e', `<<<<<<< ${base}`, '-e', `>>>>>>> ${merged}`];
  const { stdout } = await git({
    args: ['grep', '--name-only', '-z', '--fixed-strings', '--threads=1', ...marks, tree, '--', ...paths],
    accept: [0, 1],
    signal,
  });
  return stdout
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((path) => path.slice(tree.length + 1));
}

function list(paths: readonly string[]): string {
  const named = paths.slice(0, maxNamed).map((path) => excerpt(path, 200));
  return paths.length > maxNamed
    ? `${named.join(', ')} and ${paths.length - maxNamed} more`
    : named.join(', ');
}
