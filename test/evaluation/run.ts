import type { JobReply } from '../../shared/job.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { createJob, eventsOf, finish, setSecrets } from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { patchArguments, readPatch } from './patch.ts';
import { seedViews } from './seeded-views.ts';
import { afterCommits, type Files, siteFiles } from './site-files.ts';
import type { Outcome, Task } from './task.ts';
import { forgeToken, slugOf, type World } from './world.ts';

/** An agent may take half an hour, and may have to wait for others. */
const timeoutMs = 4 * 3_600_000;
let runs = 0;

/** Lets a model work on a task, in a project and on a base branch of their own. */
export async function runTask(world: World, task: Task, model: string): Promise<Outcome> {
  const { headcount, forge } = world;
  runs += 1;
  const base = `main-${runs}`;
  const slug = slugOf(task.site);
  await forge.git.git(slug, ['branch', base, 'main']);
  for (const { message, files } of task.commits ?? []) {
    await forge.git.commit(slug, { ...files }, { branch: base, message });
  }
  const project = await headcount.addProject({
    name: task.name,
    repository: forge.git.urlOf(slug),
    ref: base,
    forge: 'gitea',
    forgeUrl: forge.apiUrl('gitea'),
    model,
    // Where Starlight's navigation and redirects are.
    agentPaths: ['astro.config.mjs'],
  });
  await setSecrets({ context: headcount.context, projectId: project.projectId }, { forgeToken });
  await seedViews(project, task.views ?? []);
  const evidence = await task.evidence?.(project);
  const prompt = evidence === undefined ? task.prompt : `${task.prompt}\n\n${evidence}`;
  const jobs = jobClient(headcount.url, project);
  const { id } = await createJob(jobs, prompt);
  const job = await finish(jobs, id, timeoutMs);
  const events = await eventsOf(jobs, id);
  const refused = events.filter(({ data }) => data.ok === false).map(({ data }) => String(data.output));
  const words = String(events.findLast(({ type }) => type === 'text')?.data.text ?? '');
  const before = afterCommits(siteFiles(task.site), task.commits ?? []);
  const sources = [...before.values(), task.prompt, await describeCounts(project)].join('\n');
  const pull = (await forge.list(slug)).find(({ head }) => head === job.branch);
  return {
    task,
    job,
    pull,
    before,
    words,
    refused,
    sources,
    ...(await readChange(world, slug, { base, job, before })),
  };
}

/** Without the paths: whoever asks for one makes it up. */
async function describeCounts(project: ProjectClient): Promise<string> {
  return JSON.stringify([await project.visitors(), await project.views()].map(Object.values));
}

async function readChange(
  { forge: { git } }: World,
  slug: string,
  { base, job, before }: { base: string; job: JobReply; before: Files },
): Promise<Pick<Outcome, 'after' | 'changes' | 'added' | 'removed'>> {
  if (job.branch === null) return readPatch('', before);
  return readPatch(await git.git(slug, [...patchArguments, `${base}...${job.branch}`]), before);
}
