import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Lease } from '../../server/store/jobs/job.ts';
import type { JobStore } from '../../server/store/jobs/jobs.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { turnBack } from '../support/releases/old-database.ts';

const now = Date.parse('2026-11-20T10:00:00.000Z');

async function claim(jobs: JobStore): Promise<Lease> {
  const lease = await jobs.claimTurn({ total: 9, perProject: 9, leaseMs: 60_000 });
  if (!lease) throw new Error('There was no turn to claim.');
  return lease;
}

test('jobs of an earlier version tell their branches and failures, and go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-old-jobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await openSqliteStore(folder);
  const settings = projectSettings.parse({ name: 'Docs' });
  const createdAt = new Date(now).toISOString();
  await store.addProject({ id: 'p1', settings, createdAt }, []);
  const source = { projectId: 'p1', repository: 'https://example.com/a/b', ref: '', model: 'openai/x' };
  for (const id of ['job_pushed', 'job_failed', 'job_waits']) {
    await store.jobs.createJob({ id, ...source, prompt: id }, null);
  }
  const pushed = await claim(store.jobs);
  const found = { branch: 'headcount/job_pushed', baseBranch: 'trunk' };
  await store.jobs.recordPhase(pushed, 'pinned', found, null);
  await store.jobs.recordPhase(pushed, 'pushed', { tip: 'c0' }, null);
  await store.jobs.settleTurn(
    pushed,
    { status: 'completed', prLink: undefined },
    { type: 'completed', data: {} },
  );
  const failed = await claim(store.jobs);
  await store.jobs.recordPhase(failed, 'pinned', { branch: 'headcount/job_failed' }, null);
  const data = { reason: 'auth', message: 'The token was refused.' };
  await store.jobs.settleTurn(failed, { status: 'failed', prLink: undefined }, { type: 'failed', data });
  await store.close();
  turnBack(join(folder, 'headcount.db'), 7);

  const updated = await openSqliteStore(folder);
  onTestFinished(() => updated.close());
  expect(await updated.jobs.findJob('p1', 'job_pushed')).toMatchObject({ ...found, failure: null });
  expect(await updated.jobs.findJob('p1', 'job_failed')).toMatchObject({
    status: 'failed',
    branch: null,
    baseBranch: null,
    failure: { code: 'auth', message: 'The token was refused.' },
    usage: null,
  });
  expect((await claim(updated.jobs)).turn).toMatchObject({ jobId: 'job_waits', attempt: 1 });
});
