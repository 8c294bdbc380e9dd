import type { Chapter, ChapterFile } from '../../../store/jobs/job-turn.ts';
import { JobFailure } from '../../failure.ts';
import type { EnsuredPullRequest } from '../../forge/forge.ts';
import type { ListedChange } from '../../git/listing.ts';
import { describePullRequest, describeTurn, signatureOf } from '../../text/description.ts';
import type { TurnContext } from '../turn-context.ts';
import { signedBy } from './finished-turn.ts';

/** Undefined without a forge. */
export async function openPullRequest(
  context: TurnContext,
  tip: string,
): Promise<(EnsuredPullRequest & { body: string }) | undefined> {
  const { target, lease } = context;
  const { branch = '', baseBranch = '' } = lease.record;
  if (!target.forge) return undefined;
  const { title, body } = await describeBranch(context, tip);
  await lease.renew();
  const plan = { head: branch, commit: tip, base: baseBranch, title, body, draft: isDraft(context) };
  return { ...(await target.forge.ensurePullRequest(plan, lease.signal)), body };
}

/** Whether what this turn opens is not to be looked at yet. */
export function isDraft({ project, lease: { record } }: TurnContext): boolean {
  return (record.draft ?? project.settings.draft) || record.unfinished !== undefined;
}

/** A turn that changed nothing tells of what an earlier one has pushed. */
async function describeBranch(context: TurnContext, tip: string): Promise<{ title: string; body: string }> {
  const { record, earlier } = context.lease;
  const last = record.chapters?.at(-1);
  // As a version before this one recorded it.
  if (last === undefined) return { title: '', body: '', ...earlier, ...record };
  const files = await listBranchFiles(context, tip);
  const before = record.chapters?.slice(0, -1) ?? [];
  return describePullRequest({ ...signedBy(context), ...last, earlier: before, files });
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

const words = {
  added: 'added',
  modified: 'edited',
  typechanged: 'edited',
  deleted: 'deleted',
  renamed: 'moved',
} as const satisfies Record<ListedChange['status'], ChapterFile['change']>;

export function toListed({
  path,
  status,
  additions,
  deletions,
}: Pick<ListedChange, 'path' | 'status' | 'additions' | 'deletions'>): ChapterFile {
  const lines = additions === undefined ? undefined : additions + (deletions ?? 0);
  return { path, change: words[status], ...(lines !== undefined && { lines }) };
}

/**
 * Brings the text of an open pull request up to date, unless people have written in it, and says in a comment what the turn
 * did. The change is delivered by then: where this fails, the transcript says so, and the turn goes on.
 */
export async function tellTurn(
  context: TurnContext,
  body: string,
  found: { number: number; body: string },
): Promise<void> {
  const { lease, target } = context;
  const { commit = '', chapters = [], files = [] } = lease.record;
  const own: Chapter | undefined = chapters.at(-1);
  if (!target.forge || !own) return;
  const turn = { ...signedBy(context), ...own, files };
  try {
    // An attempt that died may have written it already.
    const isWritten = isSame(found.body, body);
    if (isWritten || isSame(found.body, lease.record.body)) {
      if (!isWritten) await target.forge.rewrite(found.number, body, lease.signal);
      await lease.note({ body });
    }
    // Where it was asked for it is said at the end.
    if (lease.record.origin?.number === found.number) return;
    const since = lease.turn.createdAtMs;
    const comment = { text: describeTurn(turn, commit), signature: signatureOf(turn), since };
    await target.forge.say(found.number, comment, lease.signal);
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
