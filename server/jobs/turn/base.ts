import type { TurnRecord } from '../../store/job-store.ts';
import { JobFailure } from '../failure.ts';
import type { Pinned } from '../git/workspace.ts';
import type { Workshop } from './turn-context.ts';

type Start = Required<Pick<TurnRecord, 'base' | 'baseBranch' | 'branch'>> & TurnRecord;

/** More than anybody merges of one job, less than a search without end. */
const maxBranches = 100;

/** Where a turn starts: at the tip of the job's branch while that is in use, otherwise on a new branch. */
export async function findStart(shop: Workshop): Promise<Start> {
  return (await findGoingOn(shop)) ?? (await findNewStart(shop, nextNumber(shop)));
}

/** Undefined: there is no branch to go on with. */
async function findGoingOn({ held, workspace, destination }: Workshop): Promise<Start | undefined> {
  const { earlier } = held;
  if (!earlier?.branch || !earlier.baseBranch) return undefined;
  const tip = await workspace.findTip(await destination.access(), earlier.branch);
  if (tip === null) return undefined;
  const { baseBranch, branch, pullRequest } = earlier;
  if (pullRequest && destination.forge) {
    const found = await destination.forge.findPullRequest(pullRequest.number, held.signal);
    if (found?.state !== 'open') return undefined;
  }
  return { base: tip, baseBranch, branch, expectedTip: tip, tip, ...(pullRequest && { pullRequest }) };
}

/** A branch that was pushed and is used up gives its name to nobody else. */
function nextNumber({ held: { earlier } }: Workshop): number {
  if (!earlier?.branch) return 1;
  const number = Number(/-(\d+)$/.exec(earlier.branch)?.[1] ?? 1);
  return earlier.tip === undefined ? number : number + 1;
}

/** From the project's base as it is now. */
export async function findNewStart(
  { held, project, workspace, destination }: Workshop,
  first: number,
): Promise<Start> {
  const { id, ref } = held.job;
  for (let number = first; number < first + maxBranches; number += 1) {
    const name = number === 1 ? id : `${id}-${number}`;
    const prefix = project.settings.branchPrefix;
    const pinned: Pinned = await workspace.pinBase(await destination.access(), ref, { prefix, name });
    if (pinned.tip !== null) continue;
    return {
      base: pinned.commit,
      baseBranch: pinned.baseBranch,
      branch: pinned.branch,
      expectedTip: null,
    };
  }
  throw new JobFailure('conflict', `There are too many branches named like ${id}: remove some of them.`);
}
