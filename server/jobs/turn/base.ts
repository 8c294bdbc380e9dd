import { fillPrefix } from '../../../shared/jobs/git-ref.ts';
import type { Job, TurnRecord } from '../../store/jobs/job.ts';
import { newestJobs } from '../../store/jobs/jobs.ts';
import { JobFailure } from '../failure.ts';
import { numberInLink } from '../forge/pull-link.ts';
import type { Pinned } from '../git/git-client.ts';
import type { TurnContext } from './turn-context.ts';

export type Start = Required<Pick<TurnRecord, 'base' | 'baseBranch' | 'branch'>> & TurnRecord;

/** More than anybody merges of one job, less than a search without end. */
const maxBranches = 100;

/** Where a turn starts: at the tip of the job's branch while that is in use, otherwise on a new branch. */
export async function findStart(context: TurnContext): Promise<Start> {
  const start = (await findGoingOn(context)) ?? (await beginAnew(context));
  const draft = context.lease.earlier?.draft;
  // A later turn may be the first that has something to open.
  return draft === undefined ? start : { ...start, draft };
}

/** @throws JobFailure while as many pull requests of jobs are open as the project wants */
async function beginAnew(context: TurnContext): Promise<Start> {
  const { services, project, target, lease } = context;
  const { maxOpenPullRequests: most } = project.settings;
  // What takes something back waits for nothing.
  if (most !== null && target.forge && lease.record.reverts === undefined) {
    const { repository, projectId } = lease.job;
    const { jobs } = await services.store.jobs.listJobs({ projectId, ...newestJobs });
    const others = jobs
      .filter((job) => job.repository === repository)
      .map((job) => ({ job, number: numberInLink(job.prLink) ?? 0 }));
    const numbers = others.map(({ number }) => number).filter((number) => number > 0);
    const states = await target.forge.findStates(numbers, lease.signal);
    const open = others.filter(
      ({ job, number }) => states.get(number)?.state === 'open' || mayOpenBefore(job, lease.job),
    );
    if (open.length >= most) throw tooManyOpen(most);
  }
  return await findNewStart(context, nextNumber(context));
}

/**
 * Of jobs that are at work at once the older one comes first, on whatever node. One that a message wakes again does not see
 * the younger ones that have begun and have nothing open yet.
 */
function mayOpenBefore(other: Job, job: Job): boolean {
  if (other.status !== 'active' || other.reverts !== null) return false;
  return `${other.createdAt} ${other.id}` < `${job.createdAt} ${job.id}`;
}

function tooManyOpen(most: number): JobFailure {
  return new JobFailure(
    'open_pull_requests',
    `Jobs of this project may have ${most} pull requests open at once, and so many are open or about to be: merge or close one, and send the job a message.`,
  );
}

/** Undefined: there is no branch to go on with. */
async function findGoingOn({ lease, gitClient, target }: TurnContext): Promise<Start | undefined> {
  const { earlier } = lease;
  if (!earlier?.branch || !earlier.baseBranch) return undefined;
  const { branch, pullRequest, chapters, title, body, isDraft } = earlier;
  let { baseBranch } = earlier;
  if (pullRequest && target.forge) {
    const found = await target.forge.findPullRequest(pullRequest.number, lease.signal);
    if (found?.state !== 'open') return undefined;
    // People may have chosen another one for it.
    baseBranch = found.base;
  }
  const [tip = null, baseTip = null] = await gitClient.findTips(await target.access(), [branch, baseBranch]);
  if (tip === null) return undefined;
  const written = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(isDraft !== undefined && { isDraft }),
  };
  return {
    base: tip,
    baseBranch,
    baseTip,
    branch,
    expectedTip: tip,
    tip,
    ...(chapters && { chapters }),
    ...written,
    ...(pullRequest && { pullRequest }),
  };
}

/** A branch that was pushed and is used up gives its name to nobody else. */
function nextNumber({ lease: { earlier } }: TurnContext): number {
  if (!earlier?.branch) return 1;
  const number = Number(/-(\d+)$/.exec(earlier.branch)?.[1] ?? 1);
  return earlier.tip === undefined ? number : number + 1;
}

/** What the names of branches begin with that this turn makes; its words are shown to everybody. */
export function prefixOf({ project, lease, redact }: TurnContext): string {
  return fillPrefix(project.settings.branchPrefix, redact(lease.turn.prompt));
}

/** From the project's base as it is now. */
export async function findNewStart(context: TurnContext, first: number): Promise<Start> {
  const { lease, gitClient, target } = context;
  const { id, ref } = lease.job;
  const prefix = prefixOf(context);
  for (let number = first; number < first + maxBranches; number += 1) {
    const name = number === 1 ? id : `${id}-${number}`;
    const pinned: Pinned = await gitClient.pinBase(await target.access(), ref, { prefix, name });
    if (pinned.tip !== null) continue;
    return {
      base: pinned.commit,
      merged: null,
      baseBranch: pinned.baseBranch,
      branch: pinned.branch,
      expectedTip: null,
    };
  }
  throw new JobFailure('conflict', `There are too many branches named like ${id}: remove some of them.`);
}
