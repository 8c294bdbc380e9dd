import { expect, test } from 'vitest';
import {
  changeProject,
  createJob,
  eventsOf,
  finish,
  type JobRun,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
  until,
} from '../../support/jobs/job-run.ts';
import { createLatch } from '../../support/latch.ts';

const push = /git-receive-pack/;
const pulls = /\/pulls/;

/** Everything of that kind is refused until further notice. */
function refuse({ forge }: JobRun, on: RegExp, status: number): void {
  for (let i = 0; i < 40; i += 1) forge.git.faults.push({ on, status });
}

async function turnsOf({ forge }: JobRun, branch: string): Promise<string[]> {
  const log = await forge.git.log(slug, branch);
  return log.flatMap(({ message }) => /Headcount-Turn: (\d+)/.exec(message)?.[1] ?? []);
}

const refusals: [string, RegExp, [number, string][]][] = [
  [
    'a push',
    push,
    [
      [401, 'auth'],
      [403, 'forbidden'],
      [404, 'not_found'],
      [500, 'server_error'],
    ],
  ],
  [
    'a pull request',
    pulls,
    [
      [401, 'auth'],
      [403, 'forbidden'],
      [404, 'not_found'],
      [502, 'server_error'],
    ],
  ],
];

test.each(refusals)(
  'whatever %s is refused with, the job says why, and its next message first delivers what is committed',
  async (_what, on, answers) => {
    const run = await startJobRun();
    const { jobs, forge, model } = run;
    refuse(run, on, answers[0]?.[0] ?? 0);
    const { id } = await createJob(jobs, 'write page.md Hello.');
    const branch = `headcount/${id}`;
    for (const [n, [status, code]] of answers.entries()) {
      forge.git.faults.length = 0;
      refuse(run, on, status);
      if (n > 0) await sendMessage(jobs, id, 'look at the page');
      expect(await finish(jobs, id)).toMatchObject({
        status: 'failed',
        prLink: null,
        branch: on === push ? null : branch,
        failure: { code, message: expect.stringContaining('The change is kept') },
      });
    }
    const asked = model.requests.length;
    forge.git.faults.length = 0;
    await sendMessage(jobs, id, 'look at the page');
    const job = await finish(jobs, id);
    const [pull, ...others] = await forge.list(slug);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ head: branch, title: 'Write the page' });
    expect(job).toMatchObject({ status: 'completed', branch, failure: null });
    expect(job.prLink).toMatch(new RegExp(`/${pull?.number}$`));
    expect(await forge.git.read(slug, branch, 'page.md')).toBe('Hello.\n');
    expect(await turnsOf(run, branch)).toEqual(['0']);
    // A question of each message: the first turn's agent is not asked again.
    expect(model.requests).toHaveLength(asked + answers.length);
  },
);

test('a delivery that is refused again fails again, and the messages wait behind it in their order', async () => {
  const sent = createLatch();
  const run = await startJobRun({
    script: async ({ body }) => {
      await sent.opened;
      return obey(body);
    },
  });
  const { jobs, forge, model } = run;
  refuse(run, push, 403);
  const { id } = await createJob(jobs, 'write a.md one');
  await sendMessage(jobs, id, 'write b.md two');
  sent.open();
  const failed = await finish(jobs, id);
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'forbidden' } });
  expect(failed.failure?.message).toMatch(/^This was not begun.*an earlier change.*The token may not/s);
  await sendMessage(jobs, id, 'write c.md three');
  expect(await finish(jobs, id)).toMatchObject({ status: 'failed', failure: { code: 'forbidden' } });
  expect(model.requests).toHaveLength(2);

  forge.git.faults.length = 0;
  await sendMessage(jobs, id, 'write d.md four');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed', failure: null });
  expect(await turnsOf(run, `headcount/${id}`)).toEqual(['3', '2', '1', '0']);
  expect(await forge.list(slug)).toHaveLength(1);
});

test('a message that comes as a turn is put off has the change before it delivered, and fails nothing', async () => {
  const [sent, puttingOff, resumed] = [createLatch(), createLatch(), createLatch()];
  const run = await startJobRun({
    script: async ({ body }) => {
      await sent.opened;
      return obey(body);
    },
    wrapStore: (store) => ({
      ...store,
      jobs: {
        ...store.jobs,
        settleTurn: async (lease, outcome, event) => {
          if (lease.unpublished) {
            puttingOff.open();
            await resumed.opened;
          }
          return await store.jobs.settleTurn(lease, outcome, event);
        },
      },
    }),
  });
  const { jobs, forge } = run;
  refuse(run, push, 403);
  const { id } = await createJob(jobs, 'write a.md one');
  await sendMessage(jobs, id, 'write b.md two');
  sent.open();
  await puttingOff.opened;
  forge.git.faults.length = 0;
  await sendMessage(jobs, id, 'write c.md three');
  resumed.open();

  expect(await finish(jobs, id)).toMatchObject({ status: 'completed', failure: null });
  expect(await turnsOf(run, `headcount/${id}`)).toEqual(['2', '1', '0']);
  const failed = (await eventsOf(jobs, id)).filter(({ type }) => type === 'failed');
  expect(failed.map(({ turn }) => turn)).toEqual([0]);
});

