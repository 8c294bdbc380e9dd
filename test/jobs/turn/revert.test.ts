import { expect, test } from 'vitest';
import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import type { MergeStyle } from '../../support/forge/api.ts';
import { answersTo, type CommentedJob, pullOf, startCommentedJob } from '../../support/jobs/commented-job.ts';
import {
  changeProject,
  eventsOf,
  finish,
  type JobRun,
  runJob,
  sendMessage,
  slug,
} from '../../support/jobs/job-run.ts';

const page = 'import { Card } from "../card.js";\n\n# Page\n';
const files = { 'page.mdx': page, 'other.md': 'Other.\n' };

function askForRevert({ jobs: { ask, projectId } }: JobRun, jobId: string): Promise<JobReply> {
  return ask('POST /v2/agent/{projectId}/job/{jobId}/revert', { path: { projectId, jobId } });
}

async function revert(run: JobRun, jobId: string): Promise<JobReply> {
  return await finish(run.jobs, (await askForRevert(run, jobId)).id);
}

const pageOf = (run: JobRun, branch: string, path = 'page.mdx') => run.forge.git.read(slug, branch, path);

/** A job of two commits that was merged, and something that came after it. */
async function startMerged(
  options: Parameters<typeof startCommentedJob>[0] = {},
  style: MergeStyle = 'merge',
): Promise<CommentedJob> {
  const commented = await startCommentedJob({ files, ...options }, 'write page.mdx # One');
  const { run, job } = commented;
  await sendMessage(run.jobs, job.id, 'write new.md New.');
  await finish(run.jobs, job.id);
  await run.forge.merge(slug, 1, { deleteBranch: true, style });
  await run.forge.git.commit(slug, { 'other.md': 'Later.\n' }, { branch: 'main' });
  return commented;
}

async function archive({ jobs: { ask, projectId } }: JobRun, jobId: string): Promise<void> {
  await ask('POST /v2/agent/{projectId}/job/{jobId}/archive', { path: { projectId, jobId } });
}

async function lastWords({ jobs }: JobRun, jobId: string): Promise<unknown> {
  return (await eventsOf(jobs, jobId)).at(-1)?.data.message;
}

async function findReverting({ jobs }: JobRun): Promise<JobReply | undefined> {
  const { ask, projectId } = jobs;
  const all = await ask('GET /v2/agent/{projectId}/jobs', { path: { projectId } });
  const found = all.jobs.find(({ reverts }) => reverts !== null);
  return found && (await finish(jobs, found.id));
}

const styles = { github: 'rebase', gitlab: 'squash', gitea: 'merge', bitbucket: 'rebase' } as const;

test.each(forgeKinds)(
  'a member has taken back at %s by a comment what was merged: by one pull request, without a model, and what came later stays',
  async (kind) => {
    const commented = await startMerged({ kind }, styles[kind]);
    const { run, say, handleComments, pull, job } = commented;
    // A job that was archived since is heard once it is known to be merged.
    await new PullWatch(run.headcount.context).look();
    if (kind === 'github') await archive(run, job.id);
    const calls = run.model.requests.length;
    say({ by: 'mallory', text: '@headcount revert' });
    say({ by: 'bert', text: '@headcount write page.mdx Two.' });
    await handleComments();
    expect(await findReverting(run)).toBeUndefined();
    const asked = say({ by: 'bert', text: '@headcount Revert, please: it was better before.' });
    await Promise.all([handleComments(), handleComments()]);
    const reverting = await findReverting(run);
    expect(reverting).toMatchObject({ status: 'completed', failure: null, reverts: job.prLink, usage: null });
    const opened = await pullOf(run, 2);
    expect(opened).toMatchObject({ title: 'Revert "Write the page"', base: 'main', state: 'open' });
    expect(opened.body).toContain(`This takes back ${job.prLink}, and leaves what came after it.`);
    expect(opened.body).toContain('### Files\n\n- `new.md` deleted\n- `page.mdx` edited');
    expect(opened.body).toContain('Made by git, for Headcount in job `');
    // With code, which an agent could not have written.
    expect(await pageOf(run, opened.head)).toBe(page);
    expect(await pageOf(run, opened.head, 'other.md')).toBe('Later.\n');
    await expect(pageOf(run, opened.head, 'new.md')).rejects.toThrow();
    const [answer, ...others] = answersTo(pull, asked);
    expect(others).toEqual([]);
    expect(answer?.text).toMatch(/The change is in http:\S+\/2\.\n\n\*\*Revert "Write the page"\*\*/);
    expect(run.model.requests).toHaveLength(calls);
    expect(run.forge.violations).toEqual([]);
  },
);

