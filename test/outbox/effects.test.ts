import { expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { PullWatch } from '../../server/jobs/comments/pull-watch.ts';
import { Outbox } from '../../server/outbox/outbox.ts';
import { forgeKinds } from '../../shared/jobs/forge.ts';
import type { DeliveriesReply } from '../../shared/outbox.ts';
import { createClock, type TestClock } from '../support/clock.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { pullOf } from '../support/jobs/commented-job.ts';
import { changeProject, finish, type JobRun, runJob, slug, startJobRun } from '../support/jobs/job-run.ts';
import type { ModelReply } from '../support/jobs/model/model-server.ts';
import { gptBot } from '../support/outbox/outbox-run.ts';

/** Of the merge, 14 and 28 whole days later: when the last of them is sealed. */
const merged = '2026-11-20T12:00:00Z';
const sealed14 = '2026-12-06T00:01:00Z';
const sealed28 = '2026-12-20T00:01:00Z';
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const changed = numbers(6).map((i) => `docs/changed-${i}`);
const others = numbers(70).map((i) => `docs/other-${i}`);

interface EffectRun extends JobRun {
  clock: TestClock;
  /** As so many nodes do every minute. */
  look(time: string, nodes?: number): Promise<void>;
  view(pages: readonly string[], times: number, userAgent?: string): Promise<void>;
  comments(): Promise<string[]>;
  deliveries(): Promise<DeliveriesReply['deliveries']>;
}

/** A project that was counted for long, whose job changed some pages, which is merged. */
async function startEffectRun(options: Parameters<typeof startJobRun>[0] = {}): Promise<EffectRun> {
  const clock = createClock('2026-10-20T12:00:00Z');
  const run = await startJobRun({ ...options, now: clock.now, script: ({ body }) => writeAll(body) });
  run.forge.now = clock.now;
  const { context, projectId } = run.headcount;
  const view: EffectRun['view'] = async (pages, times, userAgent = chromeUserAgent) => {
    const hits = pages.flatMap((page) =>
      numbers(times).map((i) => ({ url: `https://example.com/${page}`, ip: `198.51.100.${i}`, userAgent })),
    );
    for (let at = 0; at < hits.length; at += 100) {
      const { status } = await run.headcount.hits(hits.slice(at, at + 100));
      expect(status).toBe(202);
    }
  };
  await view([''], 1);
  clock.set('2026-11-12T12:00:00Z');
  const look: EffectRun['look'] = async (time, nodes = 1) => {
    clock.set(time);
    await sealDueDays(context);
    await Promise.all(numbers(nodes).map(() => new Outbox(context).look()));
  };
  return {
    ...run,
    clock,
    look,
    view,
    comments: async () => (await pullOf(run)).comments,
    deliveries: async () =>
      (await run.headcount.get<DeliveriesReply>(`/v1/projects/${projectId}/deliveries`)).deliveries,
  };
}

async function mergeJob(run: EffectRun, files = 'all'): Promise<void> {
  await runJob(run.jobs, files);
  await run.forge.merge(slug, 1, { deleteBranch: true });
  run.clock.set(merged);
  await new PullWatch(run.headcount.context).look();
}

function writeAll(body: Record<string, unknown>): ModelReply {
  const messages = body.messages as { role: string; content: unknown }[];
  if (messages.at(-1)?.role === 'tool') return { text: 'Write the pages\n\nAs it was asked.' };
  const files = JSON.stringify(messages.at(-1)).includes('the image')
    ? ['logo.txt']
    : changed.map((page) => `${page}.md`);
  return { calls: files.map((path) => ({ tool: 'write', input: { path, content: 'New.\n' } })) };
}

test('after 14 and 28 sealed days a comment tells people and AI on the changed pages against the others', async () => {
  const run = await startEffectRun();
  await run.view([...changed, ...others], 8);
  await run.view([...changed, ...others], 8, gptBot);
  await mergeJob(run);
  run.clock.set('2026-11-27T12:00:00Z');
  await run.view(changed, 24);
  await run.view(others, 8);
  await run.view([...changed, ...others], 8, gptBot);
  await run.look('2026-12-05T23:59:00Z');
  expect(await run.comments()).toEqual([]);
  await run.look(sealed14);
  const [comment = '', ...more] = await run.comments();
  expect(more).toEqual([]);
  expect(comment).toMatch(
    /^\*\*What came of this, 14 days after the merge\.\*\* How 6 changed pages \(`\/docs\/changed-1`, .* and 1 more\) were read 2026-11-21 to 2026-12-04, against the days before the merge \(2026-11-06 to 2026-11-19\) and against 70 unchanged pages of the site:\n\n/,
  );
  expect(comment).toMatch(
    /\n- \*\*People: \d+% more\*\* views of the changed pages than the unchanged ones lead to expect \(\+\d+% to \+\d+%\)\. The changed pages had 200% more views than before, the unchanged ones as many views as before\.\n/,
  );
  expect(comment).toMatch(/\n- \*\*AI clients: no measurable effect\*\* \(.\d+% to .\d+%\)\./);
  expect(comment).toContain('It is looked at again 28 days after the merge.');
  expect(comment).toContain('\n\n**To undo it:** A comment `@headcount revert` by somebody who may write to');
  expect(comment).toMatch(/\n---\nSent by Headcount, 14 days after the merge\.$/);
  expect(await run.deliveries()).toMatchObject([
    {
      kind: 'effect',
      channel: 'pull_request',
      receiver: expect.stringMatching(/\/ada\/site\/pull\/1$/),
      state: 'sent',
    },
  ]);
  await changeProject(run, { comments: 'off' });
  await run.look(sealed28);
  const told = await run.comments();
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('28 days after the merge.** How 6 changed pages');
  expect(told[1]).not.toContain('looked at again');
  expect(told[1]).toMatch(
    /\*\*To undo it:\*\* \*Revert\* at its job in Headcount, or `headcount job revert \w+ job_\w+`,/,
  );
});

test('AI that no server or log counted before the merge is told to be not measured, however much it reads after it', async () => {
  const run = await startEffectRun();
  for (const page of [...changed, ...others.slice(0, 30)]) {
    const { status } = await run.headcount.hit({ u: `https://example.com/${page}` });
    expect(status).toBe(202);
  }
  await mergeJob(run);
  run.clock.set('2026-11-27T12:00:00Z');
  await run.headcount.hit({ u: `https://example.com/${changed[0]}` });
  await run.view(changed, 40, gptBot);
  await run.view(others, 5, gptBot);
  await run.look(sealed14);
  const [comment = ''] = await run.comments();
  expect(comment).toContain(
    '\n- **AI clients: not measured.** On most days before the merge, or after it, nothing counted them.\n',
  );
  expect(comment).toContain('**People: too few views or pages**');
});

test.each(forgeKinds)(
  'at %s each comment is made once, by however many nodes, also where it was made and that was not stored',
  async (kind) => {
    const run = await startEffectRun({ kind });
    await run.view(changed, 1);
    await mergeJob(run);
    // It is there, and whoever made it never hears so.
    run.forge.git.faults.push({ on: /^POST .*\/(?:comments|notes)$/, dropAfter: true });
    await run.look(sealed14, 3);
    expect(await run.comments()).toHaveLength(1);
    expect(await run.deliveries()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    run.clock.advance(61_000);
    await run.look(new Date(run.clock.now()).toISOString(), 3);
    const [comment, ...more] = await run.comments();
    expect(more).toEqual([]);
    expect(comment).toContain('**People: too few views or pages** to distinguish an effect from chance.');
    expect(comment).toContain('**AI clients: none** came to these pages.');
    expect(await run.deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }]);
    await run.look(sealed28, 3);
    expect(await run.comments()).toHaveLength(2);
    expect(run.forge.violations).toEqual([]);
  },
);

