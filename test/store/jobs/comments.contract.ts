import { describe, expect, test } from 'vitest';
import type { CommentOrigin } from '../../../server/store/jobs/job-comment.ts';
import { hourlyUses } from '../../../server/store/jobs/requests.ts';
import type { Engine } from '../../support/store/engines.ts';
import { useJobs } from './fixture.ts';

const origin: CommentOrigin = {
  number: 7,
  key: 'comment:1',
  author: 'ada',
  url: 'https://example.com/a/b/pull/7#comment-1',
  thread: '4',
  file: 'page.md',
  line: 3,
  material: [{ by: 'mallory', text: 'With a \0 in it.' }],
};

/** What becomes of comments at pull requests. */
export function testJobComments(engine: Engine): void {
  describe(`comments of jobs in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, mustClaim, settle, eventsOf } = fixture;
    const hear = (key: string, isSpent = false) =>
      fixture.jobs.hearComment('p1', 'job_1', { prompt: 'more', origin: { ...origin, key } }, isSpent);
    const read = () => fixture.jobs.readComments('p1', 'job_1');

    test('a comment becomes a message that knows where it was made, once', async () => {
      await create('job_1');
      await settle(await mustClaim());
      const others = await Promise.all([hear('comment:1'), hear('comment:1'), hear('comment:1')]);
      expect(others.toSorted()).toEqual(['heard', 'known', 'known']);
      expect(await fixture.statusOf('job_1')).toBe('active');
      const lease = await mustClaim();
      expect(lease.turn).toMatchObject({ number: 1, prompt: 'more', record: { origin } });
      expect((await eventsOf('job_1')).at(-1)).toMatchObject({
        turn: 1,
        type: 'message',
        data: { text: 'more', by: 'ada', url: origin.url },
      });
      expect(await fixture.claim()).toBeNull();
      expect(await read()).toEqual({ 'comment:1': 'heard' });
      // Another opening of the same data knows it, too.
      const other = await fixture.open();
      expect(await other.jobs.readComments('p1', 'job_1')).toEqual({ 'comment:1': 'heard' });
      await other.close();
    });

    test('one that may not spend is noted, and not heard later', async () => {
      await create('job_1');
      expect(await hear('comment:1', true)).toBe('spent');
      expect(await hear('comment:1')).toBe('known');
      expect(await read()).toEqual({ 'comment:1': 'spent' });
      await fixture.jobs.noteComment('p1', 'job_1', 'comment:1', 'answered');
      expect(await read()).toEqual({ 'comment:1': 'answered' });
      expect((await eventsOf('job_1')).filter(({ type }) => type === 'message')).toHaveLength(1);
    });

    test('comments count to the messages of the hour, as others do', async () => {
      await create('job_1');
      for (let sent = 1; sent < hourlyUses.limit; sent++) await message('job_1');
      expect(await hear('comment:1')).toBe('heard');
      expect(await hear('comment:2')).toBe('limited');
      expect(await message('job_1')).toMatchObject({ kind: 'limited' });
      expect(await read()).toEqual({ 'comment:1': 'heard', 'comment:2': 'limited' });
    });

    test('a merged pull request is taken back by one job, which asks again where it rests', async () => {
      await create('job_1');
      await settle(await mustClaim(), 'completed', 'https://example.com/a/b/pull/7');
      const found = await fixture.jobs.findJob('p1', 'job_1');
      expect(found).toMatchObject({ reverts: null, merged: false });
      const reverts = String(found?.prLink);
      const annotation = {
        projectId: 'p1',
        id: 'merge_1',
        day: 20_000,
        text: 'It',
        affected: [],
        url: reverts,
      };
      await fixture.store.annotations.addAnnotation({ ...annotation, kind: 'merge', createdAt: 0 });
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({ merged: true });
      const asked = {
        repository: 'https://example.com/a/b',
        ref: 'main',
        model: 'openai/x',
        prompt: 'Revert',
      };
      const revert = (id: string, key?: string) =>
        fixture.jobs.revertMerge(
          { ...asked, id, projectId: 'p1', reverts, record: { reverts } },
          key === undefined ? null : { jobId: 'job_1', key },
        );
      const answers = await Promise.all(['job_2', 'job_3', 'job_4'].map((id) => revert(id)));
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'repeated', 'repeated']);
      const [job] = (await fixture.jobs.listJobs({ projectId: 'p1', status: 'active', limit: 9, offset: 0 }))
        .jobs;
      const id = String(job?.id);
      expect(job).toMatchObject({ reverts, merged: false });
      expect((await mustClaim()).turn).toMatchObject({ jobId: id, number: 0, record: { reverts } });
      // A comment is answered, also where the job is at work; and once.
      const heard = await Promise.all([revert('job_5', 'comment:1'), revert('job_6', 'comment:1')]);
      expect(heard.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'known']);
      expect(await read()).toEqual({ 'comment:1': 'heard' });
      await fixture.jobs.archiveJob('p1', id);
      expect(await revert('job_7')).toMatchObject({ kind: 'accepted', job: { id: 'job_7', reverts } });
      expect(
        await fixture.jobs.revertMerge({ ...asked, id: 'x', projectId: 'none', reverts, record: {} }, null),
      ).toEqual({
        kind: 'not_found',
      });
    });

    test('what is ignored stays so', async () => {
      await create('job_1');
      await fixture.jobs.noteComment('p1', 'job_1', 'comment:1', 'ignored');
      expect(await hear('comment:1')).toBe('known');
    });

    test('an archived job, and one of another project, hear nothing', async () => {
      await create('job_1');
      await create('job_2', { projectId: 'p2' });
      await fixture.jobs.archiveJob('p1', 'job_1');
      expect(await hear('comment:1')).toBe('archived');
      const comment = { prompt: 'more', origin };
      expect(await fixture.jobs.hearComment('p1', 'job_2', comment, false)).toBe('not_found');
      await fixture.jobs.noteComment('p1', 'job_2', 'comment:1', 'ignored');
      expect(await fixture.jobs.readComments('p2', 'job_2')).toEqual({});
      expect(await read()).toEqual({});
    });
  });
}
