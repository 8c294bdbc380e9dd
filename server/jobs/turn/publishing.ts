import type { TurnRecord } from '../../store/job-store.ts';
import { JobFailure } from '../failure.ts';
import type { EnsuredPullRequest } from '../forge/forge.ts';
import type { CommitPlan } from '../git/commit.ts';
import type { ForeignCommit, PushResult } from '../git/push.ts';
import { type ChangedFile, describeCommit, describePullRequest } from '../text/description.ts';
import { changeLimits } from './agent-run.ts';
import { findNewStart } from './base.ts';
import type { Workshop } from './turn-context.ts';

/** What is known once a commit was made. */
type Committed = Required<
  Pick<TurnRecord, 'base' | 'baseBranch' | 'branch' | 'expectedTip' | 'patch' | 'message' | 'commit'>
>;

/** How often somebody else may be faster before the turn waits and is tried again. */
const maxPushes = 10;

/** Makes the commit of a turn, and the words that go with it. */
export async function makeTurnCommit(
  { workspace, destination, held, redact, context }: Workshop,
  base: string,
  { patch, summary, files }: { patch: Buffer; summary: string; files: readonly ChangedFile[] },
): Promise<TurnRecord> {
  const { job, turn } = held;
  const work = {
    summary,
    files,
    prompt: turn.prompt,
    agent: job.model,
    jobId: job.id,
    turn: turn.number,
    redact,
  };
  const message = describeCommit(work);
  const { author } = context.config.jobs.git;
  const plan = { base, patch, message, author, committer: author, at: turn.createdAtMs };
  const { commit } = await workspace.makeCommit(await destination.access(), plan);
  return { patch: patch.toString('base64'), message, commit, summary, ...describePullRequest(work) };
}

/** Puts the commit on its branch, whatever others do to the branch meanwhile. @returns where the branch is then */
export async function pushTurn(shop: Workshop): Promise<string> {
  const { workspace, destination, held } = shop;
  let expected = committedOf(held.record).expectedTip;
  for (let push = 1; push <= maxPushes; push += 1) {
    const record = committedOf(held.record);
    const { branch, commit } = record;
    // Late is late: whoever has the turn now does this.
    await held.renew();
    const plan = { ...planOf(shop, record), branch, commit, expected };
    const result = await workspace.push(await destination.access(), plan);
    if (result.kind === 'pushed') return commit;
    if (result.kind === 'already') return result.tip;
    await held.renew();
    if (result.kind === 'deleted') {
      await startAnew(shop, record);
      expected = null;
    } else if (hasTurn(shop, result.commits)) {
      // An attempt that was believed dead has pushed its own version: ours takes its place unless people built on it.
      if (!result.commits.every((commit) => isOfTurn(shop, commit))) return result.tip;
      expected = result.tip;
    } else {
      await moveOnto(shop, record, result);
      expected = result.tip;
    }
  }
  throw new JobFailure('branch_changed', 'The branch was changed by others all the time.');
}

function committedOf(record: TurnRecord): Committed {
  const { base, baseBranch, branch, expectedTip = null, patch, message, commit } = record;
  if (!base || !baseBranch || !branch || patch === undefined || !message || !commit) {
    throw new Error('A turn was recorded as committed without its commit.');
  }
  return { base, baseBranch, branch, expectedTip, patch, message, commit };
}

function planOf({ context, held }: Workshop, { base, patch, message }: Committed): CommitPlan {
  const { author } = context.config.jobs.git;
  const at = held.turn.createdAtMs;
  return { base, patch: Buffer.from(patch, 'base64'), message, author, committer: author, at };
}

function isOfTurn({ held: { job, turn } }: Workshop, { message }: ForeignCommit): boolean {
  const lines = message.split('\n');
  return lines.includes(`Headcount-Job: ${job.id}`) && lines.includes(`Headcount-Turn: ${turn.number}`);
}

function hasTurn(shop: Workshop, commits: readonly ForeignCommit[]): boolean {
  return commits.some((commit) => isOfTurn(shop, commit));
}

/** Makes the same change again after what people pushed meanwhile. */
async function moveOnto(
  shop: Workshop,
  record: Committed,
  { tip }: Extract<PushResult, { kind: 'moved' | 'replaced' }>,
): Promise<void> {
  const found = await reapply(shop, record, tip);
  await shop.held.reach('committed', { ...found, expectedTip: tip }, { commit: found.commit, onto: tip });
}

/** The branch was deleted while the turn was at work. */
async function startAnew(shop: Workshop, record: Committed): Promise<void> {
  const number = Number(/-(\d+)$/.exec(record.branch)?.[1] ?? 1) + 1;
  const start = await findNewStart(shop, number);
  const found = await reapply(shop, record, start.base);
  await shop.held.reach('committed', { ...start, ...found }, { commit: found.commit, branch: start.branch });
}

async function reapply(
  shop: Workshop,
  record: Committed,
  onto: string,
): Promise<{ base: string; patch: string; commit: string }> {
  const { workspace, destination } = shop;
  const patch = Buffer.from(record.patch, 'base64');
  const access = await destination.access();
  const reapplied = await workspace.reapply(access, { patch, onto, limits: changeLimits });
  if (reapplied.kind === 'conflict') {
    throw new JobFailure(
      'conflict',
      `While the agent worked, somebody else changed the same lines of ${reapplied.paths.join(', ')}: send a message to have it done again on top of that.`,
    );
  }
  const moved = { ...record, base: onto, patch: reapplied.change.patch.toString('base64') };
  const { commit } = await workspace.makeCommit(access, planOf(shop, moved));
  return { base: onto, patch: moved.patch, commit };
}

/** Undefined without a forge. */
export async function openPullRequest(
  { destination, held, project }: Workshop,
  tip: string,
): Promise<EnsuredPullRequest | undefined> {
  const { branch = '', baseBranch = '', title = '', body = '' } = held.record;
  if (!destination.forge) return undefined;
  await held.renew();
  const { draft } = project.settings;
  const plan = { head: branch, commit: tip, base: baseBranch, title, body, draft };
  return await destination.forge.ensurePullRequest(plan, held.signal);
}
