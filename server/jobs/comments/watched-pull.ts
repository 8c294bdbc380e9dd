import type { LiveProject } from '../../projects/registry.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { CommentOrigin } from '../../store/jobs/job-comment.ts';
import type { CommentPosition, Forge, PullRequest } from '../forge/forge.ts';
import type { AnswerText } from '../text/answers.ts';
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
/** Longer than a look may take: whoever died in the middle of it leaves it to others then. */
const leaseMs = 3 * 60 * 1000;

/** Where a job was spoken to, and by what that is known. */
export type SpokenTo = CommentPosition & Pick<CommentOrigin, 'key' | 'author' | 'url'>;

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
