import { describe, expect, test } from 'vitest';
import type { JobStatus } from '../../../server/store/jobs/job.ts';
import type { JobStore } from '../../../server/store/jobs/jobs.ts';
import { type Accepted, hourlyUses } from '../../../server/store/jobs/requests.ts';
import { dayMs } from '../../support/clock.ts';
import type { Engine } from '../../support/store/engines.ts';
import { start, useJobs } from './fixture.ts';

/** What the API asks of jobs. */
export function testJobRequests(engine: Engine): void {
  describe(`requests about jobs in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, mustClaim, settle, eventsOf } = fixture;

    test('a new job is active, with its prompt as first event and nothing else yet', async () => {
      const accepted = await create('job_1');
      const job = {
        id: 'job_1',
        projectId: 'p1',
        status: 'active',
        repository: 'https://example.com/a/b',
        ref: 'main',
        baseBranch: null,
        branch: null,
        model: 'openai/x',
        answeredBy: null,
        prLink: null,
        failure: null,
        usage: null,
        noChange: null,
        stopped: false,
        startedBy: null,
        reverts: null,
        merged: false,
        createdAt: '2026-11-20T10:00:00.000Z',
        archivedAt: null,
      };
      expect(accepted).toEqual({ kind: 'accepted', job });
      expect(await fixture.jobs.findJob('p1', 'job_1')).toEqual(job);
      expect(await eventsOf('job_1')).toEqual([
        { number: 1, turn: 0, at: '2026-11-20T10:00:00.000Z', type: 'message', data: { text: 'do job_1' } },
      ]);
    });

    test('a job of the same source begins with the base branch that the last one found', async () => {
      await create('job_1');
      await fixture.jobs.recordPhase(await mustClaim(), 'pinned', { baseBranch: 'trunk' }, null);
      await create('job_2');
      await create('job_p2', { projectId: 'p2' });
      const found = [
        await fixture.jobs.findJob('p1', 'job_1'),
        await fixture.jobs.findJob('p1', 'job_2'),
        await fixture.jobs.findJob('p2', 'job_p2'),
      ];
      expect(found.map((job) => job?.baseBranch)).toEqual(['trunk', 'trunk', null]);
    });

    test('a project whose budget is spent is answered what it asked before, and nothing new', async () => {
      const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'openai/x' };
      const job = { id: 'job_1', projectId: 'p1', prompt: 'do job_1', ...source };
      const key = { key: 'k', requestHash: 'do job_1' };
      await fixture.jobs.createJob(job, key);
      expect(await fixture.jobs.createJob(job, key, true)).toMatchObject({ kind: 'repeated' });
      expect(await fixture.jobs.createJob({ ...job, id: 'job_2' }, null, true)).toEqual({ kind: 'spent' });
      expect(await fixture.jobs.addMessage('p1', 'job_1', 'more', null, true)).toEqual({ kind: 'spent' });
    });

    test('what a job knows from the start is in the record of its first turn', async () => {
      const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'openai/x' };
      const job = { id: 'job_1', projectId: 'p1', prompt: 'do job_1', ...source };
      await fixture.jobs.createJob({ ...job, record: { draft: true } }, null);
      const lease = await mustClaim();
      expect(lease.turn.record).toEqual({ draft: true });
      await fixture.jobs.recordPhase(lease, 'pinned', { branch: 'x' }, null);
      await fixture.jobs.settleTurn(lease, { status: 'completed', prLink: null }, { type: 'x', data: {} });
      await fixture.message('job_1');
      expect((await mustClaim()).earlier).toEqual({ draft: true, branch: 'x' });
    });

    test('a job is found in its own project only', async () => {
      await create('job_1');
      expect(await fixture.jobs.findJob('p2', 'job_1')).toBeNull();
      expect(await fixture.jobs.readEvents('p2', 'job_1', 0, 10)).toBeNull();
      expect(await fixture.jobs.archiveJob('p2', 'job_1')).toBeNull();
      expect(await fixture.jobs.addMessage('p2', 'job_1', 'x', null)).toEqual({
        kind: 'not_found',
      });
      expect(await create('job_2', { projectId: 'nosuch' })).toEqual({ kind: 'not_found' });
    });

    test('lists are newest first, by status, in pages that neither overlap nor skip', async () => {
      for (let i = 0; i < 7; i++) await create(`job_${i}`);
      await create('job_other', { projectId: 'p2' });
      await fixture.jobs.archiveJob('p1', 'job_3');
      const list = async (limit: number, offset: number, status: JobStatus | null = null) => {
        const page = await fixture.jobs.listJobs({ projectId: 'p1', status, limit, offset });
        return [page.jobs.map(({ id }) => id.slice(4)).join(''), page.hasMore];
      };
      expect(await list(3, 0)).toEqual(['654', true]);
      expect(await list(3, 3)).toEqual(['321', true]);
      expect(await list(3, 6)).toEqual(['0', false]);
      expect(await list(3, 9)).toEqual(['', false]);
      expect(await list(7, 0)).toEqual(['6543210', false]);
      expect(await list(3, 3, 'active')).toEqual(['210', false]);
      expect(await list(3, 0, 'archived')).toEqual(['3', false]);
      expect(await list(3, 0, 'failed')).toEqual(['', false]);
    });

    describe('limits', () => {
      const { limit, windowMs } = hourlyUses;
      const fill = async (ask: (i: number) => Promise<Accepted>) => {
        for (let i = 0; i < limit; i++) {
          fixture.now = start + i * 1000;
          expect((await ask(i)).kind).toBe('accepted');
        }
      };

      test('a hundred jobs fit into any hour, across stores, and the next fits when the oldest has left', async () => {
        const other = await fixture.open();
        await fill((i) => {
          fixture.jobs = i % 2 === 0 ? fixture.store.jobs : other.jobs;
          return create(`job_${i}`);
        });
        expect(await create('job_x')).toEqual({
          kind: 'limited',
          retryAfterMs: start + windowMs - fixture.now,
          limit: 100,
          windowMs,
        });
        fixture.now = start + windowMs - 1;
        expect(await create('job_x')).toMatchObject({ kind: 'limited', retryAfterMs: 1 });
        fixture.now += 1;
        expect((await create('job_x')).kind).toBe('accepted');
        expect(await create('job_y')).toMatchObject({ kind: 'limited', retryAfterMs: 1000 });
        expect((await create('job_z', { projectId: 'p2' })).kind).toBe('accepted');
        await other.close();
      });

      test('a hundred fit of those that two processes take in at once', async () => {
        const other = await fixture.open();
        const stores = [fixture.store.jobs, other.jobs];
        const asked = Array.from({ length: hourlyUses.limit + 20 }, (_, i) => {
          fixture.jobs = stores[i % 2] as JobStore;
          return create(`job_${i}`);
        });
        const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(hourlyUses.limit);
        expect(kinds.filter((kind) => kind === 'limited')).toHaveLength(20);
        await other.close();
      });

      test('messages have a hundred of their own, and the count survives closing the store', async () => {
        await create('job_1');
        await fill(() => message('job_1'));
        await fixture.store.close();
        fixture.store = await fixture.open();
        fixture.jobs = fixture.store.jobs;
        expect((await message('job_1')).kind).toBe('limited');
        expect((await create('job_2')).kind).toBe('accepted');
        fixture.now = start + windowMs;
        expect((await message('job_1')).kind).toBe('accepted');
      });

      test('only accepted requests count', async () => {
        await create('job_1', { key: 'k', prompt: 'a' });
        await create('job_old');
        await fixture.jobs.archiveJob('p1', 'job_old');
        for (let i = 0; i < limit; i++) {
          expect((await create('job_1', { key: 'k', prompt: 'a' })).kind).toBe('repeated');
          expect((await create('job_1', { key: 'k', prompt: 'b' })).kind).toBe('key_reused');
          expect((await message('job_old')).kind).toBe('archived');
          expect((await message('job_none')).kind).toBe('not_found');
        }
        for (let i = 2; i < limit; i++) expect((await create(`job_${i}`)).kind).toBe('accepted');
        expect((await create('job_x')).kind).toBe('limited');
        for (let i = 0; i < limit; i++) expect((await message('job_1')).kind).toBe('accepted');
        expect((await message('job_1')).kind).toBe('limited');
      });
    });

    describe('a request sent again', () => {
      test('is answered with the same job as it is now, for 24 hours', async () => {
        await create('job_1', { key: 'k', prompt: 'a' });
        await settle(await mustClaim());
        fixture.now = start + dayMs - 1;
        const again = await create('job_2', { key: 'k', prompt: 'a' });
        expect(again).toMatchObject({ kind: 'repeated', job: { id: 'job_1', status: 'completed' } });
        expect(await fixture.jobs.findJob('p1', 'job_2')).toBeNull();
        fixture.now = start + dayMs;
        expect(await create('job_2', { key: 'k', prompt: 'a' })).toMatchObject({ job: { id: 'job_2' } });
      });

      test('is told apart by project, by route and by job', async () => {
        await create('job_1', { key: 'k', prompt: 'a' });
        await create('job_3');
        expect((await create('job_2', { key: 'k', prompt: 'a', projectId: 'p2' })).kind).toBe('accepted');
        expect((await message('job_1', 'a', 'k')).kind).toBe('accepted');
        expect((await message('job_3', 'b', 'k')).kind).toBe('accepted');
        expect((await message('job_1', 'a', 'k')).kind).toBe('repeated');
        expect((await message('job_1', 'b', 'k')).kind).toBe('key_reused');
        expect((await eventsOf('job_1')).map(({ data }) => data.text)).toEqual(['a', 'a']);
      });

      test('leaves one job when two processes get it at once', async () => {
        const other = await fixture.open();
        const ask = (target: JobStore, id: string) => {
          fixture.jobs = target;
          return create(id, { key: 'k', prompt: 'a' });
        };
        const answers = await Promise.all([ask(fixture.store.jobs, 'job_1'), ask(other.jobs, 'job_2')]);
        expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'repeated']);
        expect(new Set(answers.map((answer) => 'job' in answer && answer.job.id)).size).toBe(1);
        await other.close();
      });

      test('is answered as before once the job is archived', async () => {
        await create('job_1');
        await message('job_1', 'a', 'k');
        await fixture.jobs.archiveJob('p1', 'job_1');
        expect(await message('job_1', 'a', 'k')).toMatchObject({
          kind: 'repeated',
          job: { status: 'archived' },
        });
        expect((await message('job_1', 'b', 'other')).kind).toBe('archived');
      });
    });
  });
}