test('a branch that git cannot keep beside another is delivered under the prefix that was set for that', async () => {
  let isBlocked = false;
  const run = await startJobRun({
    script: async ({ body }) => {
      if (!isBlocked) await forge.git.commit(slug, { 'x.md': 'x\n' }, { branch: 'headcount' });
      isBlocked = true;
      return obey(body);
    },
  });
  const { jobs, forge } = run;
  const failed = await runJob(jobs, 'write page.md Hello.');
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'branch_blocked' } });

  await changeProject(run, { branchPrefix: 'bot/' });
  await sendMessage(jobs, failed.id, 'look at the page');
  const branch = `bot/${failed.id}`;
  expect(await finish(jobs, failed.id)).toMatchObject({ status: 'completed', branch });
  expect(await forge.git.read(slug, branch, 'page.md')).toBe('Hello.\n');
  expect(await forge.list(slug)).toMatchObject([{ head: branch }]);
});

test('a branch that was pushed without a code host gets its pull request once there is one', async () => {
  const run = await startJobRun({ kind: 'none' });
  const { jobs, forge } = run;
  const first = await runJob(jobs, 'write page.md Hello.');
  expect(first).toMatchObject({ status: 'completed', prLink: null, branch: `headcount/${first.id}` });

  await changeProject(run, { forge: 'github', forgeUrl: forge.apiUrl('github') });
  await sendMessage(jobs, first.id, 'look at the page');
  const job = await finish(jobs, first.id);
  expect(job).toMatchObject({ status: 'completed', prLink: expect.stringMatching(/\/1$/) });
  expect(await forge.list(slug)).toMatchObject([{ head: job.branch, title: 'Write the page' }]);
});

test('archiving ends a job whose change waits to be delivered', async () => {
  const run = await startJobRun();
  const { jobs, forge } = run;
  refuse(run, push, 403);
  const { id } = await runJob(jobs, 'write page.md Hello.');
  await jobs.archive(id);
  expect((await jobs.message(id, 'go on')).status).toBe(400);
  forge.git.faults.length = 0;
  await runJob(jobs, 'write other.md Hello.');
  expect(Object.keys(await forge.git.refs(slug))).not.toContain(`refs/heads/headcount/${id}`);
});

test('after a turn whose changes could not be kept, the model learns it', async () => {
  const run = await startJobRun({
    script: async ({ body, results }) => {
      if (results.length === 1) {
        await forge.git.commit(slug, { 'a.md': 'mine\n' }, { branch: `headcount/${id}` });
      }
      return obey(body);
    },
  });
  const { jobs, forge, model } = run;
  const { id } = await runJob(jobs, 'look at the page');
  await forge.git.git(slug, ['branch', `headcount/${id}`, 'main']);
  await sendMessage(jobs, id, 'write a.md one');
  expect(await finish(jobs, id)).toMatchObject({ status: 'failed', failure: { code: 'conflict' } });

  await sendMessage(jobs, id, 'write b.md two');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  const { prompts } = model.requests.at(-1) ?? { prompts: [] };
  expect(prompts.join('\n')).toContain('the turn failed (conflict), and none of its changes were kept');
});

test('how a job was delivered is in its transcript once, whatever was tried before', async () => {
  const run = await startJobRun();
  const { jobs, forge } = run;
  refuse(run, pulls, 403);
  const { id } = await runJob(jobs, 'write page.md Hello.');
  forge.git.faults.length = 0;
  await sendMessage(jobs, id, 'write other.md Hello.');
  await finish(jobs, id);
  const events = await until(
    () => eventsOf(jobs, id),
    (all) => all.at(-1)?.type === 'completed',
  );
  const told = events.flatMap(({ turn, type, data }) =>
    type === 'phase' || type === 'failed' || type === 'completed' ? [`${turn} ${data.phase ?? type}`] : [],
  );
  expect(told).toEqual([
    '0 pinned',
    '0 committed',
    '0 pushed',
    '0 failed',
    '0 opened',
    '0 completed',
    '1 pinned',
    '1 committed',
    '1 pushed',
    '1 opened',
    '1 completed',
  ]);
});
