import { expect, test } from 'vitest';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { eventsOf, finish, obey, sendMessage, slug } from '../../support/jobs/job-run.ts';

test('a commit that a person pushes while the agent works stays, and ours comes on top', async () => {
  const { run, job: first } = await startCommentedJob({
    script: async ({ body, prompts, results }) => {
      if (prompts.at(-1)?.endsWith('two') && results.length > 1) {
        await forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch: `headcount/${id}` });
      }
      return obey(body);
    },
  });
  const { id } = first;
  const { jobs, forge } = run;
  await sendMessage(jobs, id, 'write b.md two');
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  const log = await forge.git.log(slug, `headcount/${id}`);
  expect(log.map(({ author }) => author)).toEqual(['Headcount', 'Ada', 'Headcount', 'Ada']);
  expect(await forge.git.files(slug, `headcount/${id}`)).toContain('person.md');
});

test('a person who changes the same lines meanwhile is not overwritten', async () => {
  const { run, job: first } = await startCommentedJob({
    script: async ({ body, prompts, results }) => {
      if (prompts.at(-1)?.endsWith('two') && results.length > 1) {
        await forge.git.commit(slug, { 'page.md': 'mine\n' }, { branch: `headcount/${id}` });
      }
      return obey(body);
    },
  });
  const { id } = first;
  const { jobs, forge } = run;
  await sendMessage(jobs, id, 'write page.md two');
  const job = await finish(jobs, id);

  expect(job.status).toBe('failed');
  expect(await forge.git.read(slug, `headcount/${id}`, 'page.md')).toBe('mine\n');
  const events = await eventsOf(jobs, id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'conflict' } });
});

test('a branch that is forced to something else while the agent works gets our commit on top of that', async () => {
  const { run, job: first } = await startCommentedJob({
    script: async ({ body, prompts, results }) => {
      if (prompts.at(-1)?.endsWith('two') && results.length > 1) {
        const other = await forge.git.commit(slug, { 'other.md': 'mine\n' }, { branch: 'other' });
        await forge.git.git(slug, ['update-ref', `refs/heads/headcount/${id}`, other]);
      }
      return obey(body);
    },
  });
  const { id } = first;
  const { jobs, forge } = run;
  await sendMessage(jobs, id, 'write b.md two');

  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  expect(await forge.git.files(slug, `headcount/${id}`)).toEqual(['b.md', 'index.md', 'other.md']);
});

test('a branch that is deleted while the agent works is followed by a new one from the base', async () => {
  const { run, job: first } = await startCommentedJob({
    script: async ({ body, prompts, results }) => {
      if (prompts.at(-1)?.endsWith('two') && results.length > 1) {
        await forge.merge(slug, 1, { deleteBranch: true });
      }
      return obey(body);
    },
  });
  const { id, prLink } = first;
  const { jobs, forge } = run;
  await sendMessage(jobs, id, 'write b.md two');
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  expect(job.prLink).not.toBe(prLink);
  expect(await forge.git.files(slug, `headcount/${id}-2`)).toEqual(['b.md', 'index.md', 'page.md']);
  expect(await forge.list(slug)).toHaveLength(2);
});
