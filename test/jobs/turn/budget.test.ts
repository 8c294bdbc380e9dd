import { expect, test } from 'vitest';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import {
  eventsOf,
  finish,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import { atThisLoad } from '../../support/machine/load.ts';
import { needSandbox } from '../../support/machine/sandbox.ts';

const writes = (path: string) => ({ calls: [{ tool: 'write', input: { path, content: 'Hello.\n' } }] });

const titles: [ForgeKind, string][] = [
  ['github', 'Change 3 files'],
  ['gitlab', 'Draft: Change 3 files'],
  ['gitea', 'WIP: Change 3 files'],
  ['bitbucket', 'Change 3 files'],
];

test.each(titles)(
  'what an agent did until a limit stopped it is a draft on %s that says so',
  async (kind, title) => {
    const { jobs, forge } = await startJobRun({
      kind,
      agentLimits: { steps: 3 },
      script: (_request, index) => ({ text: `I write page ${index}.`, ...writes(`page-${index}.md`) }),
    });
    const job = await runJob(jobs, 'write many pages');

    const [pull, ...others] = await forge.list(slug);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ title, head: `headcount/${job.id}` });
    expect(pull?.draft).toBe(true);
    expect(pull?.body).toMatch(/\*\*Not finished\.\*\* The agent did not finish within 3 steps\./);
    expect(pull?.body).toContain('I write page 2.');
    expect(job).toMatchObject({
      status: 'failed',
      prLink: expect.stringMatching(new RegExp(`/${pull?.number}$`)),
      failure: { code: 'steps', message: expect.stringContaining('What it had done by then is kept.') },
      usage: { steps: 3, inputTokens: 3_000, outputTokens: 300, cachedTokens: 0 },
    });
    const files = await forge.git.files(slug, `headcount/${job.id}`);
    expect(files).toEqual(['index.md', 'page-0.md', 'page-1.md', 'page-2.md']);
    expect(forge.violations).toEqual([]);
  },
);

test('a message to a job that was stopped at a limit goes on from what it did', async () => {
  const { jobs, forge, model } = await startJobRun({
    agentLimits: { steps: 1 },
    script: ({ body, prompts }) =>
      prompts.at(-1)?.includes('look') ? { text: 'Look over it\n\nAll is there.' } : obey(body),
  });
  const first = await runJob(jobs, 'write a.md one');
  expect(first).toMatchObject({ status: 'failed', failure: { code: 'steps' } });
  await sendMessage(jobs, first.id, 'look at the pages');
  const job = await finish(jobs, first.id);

  expect(job).toMatchObject({ status: 'completed', prLink: first.prLink, failure: null });
  expect(model.requests[1]?.prompts.join('\n')).toContain('what was changed by then was committed');
  expect(await forge.list(slug)).toHaveLength(1);
});

test('without a code host, what was done until a limit is on the branch', async () => {
  const { jobs, forge } = await startJobRun({
    kind: 'none',
    agentLimits: { steps: 1 },
    script: () => writes('page.md'),
  });
  const job = await runJob(jobs, 'write a page');

  expect(job).toMatchObject({ status: 'failed', prLink: null, branch: `headcount/${job.id}` });
  expect(job.failure?.message).toContain(`on the branch headcount/${job.id}`);
  const [commit] = await forge.git.log(slug, `headcount/${job.id}`);
  expect(commit?.message).toContain('**Not finished.**');
});

test('what an outside agent did until its time was up is a draft', async (context) => {
  needSandbox(context);
  const { jobs, forge } = await startJobRun({
    // Enough to write a file at any load; that of a moment ago may have been a hundred times as high.
    agentLimits: { timeMs: Math.min(atThisLoad(2_000), 15_000) },
    project: { agentCommand: ['sh', '-c', 'echo Hello. > page.md; echo half way; exec sleep infinity'] },
  });
  const job = await runJob(jobs, 'write a page');

  expect(job).toMatchObject({ status: 'failed', failure: { code: 'time' }, usage: null });
  const [pull] = await forge.list(slug);
  expect(pull).toMatchObject({ draft: true, title: 'Change page.md' });
  expect(pull?.body).toContain('half way');
});

test('a refused delivery of an unfinished turn is a draft in the end, and the reason stays', async () => {
  const { jobs, forge } = await startJobRun({ agentLimits: { steps: 1 }, script: ({ body }) => obey(body) });
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /\/pulls/, status: 403 });
  const { id } = await runJob(jobs, 'write page.md Hello.');
  forge.git.faults.length = 0;
  await sendMessage(jobs, id, 'look at it');
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toMatchObject([{ draft: true }]);
  const ends = (await eventsOf(jobs, id)).filter(({ type }) => type === 'failed');
  expect(ends.map(({ turn, data }) => [turn, data.reason])).toEqual([
    [0, 'forbidden'],
    [0, 'steps'],
  ]);
});