test('there are never two of one, however often it is asked for; one that was closed is opened again', async () => {
  const { run, job } = await startMerged();
  const { forge } = run;
  const answers = await Promise.all([1, 2, 3].map(() => askForRevert(run, job.id)));
  const [id = '', ...others] = new Set(answers.map((answer) => answer.id));
  expect(others).toEqual([]);
  await finish(run.jobs, id);
  expect(await revert(run, job.id)).toMatchObject({ id, status: 'completed' });
  expect(await lastWords(run, id)).toMatch(/^It is proposed already, in .*\/pull\/2\.$/);
  // Whoever archives the job closes nothing.
  await archive(run, id);
  const next = await revert(run, job.id);
  expect(next).toMatchObject({ status: 'completed', prLink: null });
  expect(next.id).not.toBe(id);
  expect(forge.pulls).toHaveLength(2);
  await forge.decline(slug, 2);
  expect(await revert(run, job.id)).toMatchObject({ id: next.id, status: 'completed' });
  expect(forge.pulls).toHaveLength(3);
  await forge.merge(slug, 3);
  expect(await pageOf(run, 'main')).toBe(page);
  expect(await revert(run, job.id)).toMatchObject({ id: next.id, status: 'completed' });
  expect(await lastWords(run, next.id)).toMatch(/^Nothing of .*\/pull\/1 is left in main\.$/);
  expect(forge.pulls).toHaveLength(3);
});

test('what was changed again since is told, and left to the agent or to people', async () => {
  const { run, job } = await startMerged({}, 'squash');
  await run.forge.git.commit(slug, { 'page.mdx': '# Two\n' }, { branch: 'main' });
  const reverting = await revert(run, job.id);
  expect(reverting).toMatchObject({ status: 'failed', failure: { code: 'conflict' }, prLink: null });
  expect(reverting.failure?.message).toMatch(
    /changed in page\.mdx was changed again since.*send this job a message/,
  );
  await sendMessage(run.jobs, reverting.id, 'write page.mdx # Before');
  expect(await finish(run.jobs, reverting.id)).toMatchObject({ status: 'completed' });
  expect(await pageOf(run, (await pullOf(run, 2)).head)).toBe('# Before\n');
});

test('nothing is taken back that was not merged, and whoever asks is told why', async () => {
  const { run, job, say, handleComments, pull } = await startCommentedJob({ files });
  expect(job.merged).toBe(false);
  const reverting = await revert(run, job.id);
  expect(reverting).toMatchObject({ status: 'failed', failure: { code: 'not_merged' }, prLink: null });
  const idle = await runJob(run.jobs, 'Look.');
  const { url, projectId, adminKey } = run.headcount;
  const headers = { authorization: `Bearer ${adminKey}` };
  const post = (id: string) =>
    fetch(`${url}/v2/agent/${projectId}/job/${id}/revert`, { method: 'POST', headers });
  const refused = await post(idle.id);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('The job has no pull request, so there is nothing to revert.');
  expect((await post('job_none')).status).toBe(404);
  // Once it is merged, it is tried again, unless nobody is to be heard.
  await run.forge.merge(slug, 1);
  await new PullWatch(run.headcount.context).look();
  expect(await finish(run.jobs, job.id)).toMatchObject({ merged: true });
  await changeProject(run, { comments: 'off' });
  const asked = say({ by: 'bert', text: '@headcount revert' });
  await handleComments();
  expect(await finish(run.jobs, reverting.id)).toMatchObject({ status: 'failed' });
  expect(answersTo(pull, asked)).toEqual([]);
  expect(await revert(run, job.id)).toMatchObject({ id: reverting.id, status: 'completed', failure: null });
});
