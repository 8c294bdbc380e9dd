import { isDeepStrictEqual } from 'node:util';
import { titleFormatOf } from '../../../pattern/title-format.ts';
import { isSignedBy } from '../../../projects/signing-key.ts';
import type { Chapter, ChapterFile, TurnRecord } from '../../../store/jobs/job.ts';
import { describeRejection } from '../../agent/rejection.ts';
import { JobFailure, PushRejected } from '../../failure.ts';
import type { CommitPlan, Person } from '../../git/commit.ts';
import { makeMerge, mergeAgain } from '../../git/merge.ts';
import type { ForeignCommit, PushResult } from '../../git/remote/push.ts';
import { traceOf } from '../../text/change-trace.ts';
import { describeCommit } from '../../text/description.ts';
import { excerpt } from '../../text/excerpt.ts';
import { inSettings } from '../../text/in-settings.ts';
import { reasonOf } from '../../text/no-change.ts';
import { findNewStart, prefixOf } from '../base.ts';
import { toListed } from '../changed-file.ts';
import type { TurnContext } from '../turn-context.ts';
import { changeLimits, letAgentWork, type Work } from '../working/agent-run.ts';
import type { CheckedSite } from '../working/site-check.ts';
import { chaptersOf, signedBy } from './finished-turn.ts';

/** What is known once a commit was made. */
type Committed = Required<
  Pick<
    TurnRecord,
    'base' | 'baseBranch' | 'branch' | 'expectedTip' | 'merged' | 'patch' | 'message' | 'commit'
  >
>;

/** Of a commit that was made again on top of another. */
type Found = Pick<Committed, 'base' | 'merged' | 'patch' | 'commit'> & { signature: string | null };

/** How often somebody else may be faster before the turn waits and is tried again. */
const maxPushes = 10;

/** Makes the commit of a turn, and the words that go with it. */
export async function commitWork(context: TurnContext, base: string, work: Work): Promise<void> {
  const { lease } = context;
  const { summary, pullTitle, change, checked, unfinished, repeats, untrue } = work;
  const files = change.files.map(toListed);
  const { madeBy = [] } = lease.record;
  const paths = files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
  const chapter: Chapter = {
    prompt: lease.turn.prompt,
    ...{ summary, pullTitle, repeats, madeBy },
    findings: describeFindings(checked),
    leftOut: untrue.length,
    unfinished: unfinished?.message,
    trace: traceOf(change.patch.toString(), paths),
  };
  const author = authorOf(context);
  const message = messageOf(context, { chapter, files, author });
  const plan = { base, patch: change.patch, message, author, committer: author, at: lease.turn.createdAtMs };
  const made = await makePlan(context, { ...plan, sign: signerOf(context) });
  const chapters = chaptersOf(context, chapter);
  const continues = lease.record.pullRequest !== undefined;
  // Delivering has its tries to itself.
  const record = { ...made, message, author, summary, chapters, files, continues, failures: 0 };
  await lease.reach('committed', unfinished ? { ...record, unfinished } : record, {
    commit: made.commit,
    files: files.slice(0, 100).map(({ path }) => path),
    diff: readableDiff(change.patch, context.redact),
    ignored: change.ignored,
    findings: checked.findings,
  });
  for (const { sentence, why } of untrue) {
    const message = `Left out of what the agent says of its change: ${JSON.stringify(excerpt(sentence, 300))}. ${why}`;
    await lease.say({ type: 'note', data: { message: context.redact(message) } });
  }
}

/** What people have to know before they merge. */
function describeFindings({ findings, unfinished }: CheckedSite): string[] {
  if (unfinished === undefined) return [...findings];
  return [...findings, `Not everything could be checked, as ${unfinished}.`];
}

interface Described {
  chapter: Chapter;
  files: ChapterFile[];
  author: Person;
}

function messageOf(context: TurnContext, { chapter, files, author }: Described): string {
  const { signOff } = context.project.settings;
  const signedOffBy = signOff ? `${author.name} <${author.email}>` : undefined;
  return describeCommit({ ...signedBy(context), ...chapter, files, signedOffBy });
}

function signerOf({ target: { signingKey }, services }: TurnContext): CommitPlan['sign'] {
  return signingKey && ((payload) => signingKey.sign(payload, services.now()));
}

