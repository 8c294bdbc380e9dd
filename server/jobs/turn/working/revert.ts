import { newestJobs } from '../../../store/jobs/jobs.ts';
import { JobFailure } from '../../failure.ts';
import type { Forge, Merge } from '../../forge/forge.ts';
import { numberInLink } from '../../forge/pull-link.ts';
import type { Change } from '../../git/change.ts';
import { revertMerged } from '../../git/revert.ts';
import type { TurnContext } from '../turn-context.ts';
import { changeLimits, type Work } from './agent-run.ts';

const maxNamed = 20;

/** Takes back a merged pull request: git works it out, and no agent is asked. @throws JobFailure */
export async function takeBack(context: TurnContext, url: string): Promise<Work> {
  const { target, lease } = context;
  const { forge } = target;
  if (!forge) {
    throw new JobFailure('bad_forge', 'Only a code host knows how it was merged: revert it with git.');
  }
  const open = await findOpen(context, forge, url);
  if (open !== undefined) return toWork(`It is proposed already, in ${open}.`, noChange);
  const { title, commit } = await findMerged(context, forge, url);
  const change = await revert(context, forge, { url, commit });
  if (change.files.length === 0) {
    return toWork(`Nothing of ${url} is left in ${lease.record.baseBranch}.`, change);
  }
  return toWork(`Revert "${title}"\n\nThis takes back ${url}, and leaves what came after it.`, change);
}

const noChange: Change = { files: [], patch: Buffer.alloc(0), bytes: 0, tree: '' };

function toWork(summary: string, change: Change): Work {
  return {
    ...{ summary, pullTitle: undefined, change: { ...change, ignored: [] }, unfinished: undefined },
    ...{ checked: { findings: [], unfinished: undefined }, bringsTogether: false, repeats: [], untrue: [] },
  };
}

/** Of this job, or of one that was archived since: there are never two. */
async function findOpen(
  { services, lease }: TurnContext,
  forge: Forge,
  url: string,
): Promise<string | undefined> {
  const { pullRequest, expectedTip } = lease.record;
  if (expectedTip !== null && pullRequest) return pullRequest.url;
  const { projectId, id } = lease.job;
  const query = { projectId, ...newestJobs };
  const { jobs } = await services.store.jobs.listJobs(query);
  for (const job of jobs.filter((other) => other.reverts === url && other.id !== id)) {
    const number = numberInLink(job.prLink);
    const found = number && (await forge.findPullRequest(number, lease.signal));
    if (found && found.state === 'open') return found.url;
  }
  return undefined;
}

/** @throws JobFailure where it was not merged */
async function findMerged(
  { lease }: TurnContext,
  forge: Forge,
  url: string,
): Promise<Merge & { commit: string }> {
  const number = numberInLink(url) ?? 0;
  const pull = await forge.findPullRequest(number, lease.signal);
  if (pull?.url !== url) {
    throw new JobFailure(
      'not_found',
      `There is no pull request ${url} in the repository of the project any more.`,
    );
  }
  const merge = await forge.readMerge(pull, lease.signal);
  if (merge.state !== 'merged') {
    throw new JobFailure(
      'not_merged',
      `${url} was not merged, so that nothing has to be taken back: close it there.`,
    );
  }
  if (merge.commit === null) {
    throw new JobFailure(
      'bad_forge',
      `The code host does not tell with which commit ${url} was merged: revert it with git.`,
    );
  }
  return { ...merge, commit: merge.commit };
}

/** @throws JobFailure where git cannot do it by itself, or a job may not */
async function revert(
  { target, lease, gitClient, project }: TurnContext,
  forge: Forge,
  { url, commit }: { url: string; commit: string },
): Promise<Change> {
  const { base = '', baseBranch } = lease.record;
  const messages = await forge.listMessages(numberInLink(url) ?? 0, lease.signal);
  const limits = changeLimits(project);
  const reverted = await gitClient.look(await target.access(), base, (call) =>
    revertMerged(call, base, { commit, messages }, limits),
  );
  switch (reverted.kind) {
    case 'applied':
      return reverted.change;
    case 'missing':
      throw new JobFailure(
        'missing_base',
        `The commit ${commit} of ${url} is not in ${baseBranch}: revert it with git.`,
      );
    case 'conflict':
      throw new JobFailure(
        'conflict',
        `What ${url} changed in ${list(reverted.paths)} was changed again since, so that git cannot take it back by itself: send this job a message, such as "Take back what ${commit.slice(0, 10)} changed, and keep what came after it", and the agent does so.`,
      );
    default:
      return reverted satisfies never;
  }
}

function list(paths: readonly string[]): string {
  const named = paths.slice(0, maxNamed).join(', ');
  return paths.length > maxNamed ? `${named} and ${paths.length - maxNamed} more` : named;
}
