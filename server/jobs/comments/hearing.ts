import type { CommentOrigin, CommentOutcome, CommentState } from '../../store/jobs/job-comment.ts';
import type { Reverted } from '../../store/jobs/jobs.ts';
import type { PostedComment } from '../forge/forge.ts';
import { readInThread } from '../site/check/checks.ts';
import { answerRefusal, isOurs } from '../text/answers.ts';
import { excerpt } from '../text/excerpt.ts';
import { type Request, readRequest } from '../text/request.ts';
import { revertingJob } from '../turn/reverting-job.ts';
import { refuseSpending } from '../turn/spending.ts';
import { askedBy, continueJob, oldestMs, type SpokenTo, sayOnce, type WatchedPull } from './watched-pull.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** As the API takes them. */
const maxPrompt = 32_000;
const maxMaterial = 12;
const maxUtterance = 2_000;
/** What the author of a request quotes or shows, which is often what it is about. */
const maxQuoted = 16_000;

/** All that a merged pull request can still be asked for. */
const revertRequest = /^revert\b/i;

/**
 * Makes messages of the comments that speak to the job, each once, if its author may write to the repository. Others get
 * no answer, and nothing of theirs becomes a request.
 *
 * @param since what did not change since then is known
 * @returns when the newest of what was looked at changed
 */
export async function hearComments(watched: WatchedPull, since: number): Promise<number> {
  const { services, project, job, forge, pull, signal } = watched;
  const known = await services.store.jobs.readComments(project.id, job.id);
  // On a whole day: the same question again is answered without the comments, as nothing has changed.
  const oldest = Math.floor((services.now() - oldestMs) / dayMs) * dayMs;
  const isOwing = Object.values(known).some((state) => state === 'limited' || state === 'spent');
  const posted = await forge.listComments(pull, isOwing ? oldest : Math.max(since, oldest), signal);
  const isMember = memberTest(watched);
  for (const comment of posted) {
    const state = known[comment.key];
    if (state !== undefined) await answerOwed(watched, comment, state);
    else if (comment.createdAt >= oldest && !isOurs(comment.text)) await hear(watched, comment, isMember);
  }
  return Math.max(since, ...posted.map(({ changedAt }) => changedAt));
}

/** Letters that a parser reads in some milliseconds, whatever they are. */
const longestHere = 4_000;

/** Long comments are read in a thread. */
export async function findRequest(comment: string, mention: string): Promise<Request | undefined> {
  if (!comment.toLowerCase().includes(`@${mention.toLowerCase()}`)) return undefined;
  if (comment.length <= longestHere) return readRequest(comment, mention);
  const [found] = await readInThread<Request>({ read: 'request', text: comment, mention });
  return found;
}

type MemberTest = (authorId: string) => Promise<boolean>;

/** Asks the code host, of everybody once in a look. */
function memberTest({ forge, signal }: WatchedPull): MemberTest {
  const asked = new Map<string, Promise<boolean>>();
  return (authorId) => {
    const answer = asked.get(authorId) ?? forge.mayWrite(authorId, signal);
    asked.set(authorId, answer);
    return answer;
  };
}

async function hear(watched: WatchedPull, comment: PostedComment, isMember: MemberTest): Promise<void> {
  const { services, project, job, pull } = watched;
  const { jobs } = services.store;
  const request = await findRequest(comment.text, project.settings.mention);
  const isMerged = pull.state === 'merged';
  if (request === undefined || (isMerged && !revertRequest.test(request.text))) return;
  const { authorId, key } = comment;
  if (authorId === null || !(await isMember(authorId))) {
    return await jobs.noteComment(project.id, job.id, key, 'ignored');
  }
  const origin = await originOf(watched, comment, request.quoted);
  const outcome = isMerged
    ? await askForRevert(watched, origin)
    : await askJob(watched, request.text, origin);
  if (outcome === 'limited' || outcome === 'spent') await sayRefusal(watched, origin, outcome);
}

async function askJob(watched: WatchedPull, request: string, origin: CommentOrigin): Promise<CommentOutcome> {
  const { services, project, job } = watched;
  const isSpent = (await refuseSpending(services, project, job.model)) !== undefined;
  const prompt = excerpt(request, maxPrompt - 1);
  return await continueJob(watched, { prompt, origin }, isSpent);
}

/** It takes another job, as this one may be archived, and no model. */
async function askForRevert(watched: WatchedPull, origin: CommentOrigin): Promise<Reverted['kind']> {
  const { services, job, pull } = watched;
  const asked = revertingJob(job, pull.url, origin);
  const comment = { jobId: job.id, key: origin.key };
  return (await services.store.jobs.revertMerge(asked, comment, askedBy(watched, origin))).kind;
}

async function originOf(
  watched: WatchedPull,
  comment: PostedComment,
  quoted: readonly string[] = [],
): Promise<CommentOrigin> {
  const { forge, pull, signal } = watched;
  const { key, author, url, position } = comment;
  const thread = await forge.readThread(pull, comment, signal);
  const material = thread.comments
    .filter((one) => one.key !== key)
    .slice(-maxMaterial)
    .map(({ author: by, text }) => ({ by, text: excerpt(text, maxUtterance) }));
  if (quoted.length > 0)
    material.push({ by: `quoted or shown by ${author}`, text: excerpt(quoted.join('\n\n'), maxQuoted) });
  return {
    number: pull.number,
    key,
    author,
    url,
    ...position,
    thread: thread.id ?? position.thread,
    material,
  };
}

/** Where a process died before it answered, the next one that looks does. */
async function answerOwed(watched: WatchedPull, comment: PostedComment, state: CommentState): Promise<void> {
  if (state !== 'limited' && state !== 'spent') return;
  await sayRefusal(watched, await originOf(watched, comment), state);
}

export async function sayRefusal(
  watched: WatchedPull,
  origin: SpokenTo,
  reason: 'limited' | 'spent',
): Promise<void> {
  const { job, redact } = watched;
  const said = answerRefusal({ jobId: job.id, reason }, { origin, sanitising: { redact } });
  await sayOnce(watched, origin, said);
}