/** A commit that a rule has refused, as the project's settings want it by now. */
async function followSettings(context: TurnContext): Promise<void> {
  const { lease, target } = context;
  const { chapters = [], files, signature = null, author: earlier } = lease.record;
  const chapter = chapters.at(-1);
  if (lease.record.rejections === undefined || chapter === undefined || files === undefined) return;
  const author = authorOf(context);
  const message = messageOf(context, { chapter, files, author });
  const record = committedOf(lease.record);
  const isSame = message === record.message && isDeepStrictEqual(author, earlier);
  const { signingKey } = target;
  if (isSame && (signingKey ? isSignedBy(signingKey, signature ?? '') : signature === null)) return;
  const words = { message, author };
  lease.record = { ...lease.record, ...words };
  const { base, merged } = record;
  const found = await commitAgain(context, { ...record, message }, { base, merged, patch: patchOf(record) });
  await lease.reach('committed', { ...found, ...words }, { commit: found.commit });
}

/** @throws PushRejected for a title that the project does not want */
function checkTitle({ project }: TurnContext, { message }: Committed): void {
  const [title = ''] = message.split('\n');
  const format = titleFormatOf(project.settings.commitFormat);
  if (format === undefined || format.fits(title)) return;
  const said = `The title ${JSON.stringify(title)} does not match ${format.description}`;
  throw new PushRejected(
    `${said}. Correct the format ${inSettings('--commit-format')}, or send the job a message with a title that fits.`,
    `${said}.`,
  );
}

function patchOf({ patch }: Pick<Committed, 'patch'>): Buffer {
  return Buffer.from(patch, 'base64');
}

/** @param plan its patch is what the agent changed of its workspace */
async function makePlan(
  { gitClient, target, lease }: TurnContext,
  plan: CommitPlan,
): Promise<Pick<Found, 'patch' | 'commit' | 'signature'>> {
  const access = await target.access();
  const { merged } = lease.record;
  const {
    patch,
    commit,
    signature = null,
  } = merged
    ? await gitClient.look(access, plan.base, async (call) => {
        await call.ensure(merged);
        return await makeMerge(call, { ...plan, merged });
      })
    : { ...plan, ...(await gitClient.makeCommit(access, plan)) };
  return { patch: patch.toString('base64'), commit, signature };
}

/** Puts the commit on its branch, whatever others do to the branch meanwhile. @returns where the branch is then */
async function pushTurn(context: TurnContext): Promise<string> {
  const { gitClient, target, lease } = context;
  await followPullRequest(context, committedOf(lease.record));
  await followPrefix(context, committedOf(lease.record));
  await followSettings(context);
  checkTitle(context, committedOf(lease.record));
  let expected = committedOf(lease.record).expectedTip;
  for (let push = 1; push <= maxPushes; push += 1) {
    const record = committedOf(lease.record);
    const { branch, commit } = record;
    // Too late: the runner that has the turn now does this.
    await lease.renew();
    const plan = { ...planOf(context, record), branch, commit, expected };
    const result = await gitClient.push(await target.access(), plan);
    if (result.kind === 'pushed') return commit;
    if (result.kind === 'already') return result.tip;
    await lease.renew();
    if (result.kind === 'deleted') {
      await startAnew(context, record, numberOf(record.branch) + 1);
      expected = null;
    } else if (hasTurn(context, result.commits)) {
      // An attempt that was believed dead has pushed its own version: ours takes its place unless people built on it.
      if (!result.commits.every((commit) => isOfTurn(context, commit))) return result.tip;
      expected = result.tip;
    } else {
      await moveOnto(context, record, result);
      expected = result.tip;
    }
  }
  throw new JobFailure('branch_changed', 'Others kept changing the branch.');
}

function committedOf(record: TurnRecord): Committed {
  const { base, baseBranch, branch, expectedTip = null, merged = null, patch, message, commit } = record;
  if (!base || !baseBranch || !branch || patch === undefined || !message || !commit) {
    throw new Error('A turn was recorded as committed without its commit.');
  }
  return { base, baseBranch, branch, expectedTip, merged, patch, message, commit };
}

