import { expect, test } from 'vitest';
import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import type { AuditReply } from '../../../shared/accounts/audit.ts';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { finish, type JobRun, sendMessage, slug } from '../../support/jobs/job-run.ts';

interface Change {
  date: string;
  kind: string;
  text: string;
  url: string | null;
}

const read = <T>({ headcount }: JobRun, path: string) =>
  headcount.get<T>(`/v1/analytics/${headcount.projectId}/${path}`);
const changesOf = async (run: JobRun) =>
  (await read<{ changes: Change[] }>(run, 'changes?dateFrom=2026-11-01')).changes;

test.each(forgeKinds)(
  'a pull request that was merged at %s is marked once, with the files that it changed',
  async (kind) => {
    const { run, job } = await startCommentedJob({ kind });
    const { forge, headcount } = run;
    const watch = new PullWatch(headcount.context);
    await watch.look();
    expect(await changesOf(run)).toEqual([]);
    await forge.merge(slug, 1, { deleteBranch: true });
    // What was asked a moment ago is not asked again; another node asks by itself.
    const asked = forge.git.requests.length;
    await watch.look();
    expect(forge.git.requests).toHaveLength(asked);
    expect(await changesOf(run)).toEqual([]);
    for (const other of [new PullWatch(headcount.context), new PullWatch(headcount.context)])
      await other.look();
    expect(await changesOf(run)).toMatchObject([
      { date: '2026-11-20', kind: 'merge', text: 'Write the page', url: job.prLink },
    ]);
    const { annotations } = await read<{ annotations: object[] }>(run, 'annotations');
    expect(annotations).toMatchObject([{ kind: 'merge', affected: ['page.md'], url: job.prLink }]);
    const { entries } = await headcount.get<AuditReply>(`/v1/projects/${headcount.projectId}/audit`);
    expect(entries.filter(({ action }) => action === 'annotation.added')).toMatchObject([
      { actor: { kind: 'server' }, subject: 'Write the page', changes: ['kind: merge'] },
    ]);
  },
);

test('one that was closed, or that the code host does not tell of, is no change', async () => {
  const { run } = await startCommentedJob();
  const { forge, headcount } = run;
  await forge.decline(slug, 1);
  await new PullWatch(headcount.context).look();
  forge.git.faults.push({ on: /\/pulls\//, status: 500 }, { on: /\/pulls\//, status: 500 });
  await new PullWatch(headcount.context).look();
  expect(await changesOf(run)).toEqual([]);
  expect(headcount.log.filter((line) => line.includes('merged'))).toEqual([]);
});

test('an annotation that somebody removed does not come back, whichever server looks', async () => {
  const { run } = await startCommentedJob({ project: { comments: 'off' } });
  const { forge, headcount } = run;
  await forge.merge(slug, 1);
  await new PullWatch(headcount.context).look();
  const { annotations } = await read<{ annotations: { id: string }[] }>(run, 'annotations');
  expect(annotations).toHaveLength(1);
  const path = { projectId: headcount.projectId, annotationId: String(annotations[0]?.id) };
  await headcount.ask('DELETE /v1/analytics/{projectId}/annotations/{annotationId}', { path });
  const asked = forge.git.requests.length;
  await new PullWatch(headcount.context).look();
  expect(await changesOf(run)).toEqual([]);
  // Nor is the code host asked again after a restart.
  expect(forge.git.requests).toHaveLength(asked);
});

test.each(forgeKinds)(
  'of a job that goes on after a merge at %s each merged pull request is marked, also if nobody looked in between',
  async (kind) => {
    const { run, job } = await startCommentedJob({ kind });
    const { forge, headcount, jobs } = run;
    const [id, first] = [job.id, job.prLink];
    await forge.merge(slug, 1, { deleteBranch: true });
    await sendMessage(jobs, id, 'write page.md Two.');
    const second = String((await finish(jobs, id)).prLink);
    expect(second).not.toBe(first);
    expect(await changesOf(run)).toMatchObject([{ kind: 'merge', url: first }]);
    await forge.merge(slug, 2);
    await new PullWatch(headcount.context).look();
    expect((await changesOf(run)).map(({ url }) => url).toSorted()).toEqual([first, second]);
  },
);

test('one that was declined before the job went on is no change', async () => {
  const { run, job } = await startCommentedJob();
  await run.forge.decline(slug, 1);
  await sendMessage(run.jobs, job.id, 'write page.md Two.');
  expect(await finish(run.jobs, job.id)).toMatchObject({ status: 'completed' });
  expect(await changesOf(run)).toEqual([]);
});
