import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobReply, JobsReply } from '../../shared/job.ts';
import { projectSettings } from '../../shared/project.ts';
import { type Clock, createClock, dayMs, hourMs } from '../support/clock.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { type JobClient, jobClient } from '../support/jobs/jobs.ts';

const repository = 'https://git.example.com/owner/site';
const project = { repository, ref: 'main', model: 'anthropic/claude-opus-4-5' };
let clock: Clock;
let headcount: Headcount;
let client: ProjectClient;
let jobs: JobClient;

beforeAll(async () => {
  clock = createClock('2026-11-20T10:00:00.000Z');
  headcount = await startHeadcount({ project, now: clock.now });
  client = headcount;
  jobs = jobClient(headcount.url, headcount);
});
afterAll(() => headcount.stop());

/** A project of its own, so that tests do not share limits or queues. */
async function newProject(settings: object = project): Promise<JobClient> {
  client = await headcount.addProject(settings);
  return jobClient(headcount.url, client);
}

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

async function bodyOf<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  return JSON.parse(text) as T;
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

  test('every character as the longest escape fits into a body', async () => {
    const body = `{"prompt":"${'\\ud83d\\ude00'.repeat(32_000)}"}`;
    expect((await (await newProject()).post('job', body)).status).toBe(201);
  });

  test.each<[string, string, Record<string, string>, number]>([
    ['broken JSON', '{"prompt":', {}, 400],
    ['no JSON', 'prompt=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['an unknown character set', '{}', { 'content-type': 'application/json; charset=ebcdic' }, 415],
    ['a body that is too large', `{"prompt":"${'x'.repeat(600_000)}"}`, {}, 413],
    ['an empty body', '', {}, 400],
    ['a list', '[]', {}, 400],
  ])('%s is refused', async (_name, body, headers, status) => {
    const response = await jobs.post('job', body, headers);
    expect([response.status, (await errorOf(response)).error]).toEqual([status, expect.any(String)]);
  });
});

