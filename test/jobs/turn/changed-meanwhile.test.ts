import { expect, test } from 'vitest';
import { type ForgeKind, forgeKinds } from '../../../shared/jobs/forge.ts';
import { acting } from '../../support/jobs/acting.ts';
import { startActingJob } from '../../support/jobs/acting-job.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { eventsOf, finish, type JobRun, sendMessage, slug } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

/** A job whose second turn is under way when something happens to its pull request. */
async function changedMeanwhile(happens: (run: JobRun) => Promise<unknown>, kind: ForgeKind = 'github') {
  let hasHappened = false;
  const script: Script = async (...request) => {
    const isFirst = !hasHappened;
    hasHappened = true;
    if (isFirst) await happens(run);
    return acting(...request);
  };
  const { run, job: first } = await startActingJob({ kind, script });
  await sendMessage(run.jobs, first.id, 'b.md=limits | docs: name the limits | Names them.');
  return { ...run, first, job: await finish(run.jobs, first.id) };
}

test.each([
  ['merged', (run: JobRun) => run.forge.merge(slug, 1)],
  ['merged as one commit', (run: JobRun) => run.forge.merge(slug, 1, { style: 'squash' })],
  ['closed', (run: JobRun) => run.forge.decline(slug, 1)],
  ['deleted', async (run: JobRun) => void run.forge.pulls.splice(0, 1)],
])('a change whose pull request is %s while the agent works comes in a new one', async (how, happens) => {
  const { forge, first, job, jobs } = await changedMeanwhile(happens);
  expect(job).toMatchObject({ status: 'completed', branch: `headcount/${job.id}-2` });
  const pulls = await forge.list(slug);
  const pull = pulls.find(({ head }) => head === job.branch);
  expect(pull).toMatchObject({ state: 'open', title: 'docs: name the limits', base: 'main' });
  expect(await forge.filesOf(pull as never)).toEqual(['b.md']);
  // Nothing was added to what people had decided on.
  const old = await forge.git.log(slug, String(first.branch));
  expect(old.filter(({ message }) => /Headcount-Turn: 1/.test(message))).toEqual([]);
  const notes = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'note');
  expect(notes.map(({ data }) => data.message)).toEqual([
    expect.stringContaining(`was ${how.replace(/ .*/, '')}: the change goes to a new branch`),
  ]);
});

test('a pull request that gets another base while the agent works is described by that', async () => {
  const { forge, job } = await changedMeanwhile(async ({ forge }) => {
    const [pull] = forge.pulls;
    await forge.git.git(slug, ['branch', 'next', String(pull?.head)]);
    if (pull) pull.base = 'next';
  });
  expect(job).toMatchObject({ status: 'completed', source: { ref: 'next' } });
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('### Files\n\n- `b.md` edited\n\n###');
  expect(forge.pulls).toHaveLength(1);
});

test('nothing is pushed while GitLab merges the pull request of the job, and the change goes to a new one after that', async () => {
  const { run, job: first } = await startCommentedJob({ kind: 'gitlab' });
  const { jobs, forge } = run;
  const [pull] = await forge.list(slug);
  if (pull) pull.isMerging = true;
  await sendMessage(jobs, first.id, 'write page.md Two.');
  const failed = await finish(jobs, first.id);
  expect(failed.failure).toMatchObject({
    code: 'locked',
    message: expect.stringContaining('is merging the merge request 1'),
  });
  expect(await forge.git.read(slug, first.branch ?? '', 'page.md')).toBe('One.\n');
  if (pull) pull.isMerging = false;
  await forge.merge(slug, 1);
  await sendMessage(jobs, first.id, 'write page.md Two.');
  expect(await finish(jobs, first.id)).toMatchObject({ status: 'completed' });
  expect(await forge.list(slug)).toHaveLength(2);
});

test('a locked pull request gets the change and its new text, and the transcript says that there is no comment', async () => {
  const { forge, job, jobs } = await changedMeanwhile(async ({ forge }) => {
    const body = { message: 'Unable to create comment because issue is locked.' };
    forge.git.faults.push({ on: /^POST .*\/comments/, status: 403, body });
  });
  expect(job).toMatchObject({ status: 'completed' });
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('Names them.');
  const notes = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'note');
  expect(notes.map(({ data }) => data.message)).toEqual([expect.stringContaining('could not be updated')]);
});

test.each(forgeKinds)(
  'on %s, nothing is pushed to a branch whose pull request was closed meanwhile',
  async (kind) => {
    const { forge, job, first } = await changedMeanwhile(({ forge }) => forge.decline(slug, 1), kind);
    expect(job.prLink).not.toBe(first.prLink);
    expect(await forge.list(slug)).toMatchObject([{ state: 'open' }, { state: 'closed' }]);
  },
);
