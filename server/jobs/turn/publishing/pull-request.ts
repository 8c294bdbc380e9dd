import type { Chapter, ChapterFile } from '../../../store/jobs/job.ts';
import { JobFailure } from '../../failure.ts';
import {
  below,
  type EnsuredPullRequest,
  type Forge,
  type PullRequest,
  type PullRequestText,
  type Reviewer,
} from '../../forge/forge.ts';
import { findMergeBase, listWriters, readDiff } from '../../git/history.ts';
import { type DiffTrace, readTrace } from '../../text/change-trace.ts';
import { describePullRequest, describeTurn, signatureOf } from '../../text/description.ts';
import { toListed } from '../changed-file.ts';
import type { TurnContext } from '../turn-context.ts';
import { findReviewed } from '../working/background.ts';
import { readFirstText } from '../working/reviewed-text.ts';
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

/** A turn that changed nothing reports what an earlier one has pushed. */
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

/** What the pull request changes, by anyone: the turn's own files, where nobody else was on the branch. */
async function listBranchFiles(
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
export async function updatePullRequest(context: TurnContext, pull: PullRequest): Promise<void> {
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
    await noteFailure(context, 'be updated', error);
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

async function noteFailure({ lease, redact }: TurnContext, what: string, error: unknown): Promise<void> {
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

/** Of one pull request, those whom the code host asks by itself included. */
const maxReviewers = 2;
/** Each costs a request or two. */
const maxTried = 6;
const maxOwnersBytes = 1_000_000;
/** As many of the changed files as are needed to know who writes there. */
const maxPaths = 50;

/** Asks those who know the changed pages best for a review, as the project wants it. */
export async function askForReviews(context: TurnContext, number: number, tip: string): Promise<void> {
  const { project, target, lease } = context;
  if (project.settings.reviewers === 'off' || !target.forge) return;
  try {
    const base = await findReviewed(context);
    if (base === undefined) return;
    const paths = (await listBranchFiles(context, tip)).map(({ path }) => path);
    await askBest(context, target.forge, { number, base, paths });
  } catch (error) {
    await noteFailure(context, 'be given to reviewers', error);
  }
  lease.signal.throwIfAborted();
}

interface Opened {
  number: number;
  /** The commit whose rules and history count. */
  base: string;
  paths: readonly string[];
}

async function askBest(context: TurnContext, forge: Forge, opened: Opened): Promise<void> {
  const { project, lease } = context;
  const { reviewers, areNamed } = await findOwners(context, forge, opened);
  const mayBeAuthors = project.settings.reviewers === 'authors' && !areNamed;
  if (reviewers.length === 0 && !mayBeAuthors) return;
  const { author, asked } = await forge.readInvolved(opened.number, lease.signal);
  // Where the code host has asked somebody by rules of its own, nobody has to be looked for.
  const candidates = mayBeAuthors && asked.length === 0 ? listAuthors(context, forge, opened) : reviewers;
  const involved = new Set([...asked, author ?? ''].map(lower));
  const done: string[] = [];
  let tried = 0;
  for await (const candidate of candidates) {
    if (asked.length + done.length >= maxReviewers || tried === maxTried) break;
    if (involved.has(lower(candidate.id))) continue;
    involved.add(lower(candidate.id));
    tried++;
    if (await ask(context, forge, opened.number, candidate)) done.push(candidate.name);
  }
  if (done.length === 0) return;
  await lease.say({ type: 'note', data: { message: `Asked ${done.join(' and ')} for a review.` } });
}

const lower = (id: string) => id.toLowerCase();

async function findOwners({ gitClient, target, lease }: TurnContext, forge: Forge, { base, paths }: Opened) {
  const access = await target.access();
  const readFirst = (files: readonly string[]) =>
    gitClient.look(access, base, (call) => readFirstText(call, base, files, maxOwnersBytes));
  return await forge.findOwners({ paths, readFirst }, lease.signal);
}

/** Who wrote last what is changed, the newest first. */
async function* listAuthors(
  { gitClient, target, lease }: TurnContext,
  forge: Forge,
  { base, paths }: Opened,
): AsyncGenerator<Reviewer> {
  const looked = paths.slice(0, maxPaths);
  const commits = await gitClient.look(await target.access(), base, (call) =>
    listWriters(call, base, looked),
  );
  for (const commit of commits.slice(0, maxTried)) {
    const author = await forge.findAuthor(commit, lease.signal);
    if (author) yield author;
  }
}

/** A refusal costs a sentence in the transcript. */
async function ask(context: TurnContext, forge: Forge, number: number, reviewer: Reviewer): Promise<boolean> {
  try {
    await forge.askForReview(number, reviewer, context.lease.signal);
    return true;
  } catch (error) {
    if (error instanceof JobFailure && error.passing) throw error;
    await noteFailure(context, `be given to ${reviewer.name} for a review`, error);
    return false;
  }
}
