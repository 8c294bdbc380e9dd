import { describe, expect, test } from 'vitest';
import { type Automation, maxAutomations, type Start } from '../../../server/store/jobs/automations.ts';
import type { NewJob } from '../../../server/store/jobs/requests.ts';
import type { Store } from '../../../server/store/store.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';

const automation = (changes: Partial<Automation> = {}): Automation => ({
  ...{ projectId: 'p1', id: 'a1', createdAt: 1000, onSince: 2000 },
  settings: {
    ...{ name: 'Mondays “\0”', recipe: 'still-true', prompt: null, jobsPerWeek: 3 },
    when: { kind: 'weekly', weekdays: ['monday'], hour: 9 },
  },
  ...changes,
});

const startedBy = { automation: 'a1', name: 'Mondays', kind: 'schedule' } as const;
const job = (id: string, changes: Partial<NewJob> = {}): NewJob => ({
  ...{ id, projectId: 'p1', repository: 'https://git.example/a/b', ref: '', model: 'm/x', prompt: 'Do it.' },
  startedBy,
  ...changes,
});
const start = (...keys: string[]): Start => ({ automation: 'a1', keys, perWeek: 3 });

export function testAutomationStore(engine: Engine): void {
  describe(`automations in the ${engine.name} store`, () => {
    let store: Store;
    let other: Store;
    const runs = async (limit = 10, offset = 0) =>
      (await store.automations.listRuns({ projectId: 'p1', id: 'a1', limit, offset })).rows;

    eachStore(engine, async (opened, openAnother) => {
      store = opened;
      other = await openAnother();
      await addProject(store, 'p1');
    });

    test('are kept, changed and removed, and go with their project', async () => {
      const { automations } = store;
      const off = automation({ id: 'a2', createdAt: 500, onSince: null });
      expect(await automations.addAutomation(automation())).toBe('added');
      expect(await automations.addAutomation(off)).toBe('added');
      expect(await automations.addAutomation(automation({ projectId: 'none' }))).toBe('gone');
      expect(await automations.listAutomations('p1')).toEqual([off, automation()]);
      expect(await automations.listAutomations('p2')).toEqual([]);
      expect(await automations.listEnabled()).toEqual([automation()]);
      const { createdAt: _, ...changed } = automation({ onSince: null });
      expect(await automations.setAutomation(changed)).toBe(true);
      expect(await automations.setAutomation({ ...changed, id: 'none' })).toBe(false);
      expect(await automations.listEnabled()).toEqual([]);
      expect(await automations.removeAutomation('p2', 'a2')).toBe(false);
      expect(await automations.removeAutomation('p1', 'a2')).toBe(true);
      expect(await automations.listAutomations('p1')).toEqual([automation({ onSince: null })]);
      await automations.noteRun('p1', 'a1', { key: 'k', at: 1, reason: 'No.' });
      await store.removeProject('p1');
      await addProject(store, 'p1');
      await automations.addAutomation(automation());
      expect(await runs()).toEqual([]);
    });

    test('are never more than a project may have', async () => {
      const many = Array.from({ length: maxAutomations + 5 }, (_, i) => automation({ id: `a${i}` }));
      const outcomes = await Promise.all(
        many.map((one, i) => (i % 2 ? store : other).automations.addAutomation(one)),
      );
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(5);
      expect(await store.automations.listAutomations('p1')).toHaveLength(maxAutomations);
    });

    test('start one job for a thing, whoever tries at the same time', async () => {
      await store.automations.addAutomation(automation());
      const tries = Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? store : other).jobs.startJob(job(`job_${i}`), start('/a', `/b${i}`)),
      );
      const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(['accepted', ...Array.from({ length: 7 }, () => 'taken')]);
      const { jobs } = await store.jobs.listJobs({ projectId: 'p1', status: null, limit: 10, offset: 0 });
      expect(jobs).toMatchObject([{ status: 'active', startedBy }]);
      const [{ id } = { id: '' }] = jobs;
      expect(await runs()).toMatchObject([{ key: '/a', jobId: id, reason: null }, { jobId: id }]);
      const events = await store.jobs.readEvents('p1', id, 0, 10);
      expect(events).toMatchObject([{ type: 'message', data: { text: 'Do it.', startedBy } }]);
      expect(await store.automations.findRuns('p1', 'a1', ['/a', '/none'])).toMatchObject([{ key: '/a' }]);
    });

    test('start no more than they may in a week, and none while they are off or gone', async () => {
      await store.automations.addAutomation(automation());
      const tries = Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? store : other).jobs.startJob(job(`job_${i}`), start(`/${i}`)),
      );
      const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(3);
      expect(kinds.filter((kind) => kind === 'full')).toHaveLength(3);
      await store.automations.addAutomation(automation({ id: 'a2', onSince: null }));
      expect(await store.jobs.startJob(job('job_x'), { ...start('/'), automation: 'a2' })).toEqual({
        kind: 'taken',
      });
      expect(await store.jobs.startJob(job('job_x'), { ...start('/'), automation: 'a3' })).toEqual({
        kind: 'taken',
      });
      expect(await store.jobs.startJob(job('job_x', { projectId: 'none' }), start('/'))).toEqual({
        kind: 'not_found',
      });
    });

    test('leave no trace of what was refused, and a note gives way to a job and never the other way round', async () => {
      const { automations, jobs } = store;
      await automations.addAutomation(automation());
      await automations.noteRun('p1', 'a1', { key: 'mon', at: 1, reason: 'No budget.' });
      await automations.noteRun('p1', 'a1', { key: 'mon', at: 2, reason: 'No model.' });
      await automations.noteRun('p1', 'gone', { key: 'mon', at: 2, reason: 'No model.' });
      expect(await runs()).toEqual([{ key: 'mon', at: 2, jobId: null, reason: 'No model.' }]);
      expect((await jobs.startJob(job('job_1'), start('mon'))).kind).toBe('accepted');
      await automations.noteRun('p1', 'a1', { key: 'mon', at: 3, reason: 'No model.' });
      expect(await runs()).toMatchObject([{ key: 'mon', jobId: 'job_1', reason: null }]);
      const asked = Array.from({ length: 99 }, (_, i) => jobs.createJob(job(`job_c${i}`), null));
      await Promise.all(asked);
      expect((await jobs.startJob(job('job_2'), start('tue'))).kind).toBe('limited');
      expect(await automations.findRuns('p1', 'a1', ['tue'])).toEqual([]);
      await automations.noteRun('p1', 'a1', { key: 'tue', at: 1, reason: 'No.' });
      expect((await runs(1, 1)).map(({ key }) => key)).toEqual(['tue']);
    });
  });
}
