import type { TurnRecord } from '../../store/jobs/job.ts';
import { reasonOf } from '../text/no-change.ts';
import { findStart } from './base.ts';
import { findBaseMerge } from './base-merge.ts';
import { endUnfinished } from './ending.ts';
import { answerTurn } from './publishing/answer.ts';
import { annotateLeftMerge } from './publishing/merge-annotation.ts';
import { commitWork, pushMended } from './publishing/publishing.ts';
import {
  askForReviews,
  labelPullRequest,
  openPullRequest,
  rewritePullRequest,
  updatePullRequest,
} from './publishing/pull-request.ts';
import type { TurnContext } from './turn-context.ts';
import { letAgentWork } from './working/agent-run.ts';
import { prepareAgent } from './working/agents.ts';
import { takeBack } from './working/revert.ts';

/**
 * Works off one turn from the phase that an earlier attempt reached. Each phase is recorded before the next begins, so
 * that a kill at any moment costs at most the phase that was under way.
 *
 * @throws JobFailure, LeaseLost, or the reason of the turn's signal
 */
export async function runTurn(context: TurnContext): Promise<void> {
  const { lease } = context;
  if (lease.lacks('committed')) prepareAgent(context);
  if (lease.lacks('pinned')) {
    const start = await findStart(context);
    const { base, branch, expectedTip } = start;
    const isAlone = expectedTip === null || lease.record.reverts !== undefined;
    const { said, ...merge } = isAlone ? {} : await findBaseMerge(context, start);
    await lease.reach('pinned', { ...start, ...merge }, { base, branch, ...merge });
    if (said !== undefined) await lease.say({ type: 'note', data: { message: said } });
  }
  if (lease.lacks('committed')) await commitChange(context);
  await publish(context);
  await answerTurn(context);
  await end(context);
}

async function commitChange(context: TurnContext): Promise<void> {
  const { lease } = context;
  const { base = '', reverts } = lease.record;
  const work = reverts === undefined ? await letAgentWork(context, base) : await takeBack(context, reverts);
  const { summary, change, bringsTogether } = work;
  if (change.files.length > 0 || bringsTogether) return await commitWork(context, base, work);
  await lease.reach('committed', { summary }, { changed: false, ignored: change.ignored });
}

/** Brings what is committed to its branch, and a branch that was pushed to a pull request. */
async function publish(context: TurnContext): Promise<void> {
  const { lease } = context;
  if (lease.record.commit !== undefined && lease.lacks('pushed')) {
    const tip = await pushMended(context);
    await lease.reach('pushed', { tip }, { branch: lease.record.branch, tip });
  }
  const { tip, pullRequest } = lease.record;
  // The branch of an earlier turn may lack its pull request, where this one changed nothing.
  const isOpenHere = lease.record.commit === undefined && pullRequest !== undefined;
  if (tip !== undefined && lease.lacks('opened') && !isOpenHere) await open(context, tip);
}

async function open(context: TurnContext, tip: string): Promise<void> {
  const { lease } = context;
  const ensured = await openPullRequest(context, tip);
  if (!ensured || ensured.kind === 'nothing') return;
  const { pullRequest: found, text } = ensured;
  const { url, number } = found;
  const { continues = false, pullRequest } = lease.record;
  const goesOn = continues && pullRequest?.number === number;
  // Before the phase is recorded: an attempt that died in between finds its own words there.
  if (goesOn) {
    if (found.state === 'open') await rewritePullRequest(context, text, found);
    await updatePullRequest(context, found);
  } else {
    await labelPullRequest(context, number);
  }
  const isReady = goesOn ? found.draft && lease.record.isDraft === false : !text.draft;
  if (isReady) await askForReviews(context, number, tip);
  await annotateLeftMerge(context, url);
  const written = goesOn ? {} : { title: text.title, body: text.body, isDraft: found.draft };
  await lease.reach('opened', { pullRequest: { url, number }, ...written }, { pullRequest: url });
}

async function end(context: TurnContext): Promise<void> {
  const { lease } = context;
  const { commit, unfinished, pullRequest } = lease.record;
  const where = describePlace(context);
  if (unfinished) return await endUnfinished(lease, unfinished, where);
  const changed = commit !== undefined;
  const outcome = changed ? { message: where } : describeNothing(lease.record);
  await lease.settle(
    { status: 'completed', prLink: pullRequest?.url },
    { type: 'completed', data: { changed, ...outcome } },
  );
}

/** Why nothing is opened, in the agent's own words where it has any. */
function describeNothing({ summary = '', reverts }: TurnRecord): { message: string; reason: string } {
  const said = reasonOf(summary);
  const nothing = 'There was nothing to change.';
  if (said === '') return { message: nothing, reason: nothing };
  const lead = reverts === undefined ? 'Nothing was changed. The agent says: ' : '';
  return { message: `${lead}${said}`, reason: said };
}

/** Where the change is. */
function describePlace({ lease, target }: TurnContext): string {
  const { branch, pullRequest } = lease.record;
  if (pullRequest) return `The change is in ${pullRequest.url}.`;
  return target.forge
    ? `The branch ${branch} holds nothing that its base lacks, so there is nothing to open.`
    : `The change is on the branch ${branch} of ${target.repository.url}: look at it there, as no code host is set up for pull requests.`;
}
