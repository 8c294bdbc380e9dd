import { describe, expect, test } from 'vitest';
import type { Lease } from '../../../server/store/jobs/job.ts';
import type { JobStore } from '../../../server/store/jobs/jobs.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { Engine } from '../../support/store/engines.ts';
import { nameOf, start, useJobs, wide } from './fixture.ts';

/** How turns are handed out. */
export function testClaiming(engine: Engine): void {
  describe(`claiming turns in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, claim, mustClaim, settle, eventsOf } = fixture;

    test('hands out the oldest turn with its job, once', async () => {
      await create('job_1');
      fixture.now += 5;
      await create('job_2');
      fixture.now += 5;
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
          usage: { steps: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null },
        },
        job: await fixture.jobs.findJob('p1', 'job_1'),
        earlier: null,
        unpublished: null,
        waiting: [],
        fence: 1,
      });
      expect(nameOf(await mustClaim())).toBe('job_2/0');
      expect(await claim()).toBeNull();
    });

    test('tells what the newest earlier turn with a branch found out', async () => {
      await create('job_1');
      for (let i = 1; i <= 3; i++) await message('job_1', `${i}`);
      const first = await mustClaim();
      await fixture.jobs.recordPhase(first, 'pinned', { branch: 'one' }, null);
      await settle(first);
      const second = await mustClaim();
      await fixture.jobs.recordPhase(second, 'pinned', { branch: 'two', expectedTip: null }, null);
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
      await fixture.jobs.releaseTurn(second, 1000, true, null);
      expect(await claim()).toBeNull();
      fixture.now += 1000;
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

    test('takes projects in turns, however many jobs of others wait', async () => {
      await fixture.store.addProject(
        {
          id: 'p3',
          settings: projectSettings.parse({ name: 'p3' }),
          createdAt: new Date(start).toISOString(),
        },
        [],
      );
      for (let i = 0; i < 100; i++) {
        await create(`job_a${i}`);
        await create(`job_b${i}`, { projectId: 'p2' });
      }
      const atWork = [await mustClaim(), await mustClaim()];
      fixture.now += 1000;
      await create('job_c0', { projectId: 'p3' });
      await create('job_c1', { projectId: 'p3' });
      const order: string[] = [];
      for (let i = 0; i < 7; i++) {
        await settle(atWork.shift() as Lease);
        const next = await mustClaim({ total: 2, perProject: 1 });
        order.push(next.turn.jobId);
        atWork.push(next);
      }
      expect(order).toEqual(['job_c0', 'job_a1', 'job_b1', 'job_c1', 'job_a2', 'job_b2', 'job_a3']);
    });

    test('from two processes at once, every turn goes to one of them', async () => {
      const other = await fixture.open();
      for (let i = 0; i < 20; i++) await create(`job_${i}`);
      const stores = [fixture.store.jobs, other.jobs];
      const claims = Array.from({ length: 30 }, (_, i) => stores[i % 2]?.claimTurn(wide));
      const leases = (await Promise.all(claims)).filter((lease) => lease != null);
      expect(new Set(leases.map(nameOf)).size).toBe(20);
      expect(leases).toHaveLength(20);
      await other.close();
    });

    test('keeps the limits for two processes that claim at once', async () => {
      for (let i = 0; i < 6; i++) await create(`job_${i}`, { projectId: i % 2 === 0 ? 'p1' : 'p2' });
      const other = await fixture.open();
      const stores = [fixture.store.jobs, other.jobs];
      const claims = Array.from({ length: 12 }, (_, i) =>
        (stores[i % 2] as JobStore).claimTurn({ ...wide, total: 3, perProject: 2 }),
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
      await fixture.jobs.recordPhase(late, 'pinned', record, { type: 'phase', data: { phase: 'pinned' } });
      fixture.now += wide.leaseMs - 1;
      expect(await claim()).toBeNull();
      fixture.now += 1;
      const lease = await mustClaim();
      expect(lease).toMatchObject({
        fence: 2,
        turn: { number: 0, phase: 'pinned', attempt: 2, record },
      });
    });

    test('leaves a renewed lease alone', async () => {
      await create('job_1');
      const lease = await mustClaim();
      fixture.now += wide.leaseMs - 1;
      expect(await fixture.jobs.renewLease(lease, wide.leaseMs)).toBe(true);
      fixture.now += wide.leaseMs - 1;
      expect(await claim()).toBeNull();
      fixture.now += 1;
      expect((await mustClaim()).turn.attempt).toBe(2);
    });

    test('an interrupted try is not counted, a failed one is', async () => {
      await create('job_1');
      await fixture.jobs.releaseTurn(await mustClaim(), 0, false, null);
      const second = await mustClaim();
      expect(second.turn).toMatchObject({ attempt: 1, phase: 'claimed' });
      await fixture.jobs.releaseTurn(second, 0, true, { type: 'retry', data: {} });
      expect((await mustClaim()).turn.attempt).toBe(2);
      expect((await eventsOf('job_1')).map(({ type }) => type)).toEqual(['message', 'retry']);
    });

    test('says when to look again', async () => {
      expect(await fixture.jobs.msUntilDue()).toBeNull();
      await create('job_1');
      await message('job_1');
      expect(await fixture.jobs.msUntilDue()).toBe(0);
      const lease = await mustClaim();
      expect(await fixture.jobs.msUntilDue()).toBe(wide.leaseMs);
      await fixture.jobs.releaseTurn(lease, 5000, true, null);
      expect(await fixture.jobs.msUntilDue()).toBe(5000);
      fixture.now += 5000;
      await settle(await mustClaim());
      expect(await fixture.jobs.msUntilDue()).toBe(-5000);
      await settle(await mustClaim());
      expect(await fixture.jobs.msUntilDue()).toBeNull();
    });
  });
}