function planOf(context: TurnContext, { base, merged, patch, message }: Committed): CommitPlan {
  const { lease } = context;
  const { author = authorOf(context), signature } = lease.record;
  const at = lease.turn.createdAtMs;
  const plan = { base, merged, patch: patchOf({ patch }), message, author, committer: author, at };
  return signature ? { ...plan, signature } : plan;
}

function authorOf({ project, services }: TurnContext): Person {
  const [, name = '', email = ''] = /^(.+) <(.+)>$/.exec(project.settings.commitAuthor ?? '') ?? [];
  return name === '' ? services.config.jobs.git.author : { name, email };
}

function isOfTurn({ lease: { job, turn } }: TurnContext, { message }: ForeignCommit): boolean {
  const lines = message.split('\n');
  return lines.includes(`Headcount-Job: ${job.id}`) && lines.includes(`Headcount-Turn: ${turn.number}`);
}

function hasTurn(context: TurnContext, commits: readonly ForeignCommit[]): boolean {
  return commits.some((commit) => isOfTurn(context, commit));
}

/** Makes the same change, or the same merge, again after what people pushed meanwhile. */
async function moveOnto(
  context: TurnContext,
  record: Committed,
  { tip }: Extract<PushResult, { kind: 'moved' | 'replaced' }>,
): Promise<void> {
  const { merged } = record;
  const found = merged ? await remerge(context, record, merged, tip) : await reapply(context, record, tip);
  await context.lease.reach('committed', { ...found, expectedTip: tip }, { commit: found.commit, onto: tip });
}

/** People may have merged, closed or retargeted the pull request while the agent worked. */
async function followPullRequest(context: TurnContext, record: Committed): Promise<void> {
  const { lease, target } = context;
  const { pullRequest, continues } = lease.record;
  if (!pullRequest || !continues || !target.forge) return;
  const found = await target.forge.findPullRequest(pullRequest.number, lease.signal);
  if (found?.state === 'open') {
    if (found.base !== record.baseBranch) await lease.note({ baseBranch: found.base });
    return;
  }
  const message = `While this was worked on, ${pullRequest.url} was ${found?.state ?? 'deleted'}: the change goes to a new branch and a new pull request.`;
  await lease.say({ type: 'note', data: { message } });
  await startAnew(context, record, numberOf(record.branch) + 1);
}

/** Git may keep no branch of the old prefix beside others, and a person may have changed it for that. */
async function followPrefix(context: TurnContext, record: Committed): Promise<void> {
  const { lease } = context;
  const { branch, expectedTip } = record;
  const name = `${prefixOf(context)}${branch.slice(branch.lastIndexOf(lease.job.id))}`;
  if (expectedTip !== null || branch === name || branch === name.replaceAll('/', '-')) return;
  await startAnew(context, record, numberOf(branch));
}

function numberOf(branch: string): number {
  return Number(/-(\d+)$/.exec(branch)?.[1] ?? 1);
}

/** Makes the same change again on a new branch, from the base as it is now. */
async function startAnew(context: TurnContext, record: Committed, number: number): Promise<void> {
  const start = await findNewStart(context, number);
  const found = await reapply(context, record, start.base);
  // A new branch has nothing of the turns before.
  const own = { continues: false, chapters: (context.lease.record.chapters ?? []).slice(-1) };
  await context.lease.reach(
    'committed',
    { ...start, ...found, ...own },
    { commit: found.commit, branch: start.branch },
  );
}

async function reapply(context: TurnContext, record: Committed, onto: string): Promise<Found> {
  const { gitClient, target, project } = context;
  const plan = { patch: patchOf(record), onto, limits: changeLimits(project) };
  const reapplied = await gitClient.reapply(await target.access(), plan);
  if (reapplied.kind === 'conflict') throw changedByOthers(reapplied.paths);
  return await commitAgain(context, record, { base: onto, merged: null, patch: reapplied.change.patch });
}

async function remerge(
  context: TurnContext,
  record: Committed,
  merged: string,
  onto: string,
): Promise<Found> {
  const { gitClient, target, project } = context;
  const plan = { commit: record.commit, merged, onto, limits: changeLimits(project) };
  const again = await gitClient.look(await target.access(), onto, (call) => mergeAgain(call, plan));
  if (again.kind === 'conflict') throw changedByOthers(again.paths);
  return await commitAgain(context, record, { base: onto, merged: again.merged, patch: again.patch });
}

