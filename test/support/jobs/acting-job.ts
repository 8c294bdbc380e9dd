import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { acting } from './acting.ts';
import { type JobRun, runJob } from './job-run.ts';
import type { Script } from './model/model-server.ts';
import { resumeJobRun } from './resumed-run.ts';

export const oldPages = { 'index.md': '# Site\n', 'a.md': 'old\n', 'b.md': 'old\n' };

/** A job that has said in a.md when to send keys, and what its pull request is called. */
export async function startActingJob({
  kind = 'github',
  script = acting,
}: {
  kind?: ForgeKind;
  script?: Script;
} = {}): Promise<{ run: JobRun; job: JobReply }> {
  const beginning = {
    name: 'keys',
    options: { kind, files: oldPages },
    script: acting,
    begin: ({ jobs }: JobRun) => runJob(jobs, 'a.md=keys | docs: say when to send keys | Says it.'),
  };
  const { run, known } = await resumeJobRun(beginning, { script });
  return { run, job: known };
}
