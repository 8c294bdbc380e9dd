import { expect, test } from 'vitest';
import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { changeProject, finish, type JobRun, slug } from '../../support/jobs/job-run.ts';

const pullRequest = /^GET \S*\/(?:pulls|merge_requests|pullrequests)\/1$/;
const reads = ({ forge }: JobRun) => forge.git.requests.filter((request) => pullRequest.test(request)).length;
const marksOf = async ({ headcount }: JobRun) => {
  const { annotations } = await headcount.get<{ annotations: { kind: string }[] }>(
    `/v1/analytics/${headcount.projectId}/annotations`,
  );
  return annotations.map(({ kind }) => kind);
};

test.each(forgeKinds)(
  'one read of a pull request at %s serves its comments, its checks and its merge',
  async (kind) => {
    const { run, say, watch, clock, job } = await startCommentedJob({ kind, project: { mendChecks: true } });
    const before = reads(run);
    await watch.look();
    expect(reads(run) - before).toBe(1);
    say({ by: 'bert', text: '@headcount write page.md Two.' });
    clock.ms += 60_000;
    await watch.look();
    // The turn reads it, too.
    await finish(run.jobs, job.id);
    await run.forge.merge(slug, 1);
    const after = reads(run);
    clock.ms += 60_000;
    await watch.look();
    expect(reads(run) - after).toBe(1);
    expect(await marksOf(run)).toEqual(['merge']);
  },
);

test('a merge is marked where nobody can be heard, and heard is who writes where it cannot be marked', async () => {
  const { run, watch } = await startCommentedJob();
  await run.forge.merge(slug, 1);
  run.forge.git.faults.push({ on: /\/issues\/1\/comments/, status: 500 });
  await watch.look();
  expect(await marksOf(run)).toEqual(['merge']);
  expect(run.headcount.log.join('\n')).toMatch(/could not be read/);

  const other = await startCommentedJob();
  await other.run.forge.merge(slug, 1);
  other.run.forge.git.faults.push({ on: /\/pulls\/1\/files/, status: 500 });
  other.say({ by: 'bert', text: '@headcount revert' });
  await other.watch.look();
  expect(await marksOf(other.run)).toEqual([]);
  const { jobs } = (await (await other.run.jobs.list('')).json()) as { jobs: object[] };
  expect(jobs).toHaveLength(2);
});

test('a defect is logged with its cause, once, and what failed is done the next time', async () => {
  const { run, clock } = await startCommentedJob({ project: { comments: 'off' } });
  await run.forge.merge(slug, 1);
  const { context } = run.headcount;
  const { store } = context;
  let isBroken = true;
  const callAudited: typeof store.callAudited = (...args) => {
    if (isBroken) throw new TypeError('Nobody thought of this.');
    return store.callAudited(...args);
  };
  const now = () => context.now() + clock.ms;
  const watch = new PullWatch({ ...context, now, store: { ...store, callAudited } });
  for (let look = 1; look <= 3; look += 1) {
    await watch.look();
    clock.ms += 60 * 60_000;
  }
  expect(run.headcount.log.filter((line) => line.includes('Nobody thought of this.'))).toHaveLength(1);
  expect(await marksOf(run)).toEqual([]);
  isBroken = false;
  clock.ms += 24 * 60 * 60_000;
  await watch.look();
  expect(await marksOf(run)).toEqual(['merge']);
});

test('where nobody is heard, only a merge is looked for, every ten minutes and no more once it is there', async () => {
  const { run, watch, clock } = await startCommentedJob({ project: { comments: 'off' } });
  const before = run.forge.git.requests.length;
  for (let minute = 0; minute < 20; minute++) {
    await watch.look();
    clock.ms += 60_000;
  }
  expect(run.forge.git.requests.length - before).toBe(2);
  await run.forge.merge(slug, 1);
  await watch.look();
  expect(await marksOf(run)).toEqual(['merge']);
  const asked = run.forge.git.requests.length;
  clock.ms += 24 * 60 * 60_000;
  await watch.look();
  expect(run.forge.git.requests).toHaveLength(asked);
  // Whoever is heard from now on can still ask to have it taken back.
  await changeProject(run, { comments: 'members' });
  clock.ms += 24 * 60 * 60_000;
  await watch.look();
  expect(run.forge.git.requests.length).toBeGreaterThan(asked);
});

test.each(['off', 'members'] as const)(
  'one that was closed, opened again and merged is marked within ten minutes, with comments of %j',
  async (comments) => {
    const { run, watch, clock } = await startCommentedJob({ project: { comments } });
    await run.forge.decline(slug, 1);
    await watch.look();
    await run.forge.merge(slug, 1);
    clock.ms += 10 * 60_000;
    await watch.look();
    expect(await marksOf(run)).toEqual(['merge']);
  },
);

test('comments that can never be read keep no merge waiting', async () => {
  const { run, watch, clock } = await startCommentedJob();
  const fault = { on: /\/issues\/1\/comments/, status: 500 };
  for (let look = 1; look <= 12; look++) {
    run.forge.git.faults.push(fault);
    await watch.look();
    clock.ms += 10 * 60_000;
  }
  await run.forge.merge(slug, 1);
  run.forge.git.faults.push(fault);
  await watch.look();
  expect(await marksOf(run)).toEqual(['merge']);
});

test.each([
  ['comments', { comments: 'members' }],
  ['checks', { mendChecks: true }],
] as const)('a project that turns %s on waits no longer than one that had them on', async (_, changes) => {
  const { run, watch, clock } = await startCommentedJob({ project: { comments: 'off' } });
  await run.forge.merge(slug, 1);
  await watch.look();
  expect(await marksOf(run)).toEqual(['merge']);
  clock.ms += 60_000;
  await watch.look();
  const before = reads(run);
  await changeProject(run, changes);
  clock.ms += 60_000;
  await watch.look();
  expect(reads(run)).toBe(before + 1);
});