async function commitAgain(
  context: TurnContext,
  record: Committed,
  { patch, ...parents }: { base: string; merged: string | null; patch: Buffer },
): Promise<Found> {
  const found = { ...parents, patch: patch.toString('base64') };
  const { signature: _made, ...plan } = planOf(context, { ...record, ...found });
  const signed = { ...plan, sign: signerOf(context) };
  const made = await context.gitClient.makeCommit(await context.target.access(), signed);
  return { ...found, commit: made.commit, signature: made.signature ?? null };
}

function changedByOthers(paths: readonly string[]): JobFailure {
  return new JobFailure(
    'conflict',
    `While the agent worked, somebody else changed the same lines of ${paths.join(', ')}: send a message to have it done again on top of that.`,
  );
}

/** Of the transcript, which models read too. */
const maxDiffLength = 20_000;

/** What stands in a patch for git alone: the packedBytes bytes of files that are no text. */
const packedBytes = /^GIT binary patch\n(?:(?:literal|delta) \d+\n(?:[A-Za-z].+\n)*\n?)+/gm;
const hashLines = /^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\n/gm;

/** The patch of a turn as people read it. @param redact takes secrets out */
function readableDiff(patch: Buffer, redact: (text: string) => string): string {
  const text = patch.toString().replace(packedBytes, 'A file that is not text.\n').replace(hashLines, '');
  return excerpt(redact(text), maxDiffLength, '\n(cut here: the branch has all of it)');
}

/** How often the agent makes a refused commit again before a person is asked. */
const maxTries = 2;

/**
 * Puts the commit of a turn on its branch. What a rule of the server refuses goes back to the agent, which makes the
 * commit again. @returns where the branch is then
 */
export async function pushMended(context: TurnContext): Promise<string> {
  const { lease } = context;
  for (;;) {
    const { mending, commit } = lease.record;
    if (mending !== undefined && mending.commit === commit) await makeAgain(context, mending.failure);
    try {
      return await pushTurn(context);
    } catch (error) {
      if (!(error instanceof JobFailure) || error.code !== 'push_rejected') throw error;
      await noteRejection(context, error);
    }
  }
}

/** Recorded before the agent is asked, so that an attempt after this one goes on there. @throws the failure that is not for the agent */
async function noteRejection({ lease, redact }: TurnContext, failure: JobFailure): Promise<void> {
  const { rejections = [], mending, reverts, unfinished, commit = '' } = lease.record;
  const tries = (mending?.tries ?? 0) + 1;
  const hasAgent = reverts === undefined && unfinished === undefined;
  if (!(failure instanceof PushRejected) || !hasAgent || tries > maxTries) {
    await lease.note({ rejections });
    throw failure;
  }
  const note = redact(describeRejection(failure.said, lease.waiting));
  const message = redact(failure.message);
  await lease.note({ rejections: [...rejections, note], mending: { commit, tries, failure: message } });
  await lease.say({
    type: 'note',
    data: { message: `${message} The agent gets this message and makes the change again.` },
  });
}

/** @throws JobFailure with the refusal, where the agent does not get around it */
async function makeAgain(context: TurnContext, failure: string): Promise<void> {
  const { lease } = context;
  const { base = '', commit } = lease.record;
  const work = await askAgain(context, base, failure);
  await commitWork(context, base, work);
  if (lease.record.commit === commit) throw refusedStill(failure, 'The agent left it as it was.');
}

async function askAgain(context: TurnContext, base: string, failure: string): Promise<Work> {
  try {
    const work = await letAgentWork(context, base);
    const { summary, change, unfinished, bringsTogether } = work;
    if (unfinished) throw new JobFailure('push_rejected', unfinished.message);
    if (change.files.length > 0 || bringsTogether) return work;
    throw refusedStill(failure, `The agent says: ${reasonOf(summary)}`);
  } catch (error) {
    if (!(error instanceof JobFailure) || error.passing) throw error;
    throw error.message.startsWith(failure) ? error : refusedStill(failure, error.message);
  }
}

function refusedStill(failure: string, why: string): JobFailure {
  return new JobFailure('push_rejected', `${failure} ${why}`);
}