test('a code host that refuses is asked again later, and not once the project does not want it reported', async () => {
  const run = await startEffectRun();
  await run.view(changed, 1);
  await mergeJob(run);
  const refuseOnce = () =>
    run.forge.git.faults.push({ on: /^POST .*\/comments$/, status: 403, body: { message: 'Locked' } });
  const lookAgain = async () => {
    run.clock.advance(61_000);
    await new Outbox(run.headcount.context).look();
  };
  refuseOnce();
  await run.look(sealed14);
  const [delivery] = await run.deliveries();
  expect(delivery).toMatchObject({ state: 'waiting', attempts: 1 });
  expect(delivery?.trouble).toContain('Locked');
  expect(await run.comments()).toEqual([]);
  await lookAgain();
  expect(await run.comments()).toHaveLength(1);
  refuseOnce();
  await run.look(sealed28);
  await changeProject(run, { reportEffects: false });
  await lookAgain();
  expect(await run.comments()).toHaveLength(1);
  const trouble = 'Comments on effects are turned off in the settings of the project.';
  expect((await run.deliveries())[0]).toMatchObject({ state: 'failed', trouble });
});

test('nothing more is told of what was taken back', async () => {
  const run = await startEffectRun();
  await run.view(changed, 1);
  await mergeJob(run);
  const { jobs, headcount, forge } = run;
  const { jobs: found } = await jobs.ask('GET /v2/agent/{projectId}/jobs', {
    path: { projectId: jobs.projectId },
  });
  const path = { projectId: jobs.projectId, jobId: String(found[0]?.id) };
  const { id } = await jobs.ask('POST /v2/agent/{projectId}/job/{jobId}/revert', { path });
  await finish(jobs, id);
  await forge.merge(slug, 2);
  await new PullWatch(headcount.context).look();
  await run.look(sealed14);
  expect(await run.comments()).toEqual([]);
  // What came of taking it back is told there.
  expect((await pullOf(run, 2)).comments).toHaveLength(1);
});

test.each([
  ['of a change that affected no page which was read before', {}, 'the image'],
  ['where a project does not want it', { reportEffects: false }, 'all'],
])('nothing is reported %s', async (_name, project, files) => {
  const run = await startEffectRun({ project });
  await run.view(changed, 1);
  await mergeJob(run, files);
  await run.look(sealed14);
  expect(await run.comments()).toEqual([]);
  expect(await run.deliveries()).toEqual([]);
});
