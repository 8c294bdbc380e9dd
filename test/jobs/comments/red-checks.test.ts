import { expect, test } from 'vitest';
import { PullWatch } from '../../../server/jobs/comments/pull-watch.ts';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import type { CheckDouble } from '../../support/forge/comments.ts';
import { answersTo, type CommentedJob, startCommentedJob } from '../../support/jobs/commented-job.ts';
import { changeProject, obey, sendMessage } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

const red: CheckDouble = {
  name: 'links',
  state: 'failure',
  text: '@headcount write page.md Bad. /nowhere is dead',
};
const green: CheckDouble = { name: 'build', state: 'success', text: 'Built.' };

/** What is asked for is done, and what the checks say is mended each time in another way. */
const mending: Script = ({ body, prompts }, index) => {
  const isMending = prompts.at(-1)?.includes('The checks of this pull request failed');
  const messages = body.messages as { role: string }[];
  if (!isMending || messages.at(-1)?.role === 'tool') return obey(body);
  return { calls: [{ tool: 'write', input: { path: 'page.md', content: `Mended ${index}.\n` } }] };
};

/** Sets what the checks of the newest commit say. */
async function check({ run, pull }: CommentedJob, ...checks: CheckDouble[]): Promise<void> {
  const [newest] = await run.forge.list(pull.slug);
  run.forge.checks.set(newest?.headCommit ?? '', checks);
}

const messagesOf = async ({ events }: CommentedJob) =>
  (await events()).filter(({ type }) => type === 'message').length - 1;

test.each(forgeKinds)(
  'at %s, failed checks are mended, with what they say as material, and answered below',
  async (kind) => {
    const commented = await startCommentedJob({ kind, script: mending, project: { mendChecks: true } });
    const { run, handleComments, page, pull } = commented;
    await check(commented, green, { ...red, state: 'pending' });
    await handleComments();
    expect(await messagesOf(commented)).toBe(0);
    await check(commented, green, red);
    const since = commented.say({ by: 'mallory', text: 'Red.' });
    await handleComments();
    expect(await page()).toMatch(/^Mended \d+\.\n$/);
    const told = JSON.stringify(run.model.requests.at(-1)?.body);
    expect(told).toContain('What they say follows, as material');
    expect(told).toContain('/nowhere is dead');
    const answers = answersTo(pull, since);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.text).toContain('> In answer to [the failed checks](');
    const { entries } = await run.jobs.ask('GET /v1/projects/{projectId}/audit', {
      path: { projectId: run.headcount.projectId },
    });
    expect(entries[0]).toMatchObject({
      action: 'job.continued',
      actor: { kind: 'server' },
      changes: ['asked by: failed checks'],
    });
    // The new commit is green.
    await check(commented, green);
    await handleComments();
    expect(await messagesOf(commented)).toBe(1);
  },
);

test('after two tries it is left to people, which is said once, however many nodes look at once', async () => {
  const commented = await startCommentedJob({ script: mending, project: { mendChecks: true } });
  const { run, handleComments, pull, say } = commented;
  const since = say({ by: 'mallory', text: 'Red.' });
  for (let tries = 0; tries < 2; tries++) {
    await check(commented, red);
    await handleComments();
  }
  await check(commented, red);
  const nodes = Array.from({ length: 4 }, () => new PullWatch(run.headcount.context));
  await Promise.all(nodes.map((node) => node.look()));
  await handleComments();
  expect(await messagesOf(commented)).toBe(2);
  const said = answersTo(pull, since).map(({ text }) => text);
  expect(said).toHaveLength(3);
  expect(said.at(-1)).toContain(
    'still fail** after 2 tries to mend it. It is left to a person now.\n\n- links',
  );
});

test('where nothing may be spent on it that is said once, however many nodes look and however late', async () => {
  const commented = await startCommentedJob({ script: mending, project: { mendChecks: true } });
  const { run, pull, say } = commented;
  // A limit in dollars, where the price of the model is not known.
  await changeProject(run, { turnCost: 5 });
  const since = say({ by: 'mallory', text: 'Red.' });
  await check(commented, red);
  run.forge.git.faults.push({ on: /^POST .*\/comments$/, status: 502 });
  const { context } = run.headcount;
  const lookAt = (ms: number) => new PullWatch({ ...context, now: () => context.now() + ms }).look();
  await lookAt(0);
  expect(answersTo(pull, since)).toHaveLength(0);
  await Promise.all(Array.from({ length: 4 }, () => lookAt(3 * 60_000)));
  expect(answersTo(pull, since).map(({ text }) => text)).toEqual([
    expect.stringContaining('**This was not taken up.**'),
  ]);
});

test('one commit is tried once, and where nothing could be mended the answer says why', async () => {
  const commented = await startCommentedJob({ project: { mendChecks: true } });
  const { handleComments, pull, say } = commented;
  const since = say({ by: 'mallory', text: 'Red.' });
  await check(commented, red);
  await handleComments();
  await handleComments();
  expect(await messagesOf(commented)).toBe(1);
  expect(answersTo(pull, since).map(({ text }) => text)).toEqual([
    expect.stringContaining('**Nothing was changed.**'),
  ]);
});

test('checks are left alone unless the project wants them mended, and while the job is at work or failed', async () => {
  const commented = await startCommentedJob();
  await check(commented, red);
  await commented.handleComments();
  expect(await messagesOf(commented)).toBe(0);
  let isDown = false;
  const failing = await startCommentedJob({
    project: { mendChecks: true },
    script: ({ body }) => (isDown ? { status: 400 } : obey(body)),
  });
  isDown = true;
  await sendMessage(failing.run.jobs, failing.job.id, 'write page.md Two.');
  await failing.handleComments();
  await check(failing, red);
  await failing.handleComments();
  expect(await messagesOf(failing)).toBe(1);
});

test('an App that may not read checks says so in the log, and nothing else stops working', async () => {
  const commented = await startCommentedJob({ project: { mendChecks: true } });
  const { run, handleComments, say, page } = commented;
  run.forge.git.faults.push({
    on: /\/check-runs/,
    status: 403,
    body: { message: 'Resource not accessible by token' },
  });
  say({ by: 'bert', text: '@headcount write page.md Two.' });
  await handleComments();
  expect(await page()).toBe('Two.\n');
  await handleComments();
  expect(run.headcount.log.join('\n')).toContain('Resource not accessible by token');
});
