import type { Chapter, ChapterFile } from '../../../store/jobs/job-turn.ts';
import { JobFailure } from '../../failure.ts';
import { below, type EnsuredPullRequest, type PullRequest, type PullRequestText } from '../../forge/forge.ts';
import { findMergeBase, readDiff } from '../../git/history.ts';
import { type DiffTrace, readTrace } from '../../text/change-trace.ts';
import { describePullRequest, describeTurn, signatureOf } from '../../text/description.ts';
import { toListed } from '../changed-file.ts';
import type { TurnContext } from '../turn-context.ts';
import { signedBy } from './finished-turn.ts';

/** Undefined without a forge. */
export async function openPullRequest(
  context: TurnContext,
  tip: string,
): Promise<(EnsuredPullRequest & { text: PullRequestText }) | undefined> {
  const { target, lease } = context;
  const { branch = '', baseBranch = '' } = lease.record;
  if (!target.forge) return undefined;
  const text = { ...(await describeBranch(context, tip)), draft: isDraft(context) };
  await lease.renew();
  const plan = { head: branch, commit: tip, base: baseBranch, ...text };
  return { ...(await target.forge.ensurePullRequest(plan, lease.signal)), text };
}

/**
 * Whether the pull request is not to be looked at yet: as the job or the project wants new ones, and while it lacks what a limit
 * kept the agent from.
 */
export function isDraft({ project, lease: { record } }: TurnContext): boolean {
  if (record.unfinished !== undefined) return true;
  const { draft = project.settings.draft, continues, isDraft: shown = draft, chapters = [] } = record;
  const wasUnfinished = chapters.at(-2)?.unfinished !== undefined;
  return continues && !wasUnfinished ? shown : draft;
}

/** A turn that changed nothing tells of what an earlier one has pushed. */
async function describeBranch(context: TurnContext, tip: string): Promise<{ title: string; body: string }> {
  const { record, earlier } = context.lease;
  const last = record.chapters?.at(-1);
  // As a version before this one recorded it.
  if (last === undefined) return { title: '', body: '', ...earlier, ...record };
  const files = await listBranchFiles(context, tip);
  const before = record.chapters?.slice(0, -1) ?? [];
  const branchTrace = mayUndo(context, before) ? await traceBranch(context, tip, files) : undefined;
  return describePullRequest({ ...signedBy(context), ...last, earlier: before, files, branchTrace });
}

/** Whether the turn, or somebody else on the branch, has changed files that earlier turns had changed. */
function mayUndo({ lease: { record, earlier } }: TurnContext, before: readonly Chapter[]): boolean {
  if (before.length === 0) return false;
  if (earlier?.tip === undefined || earlier.tip !== record.expectedTip) return true;
  const own = new Set(
    record.files?.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path])),
  );
  return before.some(({ trace }) => trace?.paths.some((path) => own.has(path)) ?? true);
}

/** What is left of all turns. Undefined where it is too much to be looked through. */
async function traceBranch(
  { lease, gitClient, target }: TurnContext,
  tip: string,
  files: readonly ChapterFile[],
): Promise<DiffTrace | undefined> {
  const access = await target.access();
  const { baseBranch = '', baseTip } = lease.record;
  // As far as it was known when the turn began: what came since is not what the pull request changes.
  const base = baseTip ?? (await gitClient.findTip(access, baseBranch));
  if (base === null) return undefined;
  const patch = await gitClient.look(access, tip, async (call) => {
    await call.ensure(base);
    const from = await findMergeBase(call, base, tip);
    return from === undefined ? undefined : await readDiff(call, { from, to: tip, path: '' });
  });
  const paths = files.map(({ path }) => path);
  return patch === undefined ? undefined : readTrace(patch, paths);
}

/** What the pull request changes, by whomever: the turn's own files, where nobody else was on the branch. */
export async function listBranchFiles(
  { lease, gitClient, target }: TurnContext,
  tip: string,
): Promise<ChapterFile[]> {
  const { files, expectedTip, baseBranch = '', commit } = lease.record;
  if (files && expectedTip === null && commit === tip) return files;
  const changes = await gitClient.compare(await target.access(), baseBranch, tip);
  return changes.map(toListed);
}

/**
 * Brings title, text and draft state of an open pull request up to date, except what people have changed of them. The change is
 * delivered by then: where this fails, the transcript says so, and the turn goes on.
 */
export async function rewritePullRequest(
  context: TurnContext,
  text: PullRequestText,
  found: PullRequest,
): Promise<void> {
  const { lease, target } = context;
  const { title, body, isDraft } = lease.record;
  // An attempt that died may have written it already.
  const isOurs = (shown: string, last: string | undefined, next: string) =>
    isSame(shown, next) || isSame(shown, last);
  const own: Partial<PullRequestText> = {
    ...(isOurs(found.title, title, text.title) && { title: text.title }),
    ...(isOurs(found.body, body, text.body) && { body: text.body }),
    ...(found.draft === isDraft && { draft: text.draft }),
  };
  const next = { title: found.title, body: found.body, draft: found.draft, ...own };
  const isWritten =
    isSame(found.title, next.title) && isSame(found.body, next.body) && found.draft === next.draft;
  try {
    if (!isWritten) await target.forge?.rewrite(found, next, lease.signal);
  } catch (error) {
    return await noteFailure(context, 'get its new title and text', error);
  }
  const { draft, ...words } = own;
  await lease.note({ ...words, ...(draft !== undefined && { isDraft: draft }) });
}

/** Says in a comment what the turn did. */
export async function tellTurn(context: TurnContext, pull: PullRequest): Promise<void> {
  const { lease, target } = context;
  const { commit = '', chapters = [], files = [], origin } = lease.record;
  const own: Chapter | undefined = chapters.at(-1);
  // Where it was asked for it is said at the end.
  if (!target.forge || !own || origin?.number === pull.number) return;
  const turn = { ...signedBy(context), ...own, files };
  try {
    const since = lease.turn.createdAtMs;
    const comment = { text: describeTurn(turn, commit), signature: signatureOf(turn), since };
    await target.forge.comment(pull, below, comment, lease.signal);
  } catch (error) {
    await noteFailure(context, 'be told of it', error);
  }
}

/** As the project wants it. */
export async function labelPullRequest(context: TurnContext, number: number): Promise<void> {
  const { labels } = context.project.settings;
  if (labels.length === 0) return;
  try {
    await context.target.forge?.label(number, labels, context.lease.signal);
  } catch (error) {
    await noteFailure(context, 'get its labels', error);
  }
}

export async function noteFailure(
  { lease, redact }: TurnContext,
  what: string,
  error: unknown,
): Promise<void> {
  if (!(error instanceof JobFailure)) throw error;
  const message = `The change is delivered, and the pull request could not ${what}: ${error.message}`;
  await lease.say({ type: 'note', data: { message: redact(message) } });
}

/** Code hosts may change line ends, and what surrounds a text. */
function isSame(text: string, written: string | undefined): boolean {
  return written !== undefined && plain(text) === plain(written);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}
