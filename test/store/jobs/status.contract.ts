import { describe, expect, test } from 'vitest';
import { theServer } from '../../../server/audit/audit-list.ts';
import { dayMs } from '../../support/clock.ts';
import type { Engine } from '../../support/store/engines.ts';
import { useJobs, wide } from './fixture.ts';

/** How jobs end. */
export function testJobStatus(engine: Engine): void {
  describe(`the status of jobs in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, claim, mustClaim, settle, statusOf, eventsOf } = fixture;

    test('is active until every message is processed, then what the last turn came to', async () => {
      await create('job_1');
      const first = await mustClaim();
      await message('job_1');
      await settle(first, 'completed', 'https://example.com/pull/1');
      expect(await statusOf('job_1')).toBe('active');
      await settle(await mustClaim(), 'failed');
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({
        status: 'failed',
        prLink: 'https://example.com/pull/1',
      });
      expect(await message('job_1')).toMatchObject({ job: { status: 'active' } });
      await settle(await mustClaim(), 'completed', 'https://example.com/pull/2');
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({
        status: 'completed',
        prLink: 'https://example.com/pull/2',
      });
    });

    test('archiving is final, stops the turn at work and drops those that wait', async () => {
      await create('job_1');
      await message('job_1');
      const lease = await mustClaim();
      const pullRequest = { url: 'https://example.com/pull/1', number: 1 };
      await fixture.jobs.recordPhase(lease, 'opened', { pullRequest }, null);
      fixture.now += 1000;
      const archived = await fixture.jobs.archiveJob('p1', 'job_1');
      expect(archived).toMatchObject({
        status: 'archived',
        archivedAt: '2026-11-20T10:00:01.000Z',
        prLink: pullRequest.url,
      });
      expect(await claim()).toBeNull();
      fixture.now += wide.leaseMs;
      expect(await claim()).toBeNull();
      expect(await fixture.jobs.archiveJob('p1', 'job_1')).toEqual(archived);
      expect((await eventsOf('job_1')).map(({ type }) => type)).toEqual(['message', 'message', 'archived']);
    });

    test('stopping ends the turn at work and those that wait, and a message goes on', async () => {
      await create('job_1');
      await message('job_1');
      const lease = await mustClaim();
      await fixture.jobs.appendMessages(lease, [{ role: 'user', content: 'kept' }]);
      expect(await fixture.jobs.listOpenTurns('p1', 'job_1')).toMatchObject([{ number: 0 }, { number: 1 }]);
      const notes = [0, 1].map((number) => ({ number, asked: `asked ${number}`, note: `note ${number}` }));
      const stopped = await fixture.jobs.stopJob('p1', 'job_1', notes);
      expect(stopped).toMatchObject({ status: 'completed', stopped: true, failure: null, archivedAt: null });
      expect(await fixture.jobs.renewLease(lease, 1000)).toBe(false);
      expect(await claim()).toBeNull();
      expect(await fixture.jobs.readMessages('job_1')).toEqual([
        { role: 'user', content: 'kept' },
        ...['note 0', 'asked 1', 'note 1'],
      ]);
      expect(await fixture.jobs.stopJob('p1', 'job_1', notes)).toEqual(stopped);
      expect((await eventsOf('job_1')).map(({ type }) => type)).toEqual(['message', 'message', 'stopped']);
      expect(await message('job_1')).toMatchObject({ job: { status: 'active', stopped: false } });
      const next = await mustClaim();
      expect([next.turn.number, next.turn.phase]).toEqual([2, 'claimed']);
      await settle(next);
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({
        status: 'completed',
        stopped: false,
      });
    });

    test('stopping leaves a message that came after the turns were listed, and the job active', async () => {
      await create('job_1');
      const lease = await mustClaim();
      await message('job_1');
      const notes = [{ number: 0, asked: 'asked', note: 'note' }];
      expect(await fixture.jobs.stopJob('p1', 'job_1', notes)).toMatchObject({
        ...{ status: 'active', stopped: false },
      });
      expect(await fixture.jobs.renewLease(lease, 1000)).toBe(false);
      expect(await fixture.jobs.stopJob('p1', 'job_1', [])).toMatchObject({ status: 'active' });
      const next = await mustClaim();
      expect(next.turn.number).toBe(1);
      expect(await fixture.jobs.readMessages('job_1')).toEqual(['asked', 'note']);
      await settle(next);
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({
        status: 'completed',
        stopped: false,
      });
    });

    test('what was committed before a job was stopped is delivered with its next message', async () => {
      await create('job_1');
      await fixture.jobs.recordPhase(await mustClaim(), 'committed', { commit: 'abc', branch: 'b' }, null);
      await fixture.jobs.stopJob('p1', 'job_1', [{ number: 0, asked: 'none is kept', note: 'nor this' }]);
      expect(await fixture.jobs.readMessages('job_1')).toEqual([]);
      await message('job_1');
      const { turn, unpublished } = await mustClaim();
      expect([turn.number, turn.phase, unpublished]).toEqual([0, 'committed', null]);
    });

    test('what was committed before a job was stopped goes before a message that came meanwhile', async () => {
      await create('job_1');
      await fixture.jobs.recordPhase(await mustClaim(), 'committed', { commit: 'abc', branch: 'b' }, null);
      await message('job_1');
      const notes = [{ number: 0, asked: 'none is kept', note: 'nor this' }];
      expect(await fixture.jobs.stopJob('p1', 'job_1', notes)).toMatchObject({ status: 'active' });
      const first = await mustClaim();
      expect([first.turn.number, first.turn.phase]).toEqual([0, 'committed']);
      expect(await claim()).toBeNull();
      await settle(first);
      const { turn, unpublished } = await mustClaim();
      expect([turn.number, turn.phase, unpublished]).toEqual([1, 'claimed', null]);
    });

    test('a job that went on after it was stopped is archived as any other', async () => {
      await create('job_1');
      await fixture.jobs.stopJob('p1', 'job_1', [{ number: 0, asked: 'asked', note: 'note' }]);
      await message('job_1');
      expect(await fixture.jobs.archiveJob('p1', 'job_1')).toMatchObject({
        ...{ status: 'archived', stopped: false },
      });
    });

    test('idle jobs are archived, those at work or with new messages are not', async () => {
      for (const id of ['job_idle', 'job_failed', 'job_late']) await create(id);
      await settle(await mustClaim());
      await settle(await mustClaim(), 'failed');
      const late = await mustClaim();
      await create('job_waits');
      fixture.now += 30 * dayMs;
      await settle((await fixture.jobs.renewLease(late, 1000)) ? late : await mustClaim());
      expect(await fixture.jobs.archiveIdleJobs(29 * dayMs, theServer)).toBe(2);
      expect(await Promise.all(['job_idle', 'job_failed', 'job_late', 'job_waits'].map(statusOf))).toEqual([
        'archived',
        'archived',
        'completed',
        'active',
      ]);
      expect(await fixture.jobs.archiveIdleJobs(29 * dayMs, theServer)).toBe(0);
    });
  });
}
