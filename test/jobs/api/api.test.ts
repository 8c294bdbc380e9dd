import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobReply, JobsReply } from '../../../shared/jobs/job.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import { hourMs } from '../../support/clock.ts';
import { errorOf } from '../../support/headcount.ts';
import { bodyOf, type JobApi, project, repository, startJobApi } from '../../support/jobs/job-api.ts';

let { clock, headcount, jobs, newProject } = {} as JobApi;
beforeAll(async () => {
  ({ clock, headcount, jobs, newProject } = await startJobApi());
});
afterAll(() => headcount.stop());

/** Works off the oldest turn of the installation, as the runner does. */
async function workOff(status: 'completed' | 'failed', prLink?: string): Promise<void> {
  const { store } = headcount.context;
  const lease = await store.jobs.claimTurn({ total: 1000, perProject: 1000, leaseMs: hourMs });
  if (!lease) throw new Error('No turn waits.');
  await store.jobs.settleTurn(lease, { status, prLink }, { type: status, data: {} });
}

/** Other tests leave turns behind that would be worked off first. */
async function emptyQueue(): Promise<void> {
  const { store } = headcount.context;
  while ((await store.jobs.msUntilDue()) !== null) await workOff('completed');
}

describe('a job', () => {
  test('is created at once and can be read where Location says', async () => {
    const response = await jobs.create('Write an introduction.');
    const { id, ...rest } = await bodyOf<JobReply>(response, 201);
    expect(id).toMatch(/^job_[0-9A-Za-z]{24}$/);
    expect(rest).toEqual({
      status: 'active',
      source: { repository, ref: 'main' },
      model: 'anthropic/claude-opus-4-5',
      prLink: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      archivedAt: null,
      branch: null,
      failure: null,
      usage: null,
      noChange: null,
      stopped: false,
      startedBy: null,
      reverts: null,
      merged: false,
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('location')).toBe(`/v2/agent/${headcount.projectId}/job/${id}`);
    const read = await jobs.send('GET', response.headers.get('location') ?? '');
    expect(await bodyOf<JobReply>(read, 200)).toEqual({ id, ...rest });
  });

  test('keeps repository and model as they were when it was created', async () => {
    const { context } = headcount;
    const mine = await newProject({ ...project, ref: '' });
    const { id } = await mine.mustCreate();
    const settings = projectSettings.parse({
      name: 'x',
      ...project,
      repository: 'https://other.example/a/b',
    });
    await context.store.setProject(mine.projectId, settings);
    await context.registry.refresh();
    const read = await bodyOf<JobReply>(await mine.read(id), 200);
    // The branch is not known before the repository was asked.
    expect(read.source).toEqual({ repository, ref: '' });
  });

  test('shows its pull request only while it rests, and is active again after a message', async () => {
    const mine = await newProject();
    await emptyQueue();
    const { id } = await mine.mustCreate();
    await workOff('completed', 'https://git.example.com/pull/1');
    expect(await bodyOf(await mine.read(id), 200)).toMatchObject({
      status: 'completed',
      prLink: 'https://git.example.com/pull/1',
    });
    expect(await bodyOf(await mine.message(id, 'More.'), 200)).toMatchObject({
      id,
      status: 'active',
      prLink: null,
    });
    await bodyOf(await mine.message(id, 'Even more.'), 200);
    await workOff('completed');
    expect(await bodyOf(await mine.read(id), 200)).toMatchObject({ status: 'active', prLink: null });
    await workOff('failed');
    expect(await bodyOf(await mine.read(id), 200)).toMatchObject({
      status: 'failed',
      prLink: 'https://git.example.com/pull/1',
    });
  });

  test('that takes back a merge is one of the hundred of an hour', async () => {
    const mine = await newProject();
    await emptyQueue();
    const { id } = await mine.mustCreate();
    await workOff('completed', 'https://git.example.com/pull/1');
    for (let i = 1; i < 100; i++) await mine.mustCreate();
    const refused = await mine.send('POST', `/v2/agent/${mine.projectId}/job/${id}/revert`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    await emptyQueue();
  });

  test('is stopped, twice with the same answer, and goes on with a message', async () => {
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    const stopped = await bodyOf(await mine.stop(id), 200);
    expect(stopped).toMatchObject({ id, status: 'completed', stopped: true, failure: null, noChange: null });
    expect(await bodyOf(await mine.stop(id), 200)).toEqual(stopped);
    const active = await bodyOf(await mine.message(id, 'Go on.'), 200);
    expect(active).toMatchObject({ status: 'active', stopped: false });
    const archived = await bodyOf(await mine.archive(id), 200);
    expect(await bodyOf(await mine.stop(id), 200)).toEqual(archived);
    expect((await mine.stop('job_none')).status).toBe(404);
  });

  test('is archived for good, twice with the same answer, and takes no more messages', async () => {
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    clock.advance(1000);
    const archivedAt = new Date(clock.now()).toISOString();
    const archived = await bodyOf(await mine.archive(id), 200);
    expect(archived).toMatchObject({ id, status: 'archived', archivedAt });
    clock.advance(1000);
    expect(await bodyOf(await mine.archive(id), 200)).toEqual(archived);
    const refused = await mine.message(id, 'More.');
    expect([refused.status, (await errorOf(refused)).error]).toEqual([
      400,
      expect.stringContaining('create a new job'),
    ]);
  });

  test('an outside agent stands where the model does', async () => {
    const mine = await newProject({ repository, agentCommand: ['/usr/local/bin/claude', '-p'] });
    expect((await mine.mustCreate()).model).toBe('claude');
  });

  test.each([
    [{ model: project.model }, '--repository <address>'],
    [{ repository }, '--model <provider>/<model>'],
  ])('is refused with the command that sets what is missing: %o', async (settings, option) => {
    const mine = await newProject(settings);
    const response = await mine.create('x');
    expect([response.status, (await errorOf(response)).error]).toEqual([
      400,
      expect.stringContaining(`headcount project set ${mine.projectId} ${option}`),
    ]);
  });
});

test('lists are newest first, by status and in pages', async () => {
  const mine = await newProject();
  const ids: string[] = [];
  for (let i = 0; i < 22; i++) ids.unshift((await mine.mustCreate()).id);
  await mine.archive(ids[3] ?? '');
  const list = async (query: string) => {
    const { jobs: listed, hasMore } = await bodyOf<JobsReply>(await mine.list(query), 200);
    return [listed.map(({ id }) => ids.indexOf(id)), hasMore];
  };
  expect(await list('')).toEqual([Array.from({ length: 20 }, (_, i) => i), true]);
  expect(await list('?limit=2&offset=20')).toEqual([[20, 21], false]);
  expect(await list('?limit=100')).toEqual([Array.from({ length: 22 }, (_, i) => i), false]);
  expect(await list('?offset=22')).toEqual([[], false]);
  expect(await list('?status=archived')).toEqual([[3], false]);
  expect(await list('?status=active&limit=3&offset=2&colour=red')).toEqual([[2, 4, 5], true]);
  for (const [query, path, message] of [
    ['?limit=0', 'limit', 'from 1 to 100'],
    ['?limit=101', 'limit', 'from 1 to 100'],
    ['?limit=1e1', 'limit', 'decimal'],
    ['?offset=-1', 'offset', 'decimal'],
    ['?status=idle', 'status', 'active, completed, archived, failed'],
    ['?status=active&status=failed', 'status', 'only once'],
    ['?limit=1&limit=2', 'limit', 'only once'],
  ] as const) {
    const response = await mine.list(query);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details).toEqual([{ path, message: expect.stringContaining(message) }]);
  }
});

describe('prompts', () => {
  test.each<[string, unknown, number]>([
    ['one character', 'x', 201],
    ['32,000 characters', 'x'.repeat(32_000), 201],
    ['32,000 characters of two units each', '😀'.repeat(32_000), 201],
    ['32,001 characters', 'x'.repeat(32_001), 400],
    ['32,001 characters, some of two units', `${'😀'.repeat(100)}${'x'.repeat(31_901)}`, 400],
    ['nothing', '', 400],
    ['only white space', ' \n\t\u3000', 400],
    ['half a character', '\ud83d', 400],
    ['a number', 7, 400],
    ['a list', ['x'], 400],
    ['null', null, 400],
    ['none', undefined, 400],
  ])('of %s', async (_name, prompt, status) => {
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    const body = JSON.stringify({ prompt, unknown: 'is ignored' });
    for (const [path, accepted] of [
      ['job', 201],
      [`job/${id}/message`, 200],
    ] as const) {
      const response = await mine.post(path, body);
      expect(response.status).toBe(status === 201 ? accepted : 400);
      if (status === 400) expect((await errorOf(response)).details?.[0]?.path).toBe('prompt');
    }
  });

  test('in a list are refused by saying that text is wanted', async () => {
    const response = await (await newProject()).post('job', JSON.stringify({ prompt: ['a'] }));
    expect((await errorOf(response)).details).toEqual([
      { path: 'prompt', message: 'must be text, not a list' },
    ]);
  });

  test('every character as the longest escape fits into a body', async () => {
    const body = `{"prompt":"${'\\ud83d\\ude00'.repeat(32_000)}"}`;
    expect((await (await newProject()).post('job', body)).status).toBe(201);
  });

  test.each<[string, string, Record<string, string>, number]>([
    ['broken JSON', '{"prompt":', {}, 400],
    ['no JSON', 'prompt=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['an unknown character set', '{}', { 'content-type': 'application/json; charset=ebcdic' }, 415],
    ['a body that is too large', `{"prompt":"${'x'.repeat(3_000_000)}"}`, {}, 413],
    ['an empty body', '', {}, 400],
    ['a list', '[]', {}, 400],
  ])('%s is refused', async (_name, body, headers, status) => {
    const response = await jobs.post('job', body, headers);
    expect([response.status, (await errorOf(response)).error]).toEqual([status, expect.any(String)]);
  });
});
