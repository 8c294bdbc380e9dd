import { expect, test } from 'vitest';
import { eventsOf, runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';
import { needSandbox } from '../../support/machine/sandbox.ts';

test('a model that never ends is stopped by the limit of steps, which the transcript names', async () => {
  let n = 0;
  const { jobs, forge } = await startJobRun({
    script: () => ({ calls: [{ tool: 'write', input: { path: `page-${n++ % 50}.md`, content: `${n}\n` } }] }),
  });
  const job = await runJob(jobs, 'go on for ever');

  expect(job.status).toBe('failed');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'steps' } });
  expect(await forge.list(slug)).toMatchObject([{ head: `headcount/${job.id}`, draft: true }]);
});

type Writes = { path: string; content: string }[];
const tooMuch: [string, Writes[]][] = [
  [
    'files',
    // An answer may call thirty tools.
    Array.from({ length: 13 }, (_, m) =>
      Array.from({ length: 25 }, (_, n) => ({ path: `page-${m}-${n}.md`, content: 'x' })),
    ),
  ],
  ['bytes', Array.from({ length: 3 }, (_, n) => [{ path: `page-${n}.md`, content: 'x'.repeat(900_000) }])],
];

test.each(tooMuch)('a turn that changes too many %s fails and names that limit', async (reason, answers) => {
  const left = [...answers];
  const { jobs, forge } = await startJobRun({
    script: ({ prompts }) => {
      // What it wrote is more than a conversation may hold.
      if (prompts.at(-1)?.includes('Sum up for yourself')) return { text: 'I have written pages.' };
      const writes = left.shift();
      return writes ? { calls: writes.map((input) => ({ tool: 'write', input })) } : { text: 'Done' };
    },
  });
  const job = await runJob(jobs, 'write a lot');

  expect(job.status).toBe('failed');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason } });
  expect(Object.keys(await forge.git.refs(slug))).toEqual(['refs/heads/main']);
});

test('an outside agent that changes too much fails by what it left', async (context) => {
  needSandbox(context);
  const { jobs, forge } = await startJobRun({
    project: { agentCommand: ['sh', '-c', 'seq 1 2000000 > numbers.md'] },
  });
  const job = await runJob(jobs, 'write a lot');

  expect(job.status).toBe('failed');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'too_large' } });
  expect(Object.keys(await forge.git.refs(slug))).toEqual(['refs/heads/main']);
});
