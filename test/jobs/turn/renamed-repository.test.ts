import { expect, test } from 'vitest';
import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { changeProject, finish, runJob, sendMessage, slug, startJobRun } from '../../support/jobs/job-run.ts';

const kinds = ['github', 'gitlab', 'gitea'] as const;
const renamed = 'acme/docs';

test.each(kinds)(
  'a job follows its repository that was renamed at %s, and so does the project',
  async (kind) => {
    const { run, job: first } = await startCommentedJob({ kind });
    const { jobs, forge, headcount } = run;
    expect(first.status).toBe('completed');
    const address = await forge.rename(slug, renamed);
    await sendMessage(jobs, first.id, 'write page.md Two.');
    const job = await finish(jobs, first.id);
    expect(job).toMatchObject({ status: 'completed', failure: null, source: { repository: address } });
    expect(job.prLink).toContain(renamed);
    expect(await forge.git.read(renamed, String(job.branch), 'page.md')).toBe('Two.\n');
    expect(await forge.list(renamed)).toHaveLength(1);
    expect(headcount.context.registry.project(headcount.projectId)?.settings.repository).toBe(address);
    const { ask, projectId } = jobs;
    const { entries } = await ask('GET /v1/projects/{projectId}/audit', { path: { projectId } });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'project.changed', actor: { kind: 'server', id: null, name: null } }),
    );
    expect(await runJob(jobs, 'write other.md New.')).toMatchObject({ status: 'completed' });
  },
);

test('a commit that is kept is delivered to where the repository is by then', async () => {
  const { jobs, forge, model } = await startJobRun();
  await forge.git.addHook(slug, 'pre-receive', 'echo "GH006: Protected branch update failed" >&2; exit 1');
  const failed = await runJob(jobs, 'write page.md One.');
  expect(failed.failure?.code).toBe('push_rejected');
  await forge.rename(slug, renamed);
  await forge.git.addHook(renamed, 'pre-receive', 'exit 0');
  await sendMessage(jobs, failed.id, 'look at the page');
  expect(await finish(jobs, failed.id)).toMatchObject({ status: 'completed', failure: null });
  expect(await forge.git.read(renamed, `headcount/${failed.id}`, 'page.md')).toBe('One.\n');
  expect(model.requests).toHaveLength(3);
});

test.each(kinds)(
  'jobs are known by the number of the repository once a person sets its new address at %s',
  async (kind) => {
    const commented = await startCommentedJob({ kind });
    const { run, job, say, handleComments } = commented;
    const address = await run.forge.rename(slug, renamed);
    await changeProject(run, { repository: address });
    say({ by: 'bert', text: '@headcount write page.md Two.' });
    const handled = await handleComments();
    expect(handled).toMatchObject({ id: job.id, status: 'completed', source: { repository: address } });
    expect(await run.forge.git.read(renamed, String(job.branch), 'page.md')).toBe('Two.\n');
  },
);

test.each(kinds)(
  'a comment is handled where the repository was renamed at %s, and nobody has said so',
  async (kind) => {
    const { run, job, say } = await startCommentedJob({ kind });
    await run.forge.rename(slug, renamed);
    say({ by: 'bert', text: '@headcount write page.md Two.' });
    // The first look finds out where it is.
    for (let look = 1; look <= 2; look += 1) await new PullWatch(run.headcount.context).look();
    expect(await finish(run.jobs, job.id)).toMatchObject({ status: 'completed', failure: null });
    expect(await run.forge.git.read(renamed, String(job.branch), 'page.md')).toBe('Two.\n');
  },
);

test('another repository at the same code host is not taken for it', async () => {
  const { run, job: first } = await startCommentedJob();
  const { jobs, forge } = run;
  await changeProject(run, { repository: await forge.git.createRepository('ada/other', { 'a.md': 'a\n' }) });
  await sendMessage(jobs, first.id, 'write page.md Two.');
  const failed = await finish(jobs, first.id);
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'bad_repository' } });
  expect(failed.failure?.message).toContain('create a new job');
});

test('a code host that sends on to elsewhere is not followed', async () => {
  const { jobs, forge } = await startJobRun({ kind: 'none' });
  await forge.rename(slug, renamed);
  const failed = await runJob(jobs, 'write page.md One.');
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'moved' } });
  expect(failed.failure?.message).toContain('--repository');
});

test('the name of a base branch that was renamed is the new one after the next message', async () => {
  const { run, job: first } = await startCommentedJob();
  const { jobs, forge } = run;
  await forge.git.git(slug, ['update-ref', 'refs/heads/trunk', 'refs/heads/main']);
  await forge.git.git(slug, ['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
  await forge.git.git(slug, ['update-ref', '-d', 'refs/heads/main']);
  for (const pull of await forge.list(slug)) pull.base = 'trunk';
  await sendMessage(jobs, first.id, 'write page.md Two.');
  expect(await finish(jobs, first.id)).toMatchObject({ status: 'completed', source: { ref: 'trunk' } });
});
