import { theServer } from '../../audit/audit-list.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { CommentMessage, CommentOrigin, CommentOutcome } from '../../store/jobs/job-comment.ts';
import type { CommentPosition, Forge, PullRequest } from '../forge/forge.ts';
import type { AnswerText } from '../text/answers.ts';
import { excerpt } from '../text/excerpt.ts';
import type { JobServices } from '../turn/services.ts';

/** An open or merged pull request of a job, at which it is looked what people and programs say. */
export interface WatchedPull {
  services: Pick<JobServices, 'store' | 'now'>;
  project: LiveProject;
  job: Job;
  forge: Forge;
  pull: PullRequest;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  signal: AbortSignal;
}

/** What is older was written to nobody: jobs did not listen then. */
export const oldestMs = 7 * 24 * 60 * 60 * 1000;
/** Longer than a look may take: after that, another node takes over from one that died. */
const leaseMs = 3 * 60 * 1000;

/** Where a job was spoken to, and by what that is known. */
export type SpokenTo = CommentPosition & Pick<CommentOrigin, 'key' | 'author' | 'url'>;

/** For the audit list: the server acts, and the person who asked for it at the code host is named. */
export function askedBy({ services: { now } }: WatchedPull, { author }: Pick<CommentOrigin, 'author'>) {
  const asked = author === null ? 'failed checks' : `${excerpt(author, 100)}, in a comment`;
  return { at: now(), actor: theServer, changes: [`asked by: ${asked}`] };
}

/** Has the job go on with what was asked for at its pull request. */
export function continueJob(
  watched: WatchedPull,
  message: CommentMessage,
  isSpent: boolean,
): Promise<CommentOutcome> {
  const { services, project, job } = watched;
  const about = { action: 'job.continued', projectId: project.id, subject: job.id } as const;
  const entry = { ...about, ...askedBy(watched, message.origin) };
  const args = [project.id, job.id, message, isSpent] as const;
  return services.store.callAudited('jobs', 'hearComment', [...args], [entry]);
}

/** Says what no turn says, by one of all nodes that are about to, and notes it. */
export async function sayOnce(
  { services: { store, now }, project, job, forge, pull, signal }: WatchedPull,
  origin: SpokenTo,
  said: AnswerText,
): Promise<void> {
  const key = `answer ${job.id} ${origin.key}`;
  if (!(await store.outbox.claimAnnouncement({ projectId: project.id, key, now: now(), leaseMs }))) return;
  await forge.comment(pull, origin, { ...said, since: now() - oldestMs }, signal);
  await store.jobs.noteComment(project.id, job.id, origin.key, 'answered');
}
