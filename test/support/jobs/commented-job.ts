import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { type ProjectSettings, projectSettings } from '../../../shared/project/project.ts';
import type { Pull } from '../forge/api.ts';
import type { NewPosted, Posted } from '../forge/talk.ts';
import {
  type EventLine,
  eventsOf,
  finish,
  type JobRun,
  type Outside,
  runJob,
  slug,
  startJobRun,
} from './job-run.ts';

/** A job whose pull request is open, and who talks there. */
export interface CommentedJob {
  run: JobRun;
  job: JobReply;
  /** By the clock beside it. */
  watch: PullWatch;
  clock: { ms: number };
  pull: Pull;
  say(posted: NewPosted): Posted;
  /** Looks once more, and waits until the job rests. */
  hear(): Promise<JobReply>;
  events(): Promise<EventLine[]>;
  page(path?: string): Promise<string>;
}

export async function startCommentedJob(
  options: Parameters<typeof startJobRun>[0] = {},
  prompt = 'write page.md One.',
): Promise<CommentedJob> {
  const run = await startJobRun(options);
  const job = await runJob(run.jobs, prompt);
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
    hear: async () => {
      // As after a restart: nothing is remembered.
      await new PullWatch(context).look();
      return await finish(run.jobs, job.id);
    },
    events: () => eventsOf(run.jobs, job.id),
    page: (path = 'page.md') => run.forge.git.read(slug, String(job.branch), path),
  };
}

export async function changeProject(
  { headcount: { context, projectId } }: JobRun,
  changes: Partial<ProjectSettings>,
): Promise<void> {
  const settings = context.registry.project(projectId)?.settings;
  await context.store.setProject(projectId, projectSettings.parse({ ...settings, ...changes }));
  await context.registry.refresh();
}

export async function pullOf({ forge }: Outside, number = 1): Promise<Pull> {
  const pull = await forge.find(slug, number);
  if (!pull) throw new Error('The job opened no pull request.');
  return pull;
}

/** What stands in the thread of a comment after it. */
export const answersTo = (pull: Pull, { root, at }: Posted): Posted[] =>
  pull.posted.filter(
    (one) => one.by === 'ada' && one.at >= at && (one.root === root || one.file === null) && isSigned(one),
  );

const isSigned = ({ text }: Posted) => /^(?:Message|Comment) .* of job `job_/m.test(text);