describe('who may do what', () => {
  const routes = [
    ['POST', 'job'],
    ['GET', 'jobs'],
    ['GET', 'job/job_x'],
    ['POST', 'job/job_x/message'],
    ['POST', 'job/job_x/archive'],
    ['GET', 'job/job_x/events'],
  ] as const;

  test.each(routes)('%s %s', async (method, path) => {
    const other = await headcount.addProject(project);
    const ask = (key: string | null, id = headcount.projectId) =>
      fetch(`${headcount.url}/v2/agent/${id}/${path}`, {
        method,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
      });
    for (const key of [null, 'nonsense', `${headcount.adminKey.slice(0, -1)}!`]) {
      const response = await ask(key);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    const forbidden = [
      await ask(headcount.ingestKey),
      await ask(headcount.adminKey, other.projectId),
      await ask(headcount.adminKey, 'nosuch'),
    ];
    const texts = await Promise.all(forbidden.map((response) => response.text()));
    expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(texts).size).toBe(1);
    expect((await ask(headcount.rootKey, 'nosuch')).status).toBe(404);
  });

  test('a job of another project is not there', async () => {
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    const root = jobClient(headcount.url, { ...headcount, adminKey: headcount.rootKey });
    for (const response of [
      await root.read(id),
      await root.message(id, 'x'),
      await root.archive(id),
      await root.events(id),
      await root.stream(id),
      await root.read('job_unknown'),
    ]) {
      expect([response.status, (await errorOf(response)).error]).toEqual([
        404,
        expect.stringContaining('no such job'),
      ]);
    }
    expect(await bodyOf(await mine.read(id), 200)).toMatchObject({ status: 'active' });
  });

  test.each([
    ['job', 'GET', 'POST'],
    ['jobs', 'POST', 'GET, HEAD'],
    ['job/job_x', 'DELETE', 'GET, HEAD'],
    ['job/job_x/message', 'PUT', 'POST'],
    ['job/job_x/archive', 'GET', 'POST'],
    ['job/job_x/events', 'POST', 'GET, HEAD'],
  ])('%s does not take %s', async (path, method, allow) => {
    const response = await jobs.send(method, `/v2/agent/${headcount.projectId}/${path}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  });

  test('unknown routes are 404', async () => {
    for (const path of ['', 'jobz', 'job/x/y', 'job/x/message/y']) {
      expect((await jobs.send('GET', `/v2/agent/${headcount.projectId}/${path}`)).status).toBe(404);
    }
  });
});

describe('a request with an Idempotency-Key', () => {
  test('sent again answers with the same job, for 24 hours', async () => {
    const mine = await newProject();
    const ask = (prompt: string) => mine.create(prompt, { 'idempotency-key': 'abc' });
    const first = await bodyOf<JobReply>(await ask('a'), 201);
    clock.advance(1000);
    const again = await ask('a');
    expect(again.headers.get('location')).toContain(first.id);
    expect(await bodyOf(again, 201)).toEqual(first);
    const other = await ask('b');
    expect([other.status, (await errorOf(other)).error]).toEqual([400, expect.stringContaining('new key')]);
    clock.advance(dayMs);
    expect((await bodyOf<JobReply>(await ask('b'), 201)).id).not.toBe(first.id);
  });

  test('sent ten times at once leaves one job or one message', async () => {
    const mine = await newProject();
    const headers = { 'idempotency-key': 'abc' };
    const ten = Array.from({ length: 10 });
    const created = await Promise.all(ten.map(() => mine.create('a', headers)));
    const bodies = await Promise.all(created.map((response) => bodyOf<JobReply>(response, 201)));
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    const id = bodies[0]?.id ?? '';
    const sent = await Promise.all(ten.map(() => mine.message(id, 'a', headers)));
    expect(sent.map(({ status }) => status)).toEqual(ten.map(() => 200));
    const { events } = await bodyOf<{ events: unknown[] }>(await mine.events(id), 200);
    expect(events).toHaveLength(2);
  });

  test.each(['', 'a b', 'é', 'x'.repeat(256)])('the key %j is refused', async (key) => {
    expect((await jobs.create('x', { 'idempotency-key': key })).status).toBe(400);
  });

  test('the longest key is taken', async () => {
    expect((await jobs.create('x', { 'idempotency-key': '~'.repeat(255) })).status).toBe(201);
  });
});

describe('limits', () => {
  /** Answers the statuses of so many requests. */
  async function statusesOf(count: number, ask: () => Promise<Response>): Promise<Set<number>> {
    const statuses = new Set<number>();
    for (let i = 0; i < count; i++) statuses.add((await ask()).status);
    return statuses;
  }

  test('100 jobs and 100 messages within any hour, across a restart', async () => {
    const { dataDir } = headcount;
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    clock.advance(10_000);
    expect(await statusesOf(49, () => mine.create('x'))).toEqual(new Set([201]));
    expect(await statusesOf(100, () => mine.message(id, 'x'))).toEqual(new Set([200]));
    // The 101st message: refused ones, repeated ones and those of other projects do not count.
    expect((await mine.message(id, 'x')).status).toBe(429);
    expect(await statusesOf(20, () => mine.create(''))).toEqual(new Set([400]));

    const second = await startHeadcount({ dataDir, now: clock.now });
    const elsewhere = jobClient(second.url, client);
    expect(await statusesOf(50, () => elsewhere.create('x'))).toEqual(new Set([201]));
    clock.advance(500);
    const refused = await elsewhere.create('x');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('3590');
    expect(refused.headers.get('ratelimit-policy')).toBe('"jobs";q=100;w=3600');
    expect(refused.headers.get('ratelimit')).toBe('"jobs";r=0;t=3590');
    expect((await errorOf(refused)).error).toContain('3590');
    await second.stop();

    expect((await mine.create('x')).status).toBe(429);
    clock.advance(hourMs - 10_500 - 1);
    expect((await mine.create('x')).headers.get('retry-after')).toBe('1');
    clock.advance(1);
    expect((await mine.create('x')).status).toBe(201);
    const next = await mine.create('x');
    expect([next.status, next.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await mine.message(id, 'x')).status).toBe(429);
    expect((await jobs.create('x')).status).toBe(201);
  });
});
