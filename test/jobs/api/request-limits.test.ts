import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { dayMs, hourMs } from '../../support/clock.ts';
import { errorOf, startHeadcount } from '../../support/headcount.ts';
import { bodyOf, type JobApi, project, startJobApi } from '../../support/jobs/job-api.ts';
import { jobClient } from '../../support/jobs/jobs.ts';

let { clock, headcount, jobs, newProject } = {} as JobApi;
beforeAll(async () => {
  ({ clock, headcount, jobs, newProject } = await startJobApi());
});
afterAll(() => headcount.stop());

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
    const client = await headcount.addProject(project);
    const mine = jobClient(headcount.url, client);
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
