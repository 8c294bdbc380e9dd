import { expect, test } from 'vitest';
import {
  eventsOf,
  finish,
  forgeToken,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import { inOrder } from '../../support/jobs/model/model-server.ts';

test('passing errors of the forge and of git are waited out', async () => {
  const { jobs, forge } = await startJobRun();
  forge.git.faults.push(
    { on: /^POST .*git-receive-pack/, dropAfter: true },
    { on: /^POST \/api\/v3\/repos\/.*\/pulls/, dropAfter: true },
    { on: /^GET \/api\/v3\/repos\/.*\/pulls/, status: 502 },
  );
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${job.id}`)).toHaveLength(2);
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry').length).toBeGreaterThan(0);
});

test('an error that does not pass is tried three times, and then the job fails with its reason', async () => {
  const { jobs, forge } = await startJobRun();
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /\/pulls/, status: 502 });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job).toMatchObject({ status: 'failed', prLink: null });
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'server_error' } });

  // The work is not lost: it is on its branch, and the next message opens the pull request.
  forge.git.faults.length = 0;
  await sendMessage(jobs, job.id, 'write other.md Hello.');
  expect(await finish(jobs, job.id)).toMatchObject({ status: 'completed' });
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${job.id}`)).toHaveLength(3);
});

test.each([
  ['seconds', () => '2'],
  ['a date', () => new Date(Date.now() + 3_000).toUTCString()],
])('a limit of git is waited out for as long as it says in %s', async (_what, header) => {
  const { jobs, forge } = await startJobRun();
  // As it is asked, however long the turn took until then.
  const headers: Record<string, string> = {};
  const before = async () => Object.assign(headers, { 'Retry-After': header() });
  forge.git.faults.push({ on: /^GET .*service=git-receive-pack/, status: 429, headers, before });
  const job = await runJob(jobs, 'write page.md Hello.');
  expect(job.status).toBe('completed');
  const retries = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'retry');
  expect(retries).toMatchObject([{ data: { reason: 'rate_limited' } }]);
  expect(retries[0]?.data.waitMs).toBeGreaterThan(500);
  expect(retries[0]?.data.waitMs).toBeLessThanOrEqual(3_000);
});

test('what git said when a turn failed is in the log, without the token', async () => {
  const { jobs, forge, headcount } = await startJobRun();
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /git-receive-pack/, status: 404 });
  const job = await runJob(jobs, 'write page.md Hello.');
  expect(job.status).toBe('failed');
  const log = headcount.log.join('\n');
  expect(log).toContain(`A turn of ${job.id} failed (not_found), git said:`);
  expect(log).toMatch(/repository .* not found/);
  expect(log).not.toContain(forgeToken);
  expect(log).not.toContain('http.c:');
});

test('a key that the model refuses ends the turn at once, and says which one to set', async () => {
  const { jobs, model } = await startJobRun({ script: inOrder({ status: 401 }) });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('failed');
  expect(model.requests).toHaveLength(1);
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)?.data.message).toContain('OPENAI_API_KEY');
});

test('a token that the code host refuses ends the turn at once', async () => {
  const { jobs, forge } = await startJobRun();
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /info\/refs/, status: 401 });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('failed');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'auth' } });
  expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  expect(JSON.stringify(events)).not.toContain(forgeToken);
});

test('a model that asks to be left alone is asked again later', async () => {
  const { jobs, model } = await startJobRun({
    script: ({ body }, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : obey(body),
  });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('completed');
  expect(model.requests).toHaveLength(3);
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
});

test('a model that fails in the middle of a turn is not asked again for what it has answered', async () => {
  let failures = 0;
  const { jobs, model, forge } = await startJobRun({
    agentLimits: { tries: 1 },
    script: ({ body, results }) => {
      if (results.length === 1 && failures < 2) {
        failures += 1;
        return { status: 503 };
      }
      return obey(body);
    },
  });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job).toMatchObject({ status: 'completed', usage: { steps: 2 } });
  expect(model.requests).toHaveLength(4);
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'page.md')).toBe('Hello.\n');
});
