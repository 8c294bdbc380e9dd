import { describe, expect, test } from 'vitest';
import type { NewImage } from '../../../server/store/jobs/job-image.ts';
import type { Engine } from '../../support/store/engines.ts';
import { useJobs } from './fixture.ts';

const image = (name: string, ...bytes: number[]): NewImage => ({
  name,
  type: 'image/png',
  content: Uint8Array.from(bytes),
});

/** What is kept of images that come with prompts. */
export function testJobImages(engine: Engine): void {
  describe(`images of jobs in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { mustClaim, settle, eventsOf } = fixture;
    const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'openai/x' };
    const job = { id: 'job_1', projectId: 'p1', prompt: 'Look.', ...source };
    const key = { key: 'once', requestHash: 'x' };
    const shown = async (turn: number) =>
      (await fixture.jobs.readImages('job_1', turn)).map(({ number, turn, name, type, content }) => [
        ...[number, turn, name, type],
        [...content],
      ]);

    test('are numbered over all messages, and a turn has those that came up to it', async () => {
      const images = [image('a', 0, 1, 255), image('„b“', 2)];
      for (const kind of ['accepted', 'repeated']) {
        expect(await fixture.jobs.createJob({ ...job, images }, key)).toMatchObject({ kind });
      }
      await fixture.jobs.addMessage('p1', 'job_1', 'And?', null, false, [image('c', 3)]);
      await fixture.jobs.addMessage('p1', 'job_1', 'And?', null, true, [image('d', 4)]);
      const first = [
        [1, 0, 'a', 'image/png', [0, 1, 255]],
        [2, 0, '„b“', 'image/png', [2]],
      ];
      expect(await shown(0)).toEqual(first);
      expect(await shown(1)).toEqual([...first, [3, 1, 'c', 'image/png', [3]]]);
      const [, message] = (await eventsOf('job_1')).filter(({ type }) => type === 'message');
      expect(message?.data.images).toEqual([{ number: 3, name: 'c', type: 'image/png', bytes: 1 }]);
      const other = await fixture.open();
      expect(await other.jobs.readImages('job_1', 9)).toHaveLength(3);
      await other.close();
    });

    test('are found by their numbers, in their own project and job alone', async () => {
      await fixture.jobs.createJob({ ...job, images: [image('a', 1), image('b', 2)] }, null);
      await fixture.jobs.createJob({ ...job, id: 'job_2', projectId: 'p2' }, null);
      const found = await fixture.jobs.findImage('p1', 'job_1', 2);
      expect(found).toMatchObject({ number: 2, turn: 0, name: 'b', type: 'image/png' });
      expect([...(found?.content ?? [])]).toEqual([2]);
      for (const [project, id, number] of [
        ['p2', 'job_1', 2],
        ['p2', 'job_2', 1],
        ['p1', 'job_1', 0],
        ['p1', 'job_1', 3],
        ['p1', 'none', 1],
      ] as const) {
        expect(await fixture.jobs.findImage(project, id, number)).toBeNull();
      }
    });

    test('go with their project', async () => {
      await fixture.jobs.createJob({ ...job, images: [image('a', 1)] }, null);
      await settle(await mustClaim());
      await fixture.store.removeProject('p1');
      expect(await shown(9)).toEqual([]);
    });
  });
}
