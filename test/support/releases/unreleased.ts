import { expect } from 'vitest';
import { joinProperty } from '../../../server/counting/what.ts';
import { openSqliteStore } from '../../../server/store/sqlite/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { anySalt, openDay, view } from '../views.ts';

/** Adds to a project what no released version has yet: annotations, an event, and jobs that were not asked for by a prompt. */
export async function addUnreleased(dataDir: string, projectId: string): Promise<void> {
  const store = await openSqliteStore(dataDir);
  const annotation = { projectId, id: 'annotation_1', day: 20_000, kind: 'release' as const };
  await store.annotations.addAnnotation({
    ...annotation,
    text: '„New“',
    affected: ['/a', '/b/*'],
    url: null,
    createdAt: 7,
  });
  const day = 20_700;
  await openDay(store, projectId, day, anySalt());
  const event = { name: 'Sign up', properties: [joinProperty('plan', 'team')] };
  await store.countViews([view({ projectId, day, event })], []);
  const fault = { id: 'fault_1', kind: 'not_found' as const, path: '/„gone“', evidence: 'It is gone.' };
  await store.jobs.assignFault(projectId, fault, 'Ann');
  await store.jobs.dismissFault(projectId, fault, 'Ben');
  await store.annotations.noteRules(projectId, { day: 20_000, version: 1 });
  await startByItself(store, projectId);
  await store.close();
}

/** A job of an automation, and what that could not start. */
async function startByItself(store: Store, projectId: string): Promise<void> {
  const id = 'auto_1';
  const when = { kind: 'weekly' as const, weekdays: ['monday' as const], hour: 9 };
  const settings = { name: 'Mondays', when, recipe: null, prompt: 'Look.', jobsPerWeek: 3 };
  await store.automations.addAutomation({ projectId, id, settings, createdAt: 7, onSince: 8 });
  await store.automations.noteRun(projectId, id, { key: '2026-11-16', at: 9, reason: 'No budget.' });
  const startedBy = { automation: id, name: 'Mondays', kind: 'schedule' as const };
  const job = { id: 'job_byItself', projectId, repository: 'https://git.example/a/b', ref: '', model: 'm/x' };
  const start = { automation: id, keys: ['2026-11-23'], perWeek: 3 };
  const image = { name: '„Shot“', type: 'image/png' as const, content: Uint8Array.from([0, 255, 10]) };
  const { kind } = await store.jobs.startJob({ ...job, prompt: 'Look.', startedBy, images: [image] }, start);
  expect(kind).toBe('accepted');
  const reverts = 'https://git.example/a/b/pull/1';
  await store.jobs.revertMerge(
    { ...job, id: 'job_revert', prompt: 'Revert', reverts, record: { reverts } },
    null,
  );
}
