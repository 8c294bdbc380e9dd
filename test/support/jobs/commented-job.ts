import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import type { Pull } from '../forge/api.ts';
import type { NewPosted, Posted } from '../forge/comments.ts';
import {
  type EventLine,
  eventsOf,
  finish,
  type JobRun,
  type JobRunOptions,
  type Outside,
  runJob,
  slug,
} from './job-run.ts';
import { resumeJobRun } from './resumed-run.ts';

/** A job whose pull request is open, and who talks there. */
export interface CommentedJob {
  run: JobRun;
  job: JobReply;
  /** By `clock`. */
  watch: PullWatch;
  clock: { ms: number };
  pull: Pull;
  say(posted: NewPosted): Posted;
  /** Processes new comments, and waits until the job rests. */
  handleComments(): Promise<JobReply>;
  events(): Promise<EventLine[]>;
  page(path?: string): Promise<string>;
}

export async function startCommentedJob(
  { script, project, ...options }: Pick<JobRunOptions, 'kind' | 'files' | 'script' | 'project'> = {},
  prompt = 'write page.md One.',
): Promise<CommentedJob> {
  const begin = async ({ jobs }: JobRun) => (await runJob(jobs, prompt)).id;
  const { run, known } = await resumeJobRun({ name: prompt, options, begin }, { script, project });
  const job = await finish(run.jobs, known);
  const pull = await pullOf(run);
  const { context } = run.headcount;
  const clock = { ms: 0 };
  const watch = new PullWatch({ ...context, now: () => context.now() + clock.ms });
  return {
    run,
    job,
    watch,
    clock,
    pull,
    say: (posted) => run.forge.post(pull, posted),
    handleComments: async () => {
      // As after a restart: nothing is remembered.
      await new PullWatch(context).look();
      return await finish(run.jobs, job.id);
    },
    events: () => eventsOf(run.jobs, job.id),
    page: (path = 'page.md') => run.forge.git.read(slug, String(job.branch), path),
  };
}

export async function pullOf({ forge }: Outside, number = 1): Promise<Pull> {
  const pull = await forge.find(slug, number);
  if (!pull) throw new Error('The job opened no pull request.');
  return pull;
}

/** The replies in the thread of a comment. */
export const answersTo = (pull: Pull, { root, at }: Posted): Posted[] =>
  pull.posted.filter(
    (one) => one.by === 'ada' && one.at >= at && (one.root === root || one.file === null) && isSigned(one),
  );

const isSigned = ({ text }: Posted) => /^(?:Message|Comment) .* of job `job_/m.test(text);
