import type { JobReply } from '../../shared/jobs/job.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { createJob, eventsOf, setSecrets } from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { patchArguments, readPatch } from './patch.ts';
import { Scene } from './scene.ts';
import { seedViews } from './seeded-views.ts';
import { afterCommits, type Files, siteFiles } from './site-files.ts';
import type { Outcome, Task } from './task.ts';
import { forgeToken, slugOf, type World } from './world.ts';

let runs = 0;

/** Lets a model work on a task, in a project and on a base branch of their own. */
export async function runTask(world: World, task: Task, model: string): Promise<Outcome> {
  runs += 1;
  const base = `main-${runs}`;
  const slug = slugOf(task.site);
  const project = await prepare(world, task, { model, base });
  const evidence = await task.evidence?.(project);
  const prompt = evidence === undefined ? task.prompt : `${task.prompt}\n\n${evidence}`;
  const jobs = jobClient(world.headcount.url, project);
  const { id } = await createJob(jobs, prompt);
  const scene = new Scene({ world, slug, base, jobs, jobId: id });
  await scene.rest();
  await task.later?.(scene);
  const job = await scene.rest();
  const events = await eventsOf(jobs, id);
  const refused = events.filter(({ data }) => data.ok === false).map(({ data }) => String(data.output));
  const words = String(events.findLast(({ type }) => type === 'text')?.data.text ?? '');
  const before = afterCommits(siteFiles(task.site), [...(task.commits ?? []), ...scene.commits]);
  const counts = await describeCounts(project);
  return {
    ...{ task, job, before, words, refused },
    sources: [...before.values(), task.prompt, ...scene.prompts, counts].join('\n'),
    pull: (await world.forge.list(slug)).find(({ head }) => head === job.branch),
    ...(await readChange(world, slug, { base, job, before })),
  };
}

async function prepare(
  { headcount, forge }: World,
  task: Task,
  { model, base }: { model: string; base: string },
): Promise<ProjectClient> {
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
    comments: 'off',
    ...task.settings,
    // Where Starlight's navigation and redirects are.
    agentPaths: ['astro.config.mjs'],
  });
  await setSecrets({ context: headcount.context, projectId: project.projectId }, { forgeToken });
  await seedViews(project, task.views ?? []);
  return project;
}

/** Without the paths: whoever asks for one makes it up. */
async function describeCounts(project: ProjectClient): Promise<string> {
  return JSON.stringify([await project.visitors(), await project.views()].map(Object.values));
}

async function readChange(
  { forge: { git } }: World,
  slug: string,
  { base, job, before }: { base: string; job: JobReply; before: Files },
): Promise<Pick<Outcome, 'after' | 'changes' | 'added' | 'removed' | 'isMergeable'>> {
  const { branch } = job;
  if (branch === null) return { ...readPatch('', before), isMergeable: true };
  // It ends with 1 where there is a conflict.
  const merge = git.git(slug, ['merge-tree', '--write-tree', base, branch]);
  const isMergeable = await merge.then(
    () => true,
    () => false,
  );
  const patch = await git.git(slug, [...patchArguments, `${base}...${branch}`]);
  return { ...readPatch(patch, before), isMergeable };
}
