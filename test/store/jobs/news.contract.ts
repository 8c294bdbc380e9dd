import { describe, expect, test } from 'vitest';
import type { JobNews } from '../../../server/store/jobs/transcript.ts';
import type { Engine } from '../../support/store/engines.ts';
import { useJobs } from './fixture.ts';

/** How who waits for a job is woken. */
export function testJobNews(engine: Engine): void {
  describe(`news of jobs in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, mustClaim, settle } = fixture;
    let trials = 0;

    /** The kinds of news of a job, in their order, and how to end it; once some can be heard. */
    async function listen(jobId: string): Promise<{ kinds: JobNews['kind'][]; stop: () => void }> {
      const kinds: JobNews['kind'][] = [];
      let isListening = false;
      const stop = fixture.jobs.onNews((news) => {
        isListening = true;
        if (news?.jobId === jobId) kinds.push(news.kind);
      });
      await expect
        .poll(async () => {
          await create(`job_trial_${trials++}`, { projectId: 'p2' });
          return isListening;
        })
        .toBe(true);
      return { kinds, stop };
    }

    test('tell what happened, in order, and nothing of other jobs or of what was refused', async () => {
      const { kinds, stop } = await listen('job_1');
      await fixture.store.removeProject('p2');
      await create('job_1');
      await create('job_2');
      const first = await mustClaim();
      await fixture.jobs.recordPhase(first, 'pinned', {}, null);
      await fixture.jobs.appendEvents(first, [{ type: 'text', data: {} }]);
      await fixture.jobs.releaseTurn(first, 0, true, null);
      expect(await fixture.jobs.appendEvents(first, [{ type: 'text', data: {} }])).toBe(false);
      await settle(await mustClaim());
      await message('job_1');
      await fixture.jobs.archiveJob('p1', 'job_1');
      await message('job_1');
      const told: JobNews['kind'][] = [
        'queued',
        'written',
        'written',
        'ended',
        'ended',
        'queued',
        'archived',
      ];
      await expect.poll(() => kinds).toEqual(told);
      stop();
    });

    test('reach nobody who has stopped listening', async () => {
      const [left, stays] = [await listen('job_1'), await listen('job_1')];
      left.stop();
      await create('job_1');
      await expect.poll(() => stays.kinds).toEqual(['queued']);
      expect(left.kinds).toEqual([]);
      stays.stop();
    });
  });
}
