import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Accepted,
  type ClaimLimits,
  hourlyUses,
  type JobStatus,
  type JobStore,
  type Lease,
  type NewEvent,
} from '../../server/store/job-store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project.ts';
import { dayMs } from '../support/clock.ts';
import type { Engine } from './store.contract.ts';

const start = Date.parse('2026-11-20T10:00:00.000Z');
const wide: ClaimLimits = { total: 100, perProject: 100, leaseMs: 60_000 };
const done: NewEvent = { type: 'completed', data: {} };

/** What every engine promises about jobs; run once for each by a test file of its own. */
export function testJobStore(engine: Engine): void {
  describe(`jobs in the ${engine.name} store`, () => {
    let store: Store;
    let jobs: JobStore;
    let now: number;

    beforeEach(async () => {
      await engine.prepare();
      store = await engine.open();
      jobs = store.jobs;
      now = start;
      for (const id of ['p1', 'p2']) {
        const settings = projectSettings.parse({ name: id });
        await store.addProject({ id, settings, createdAt: new Date(start).toISOString() }, []);
      }
    });
    afterEach(async () => {
      await store.close();
      await engine.cleanUp();
    });

    const create = (id: string, changes: { projectId?: string; prompt?: string; key?: string } = {}) => {
      const { projectId = 'p1', prompt = `do ${id}`, key } = changes;
      const idempotency = key === undefined ? null : { key, requestHash: prompt };
      const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'openai/x' };
      return jobs.createJob(
        { id, projectId, prompt, ...source, createdAt: new Date(now).toISOString() },
        now,
        idempotency,
      );
    };
    const message = (id: string, prompt = 'more', key?: string) =>
      jobs.addMessage('p1', id, prompt, now, key === undefined ? null : { key, requestHash: prompt });
    const claim = (limits: Partial<ClaimLimits> = {}) => jobs.claimTurn({ ...wide, ...limits }, now);
    const mustClaim = async (limits: Partial<ClaimLimits> = {}): Promise<Lease> => {
      const lease = await claim(limits);
      if (!lease) throw new Error('There was no turn to claim.');
      return lease;
    };
    const settle = (lease: Lease, status: 'completed' | 'failed' = 'completed', prLink?: string) =>
      jobs.settleTurn(lease, { status, prLink }, { type: status, data: {} }, now);
    const statusOf = async (id: string) => (await jobs.findJob('p1', id))?.status;
    const eventsOf = async (id: string) => (await jobs.readEvents('p1', id, 0, 10_000)) ?? [];
    const nameOf = ({ turn }: Lease) => `${turn.jobId}/${turn.number}`;

    test('a new job is active, with its prompt as first event and nothing else yet', async () => {
      const accepted = await create('job_1');
      const job = {
        id: 'job_1',
        projectId: 'p1',
        status: 'active',
        repository: 'https://example.com/a/b',
        ref: 'main',
        model: 'openai/x',
        prLink: null,
        createdAt: '2026-11-20T10:00:00.000Z',
        archivedAt: null,
      };
      expect(accepted).toEqual({ kind: 'accepted', job });
      expect(await jobs.findJob('p1', 'job_1')).toEqual(job);
      expect(await eventsOf('job_1')).toEqual([
        { number: 1, turn: 0, at: '2026-11-20T10:00:00.000Z', type: 'message', data: { text: 'do job_1' } },
      ]);
    });

    test('a job is found in its own project only', async () => {
      await create('job_1');
      expect(await jobs.findJob('p2', 'job_1')).toBeNull();
      expect(await jobs.readEvents('p2', 'job_1', 0, 10)).toBeNull();
      expect(await jobs.archiveJob('p2', 'job_1', now)).toBeNull();
      expect(await jobs.addMessage('p2', 'job_1', 'x', now, null)).toEqual({ kind: 'not_found' });
      expect(await create('job_2', { projectId: 'nosuch' })).toEqual({ kind: 'not_found' });
    });

    test('lists are newest first, by status, in pages that neither overlap nor skip', async () => {
      for (let i = 0; i < 7; i++) await create(`job_${i}`);
      await create('job_other', { projectId: 'p2' });
      await jobs.archiveJob('p1', 'job_3', now);
      const list = async (limit: number, offset: number, status: JobStatus | null = null) => {
        const page = await jobs.listJobs({ projectId: 'p1', status, limit, offset });
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
          now = start + i * 1000;
          expect((await ask(i)).kind).toBe('accepted');
        }
      };

      test('a hundred jobs fit into any hour, across stores, and the next fits when the oldest has left', async () => {
        const other = await engine.open();
        await fill((i) => {
          jobs = i % 2 === 0 ? store.jobs : other.jobs;
          return create(`job_${i}`);
        });
        expect(await create('job_x')).toEqual({
          kind: 'limited',
          retryAfterMs: start + windowMs - now,
          limit: 100,
          windowMs,
        });
        now = start + windowMs - 1;
        expect(await create('job_x')).toMatchObject({ kind: 'limited', retryAfterMs: 1 });
        now += 1;
        expect((await create('job_x')).kind).toBe('accepted');
        expect(await create('job_y')).toMatchObject({ kind: 'limited', retryAfterMs: 1000 });
        expect((await create('job_z', { projectId: 'p2' })).kind).toBe('accepted');
        await other.close();
      });

      test('a hundred fit of those that two processes take in at once', async () => {
        const other = await engine.open();
        const stores = [store.jobs, other.jobs];
        const asked = Array.from({ length: hourlyUses.limit + 20 }, (_, i) => {
          jobs = stores[i % 2] as JobStore;
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
        await store.close();
        store = await engine.open();
        jobs = store.jobs;
        expect((await message('job_1')).kind).toBe('limited');
        expect((await create('job_2')).kind).toBe('accepted');
        now = start + windowMs;
        expect((await message('job_1')).kind).toBe('accepted');
      });

      test('only accepted requests count', async () => {
        await create('job_1', { key: 'k', prompt: 'a' });
        await create('job_old');
        await jobs.archiveJob('p1', 'job_old', now);
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
        now = start + dayMs - 1;
        const again = await create('job_2', { key: 'k', prompt: 'a' });
        expect(again).toMatchObject({ kind: 'repeated', job: { id: 'job_1', status: 'completed' } });
        expect(await jobs.findJob('p1', 'job_2')).toBeNull();
        now = start + dayMs;
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
        const other = await engine.open();
        const ask = (target: JobStore, id: string) => {
          jobs = target;
          return create(id, { key: 'k', prompt: 'a' });
        };
        const answers = await Promise.all([ask(store.jobs, 'job_1'), ask(other.jobs, 'job_2')]);
        expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'repeated']);
        expect(new Set(answers.map((answer) => 'job' in answer && answer.job.id)).size).toBe(1);
        await other.close();
      });

      test('is answered as before once the job is archived', async () => {
        await create('job_1');
        await message('job_1', 'a', 'k');
        await jobs.archiveJob('p1', 'job_1', now);
        expect(await message('job_1', 'a', 'k')).toMatchObject({
          kind: 'repeated',
          job: { status: 'archived' },
        });
        expect((await message('job_1', 'b', 'other')).kind).toBe('archived');
      });
    });

    describe('claiming', () => {
      test('hands out the oldest turn with its job, once', async () => {
        await create('job_1');
        now += 5;
        await create('job_2');
        now += 5;
        expect(await claim()).toEqual({
          turn: {
            jobId: 'job_1',
            projectId: 'p1',
            number: 0,
            prompt: 'do job_1',
            phase: 'claimed',
            attempt: 1,
            createdAtMs: start,
            record: {},
          },
          job: await jobs.findJob('p1', 'job_1'),
          earlier: null,
          fence: 1,
          untilMs: now + wide.leaseMs,
        });
        expect(nameOf(await mustClaim())).toBe('job_2/0');
        expect(await claim()).toBeNull();
      });

      test('tells what the newest earlier turn with a branch found out', async () => {
        await create('job_1');
        for (let i = 1; i <= 3; i++) await message('job_1', `${i}`);
        const first = await mustClaim();
        await jobs.recordPhase(first, 'pinned', { branch: 'one' }, null, now);
        await settle(first);
        const second = await mustClaim();
        await jobs.recordPhase(second, 'pinned', { branch: 'two', expectedTip: null }, null, now);
        await settle(second);
        // This one failed before it knew a branch.
        await settle(await mustClaim(), 'failed');
        const last = await mustClaim();
        expect(last.earlier).toEqual({ branch: 'two', expectedTip: null });
      });

      test('keeps the turns of a job in order, one at a time', async () => {
        await create('job_1');
        await message('job_1', 'second');
        await message('job_1', 'third');
        const first = await mustClaim();
        expect(await claim()).toBeNull();
        await settle(first);
        const second = await mustClaim();
        expect([nameOf(second), second.turn.prompt]).toEqual(['job_1/1', 'second']);
        await jobs.releaseTurn(second, now + 1000, true, null, now);
        expect(await claim()).toBeNull();
        now += 1000;
        await settle(await mustClaim());
        expect(nameOf(await mustClaim())).toBe('job_1/2');
      });

      test('keeps the limits, in all and per project', async () => {
        for (let i = 0; i < 3; i++) await create(`job_${i}`);
        await create('job_p2', { projectId: 'p2' });
        const first = await mustClaim({ perProject: 1 });
        expect(nameOf(await mustClaim({ perProject: 1 }))).toBe('job_p2/0');
        expect(await claim({ perProject: 1 })).toBeNull();
        expect(await claim({ total: 2 })).toBeNull();
        await settle(first);
        expect(nameOf(await mustClaim({ total: 2 }))).toBe('job_1/0');
      });

      test('from two processes at once, every turn goes to one of them', async () => {
        const other = await engine.open();
        for (let i = 0; i < 20; i++) await create(`job_${i}`);
        const stores = [store.jobs, other.jobs];
        const claims = Array.from({ length: 30 }, (_, i) => stores[i % 2]?.claimTurn(wide, now));
        const leases = (await Promise.all(claims)).filter((lease) => lease != null);
        expect(new Set(leases.map(nameOf)).size).toBe(20);
        expect(leases).toHaveLength(20);
        await other.close();
      });

      test('keeps the limits for two processes that claim at once', async () => {
        for (let i = 0; i < 6; i++) await create(`job_${i}`, { projectId: i % 2 === 0 ? 'p1' : 'p2' });
        const other = await engine.open();
        const stores = [store.jobs, other.jobs];
        const claims = Array.from({ length: 12 }, (_, i) =>
          (stores[i % 2] as JobStore).claimTurn({ ...wide, total: 3, perProject: 2 }, now),
        );
        const leases = (await Promise.all(claims)).filter((lease) => lease !== null);
        expect(leases).toHaveLength(3);
        expect(leases.filter(({ job }) => job.projectId === 'p1').length).toBeLessThanOrEqual(2);
        await other.close();
      });

      test('takes over a turn whose lease has run out, at the phase it had reached', async () => {
        await create('job_1');
        const late = await mustClaim();
        const record = { base: 'b0', expectedTip: null };
        await jobs.recordPhase(late, 'pinned', record, { type: 'phase', data: { phase: 'pinned' } }, now);
        now += wide.leaseMs - 1;
        expect(await claim()).toBeNull();
        now += 1;
        const lease = await mustClaim();
        expect(lease).toMatchObject({
          fence: 2,
          turn: { number: 0, phase: 'pinned', attempt: 2, record },
        });
      });

      test('leaves a renewed lease alone', async () => {
        await create('job_1');
        const lease = await mustClaim();
        now += wide.leaseMs - 1;
        expect(await jobs.renewLease(lease, wide.leaseMs, now)).toBe(true);
        now += wide.leaseMs - 1;
        expect(await claim()).toBeNull();
        now += 1;
        expect((await mustClaim()).turn.attempt).toBe(2);
      });

      test('an interrupted try is not counted, a failed one is', async () => {
        await create('job_1');
        await jobs.releaseTurn(await mustClaim(), now, false, null, now);
        const second = await mustClaim();
        expect(second.turn).toMatchObject({ attempt: 1, phase: 'claimed' });
        await jobs.releaseTurn(second, now, true, { type: 'retry', data: {} }, now);
        expect((await mustClaim()).turn.attempt).toBe(2);
        expect((await eventsOf('job_1')).map(({ type }) => type)).toEqual(['message', 'retry']);
      });

      test('says when to look again', async () => {
        expect(await jobs.nextDueAt()).toBeNull();
        await create('job_1');
        await message('job_1');
        expect(await jobs.nextDueAt()).toBe(now);
        const lease = await mustClaim();
        expect(await jobs.nextDueAt()).toBe(now + wide.leaseMs);
        await jobs.releaseTurn(lease, now + 5000, true, null, now);
        expect(await jobs.nextDueAt()).toBe(now + 5000);
        now += 5000;
        await settle(await mustClaim());
        expect(await jobs.nextDueAt()).toBe(start);
        await settle(await mustClaim());
        expect(await jobs.nextDueAt()).toBeNull();
      });
    });

    const writes: [string, (lease: Lease) => Promise<boolean>][] = [
      ['renewLease', (lease) => jobs.renewLease(lease, 1000, now)],
      ['recordPhase', (lease) => jobs.recordPhase(lease, 'opened', { summary: 'late' }, done, now)],
      ['appendEvents', (lease) => jobs.appendEvents(lease, [done], now)],
      ['appendMessages', (lease) => jobs.appendMessages(lease, ['late'])],
      ['resetMessages', (lease) => jobs.resetMessages(lease)],
      ['settleTurn', (lease) => jobs.settleTurn(lease, { status: 'failed', prLink: 'x' }, done, now)],
      ['releaseTurn', (lease) => jobs.releaseTurn(lease, now, true, done, now)],
    ];
    const losses: [string, string[], (lease: Lease) => Promise<unknown>][] = [
      [
        'somebody else has claimed the turn',
        ['kept'],
        () => {
          now += wide.leaseMs;
          return mustClaim();
        },
      ],
      ['the turn has ended', ['kept'], (lease) => settle(lease)],
      ['the turn was given back', ['kept'], (lease) => jobs.releaseTurn(lease, now, true, null, now)],
      ['the job is archived', ['kept'], () => jobs.archiveJob('p1', 'job_1', now)],
      ['the project is removed', [], () => store.removeProject('p1')],
    ];
    test.each(losses)(
      'when %s, nothing that the old holder does has an effect',
      async (_loss, kept, lose) => {
        await create('job_1');
        const lease = await mustClaim();
        await jobs.appendMessages(lease, ['kept']);
        await lose(lease);
        const state = async () => [
          await jobs.findJob('p1', 'job_1'),
          await jobs.readEvents('p1', 'job_1', 0, 100),
          await jobs.nextDueAt(),
        ];
        const before = await state();
        for (const [name, write] of writes) {
          expect([name, await write(lease)]).toEqual([name, false]);
          expect([name, await state()]).toEqual([name, before]);
        }
        now += wide.leaseMs;
        const next = await claim();
        expect(next?.turn.record ?? {}).toEqual({});
        if (next) await settle(next);
        expect(await jobs.readMessages('job_1')).toEqual(kept);
      },
    );

    describe('status', () => {
      test('is active until every message is processed, then what the last turn came to', async () => {
        await create('job_1');
        const first = await mustClaim();
        await message('job_1');
        await settle(first, 'completed', 'https://example.com/pull/1');
        expect(await statusOf('job_1')).toBe('active');
        await settle(await mustClaim(), 'failed');
        expect(await jobs.findJob('p1', 'job_1')).toMatchObject({
          status: 'failed',
          prLink: 'https://example.com/pull/1',
        });
        expect(await message('job_1')).toMatchObject({ job: { status: 'active' } });
        await settle(await mustClaim(), 'completed', 'https://example.com/pull/2');
        expect(await jobs.findJob('p1', 'job_1')).toMatchObject({
          status: 'completed',
          prLink: 'https://example.com/pull/2',
        });
      });

      test('archiving is final, stops the turn at work and drops those that wait', async () => {
        await create('job_1');
        await message('job_1');
        const lease = await mustClaim();
        const pullRequest = { url: 'https://example.com/pull/1', number: 1 };
        await jobs.recordPhase(lease, 'opened', { pullRequest }, null, now);
        now += 1000;
        const archived = await jobs.archiveJob('p1', 'job_1', now);
        expect(archived).toMatchObject({
          status: 'archived',
          archivedAt: '2026-11-20T10:00:01.000Z',
          prLink: pullRequest.url,
        });
        expect(await claim()).toBeNull();
        now += wide.leaseMs;
        expect(await claim()).toBeNull();
        expect(await jobs.archiveJob('p1', 'job_1', now)).toEqual(archived);
        expect((await eventsOf('job_1')).map(({ type }) => type)).toEqual(['message', 'message', 'archived']);
      });

      test('idle jobs are archived, those at work or with new messages are not', async () => {
        for (const id of ['job_idle', 'job_failed', 'job_late']) await create(id);
        await settle(await mustClaim());
        await settle(await mustClaim(), 'failed');
        const late = await mustClaim();
        await create('job_waits');
        now += 30 * dayMs;
        await settle((await jobs.renewLease(late, 1000, now)) ? late : await mustClaim());
        expect(await jobs.archiveIdleJobs(now - 29 * dayMs, now)).toBe(2);
        expect(await Promise.all(['job_idle', 'job_failed', 'job_late', 'job_waits'].map(statusOf))).toEqual([
          'archived',
          'archived',
          'completed',
          'active',
        ]);
        expect(await jobs.archiveIdleJobs(now - 29 * dayMs, now)).toBe(0);
      });
    });

    test('what phases found out adds up', async () => {
      await create('job_1');
      const lease = await mustClaim();
      await jobs.recordPhase(lease, 'pinned', { base: 'b0', branch: 'x', expectedTip: null }, null, now);
      await jobs.recordPhase(lease, 'committed', { commit: 'c0', patch: 'cGF0Y2g=' }, null, now);
      await jobs.recordPhase(lease, 'pushed', { expectedTip: 'c0' }, null, now);
      await jobs.releaseTurn(lease, now, false, null, now);
      expect((await mustClaim()).turn).toMatchObject({
        phase: 'pushed',
        record: { base: 'b0', branch: 'x', expectedTip: 'c0', commit: 'c0', patch: 'cGF0Y2g=' },
      });
    });

    test('events are numbered from 1 without gaps within a job, whoever writes them', async () => {
      const other = await engine.open();
      await create('job_1');
      await create('job_2');
      const [first, second] = [await mustClaim(), await mustClaim()];
      const event = (text: string): NewEvent => ({ type: 'text', data: { text } });
      await Promise.all([
        jobs.appendEvents(first, [event('a'), event('b')], now),
        other.jobs.appendEvents(second, [event('c')], now),
        other.jobs.appendEvents(first, [event('d')], now),
        message('job_1'),
      ]);
      await settle(first);
      const numbers = (await eventsOf('job_1')).map(({ number }) => number);
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
      expect((await eventsOf('job_2')).map(({ number }) => number)).toEqual([1, 2]);
      const page = (await jobs.readEvents('p1', 'job_1', 2, 3)) ?? [];
      expect(page.map(({ number }) => number)).toEqual([3, 4, 5]);
      expect(await jobs.readEvents('p1', 'job_1', 6, 3)).toEqual([]);
      await other.close();
    });

    test('the conversation is that of turns that ended, without what broke off', async () => {
      await create('job_1');
      await message('job_1');
      const first = await mustClaim();
      await jobs.appendMessages(first, [{ role: 'user' }, { role: 'assistant', text: 'broken off' }]);
      expect(await jobs.readMessages('job_1')).toEqual([]);
      now += wide.leaseMs;
      const again = await mustClaim();
      expect(await jobs.resetMessages(again)).toBe(true);
      await jobs.appendMessages(again, [{ role: 'user' }]);
      await jobs.appendMessages(again, [{ role: 'assistant', text: 'whole' }]);
      await settle(again);
      const second = await mustClaim();
      await jobs.appendMessages(second, [{ role: 'user', text: 'second' }]);
      const whole = [{ role: 'user' }, { role: 'assistant', text: 'whole' }];
      expect(await jobs.readMessages('job_1')).toEqual(whole);
      await settle(second, 'failed');
      expect(await jobs.readMessages('job_1')).toEqual([...whole, { role: 'user', text: 'second' }]);
    });

    test('removing a project removes its jobs, and those of others stay', async () => {
      await create('job_1', { key: 'k' });
      await create('job_2', { projectId: 'p2' });
      await store.removeProject('p1');
      expect(await jobs.findJob('p1', 'job_1')).toBeNull();
      expect(nameOf(await mustClaim())).toBe('job_2/0');
      expect(await claim()).toBeNull();
    });
  });
}
