import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EventStreams } from '../../../server/jobs/api/event-streams.ts';
import type { Lease } from '../../../server/store/jobs/job.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import { startHeadcount } from '../../support/headcount.ts';
import { readEvents } from '../../support/jobs/event-reader.ts';
import { createJob, eventsOf, finish, sendMessage, slug, until } from '../../support/jobs/job-run.ts';
import { jobClient } from '../../support/jobs/jobs.ts';
import {
  expectOneDeliveryOfEach,
  kill,
  makeSites,
  roomForAll,
  silentAt,
  silentAtMoments,
  stopAtMoments,
} from '../../support/jobs/moments.ts';
import { type Nodes, prepareNodes } from '../../support/jobs/nodes.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/store/shared-postgres.ts';

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
});

/** One commit beyond the first of the branch, and one pull request. */
async function expectOneDelivery({ forge }: Nodes, id: string): Promise<void> {
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  expect(await forge.git.read(slug, `headcount/${id}`, 'page.md')).toBe('Hello.\n');
}

describe('two nodes on one PostgreSQL', () => {
  test('one is killed with a turn at each moment, and the other brings one commit and one pull request of each', async () => {
    const nodes = await prepareNodes({ script: silentAtMoments() });
    const projects = await nodes.addProjects(await makeSites(nodes));
    const first = await nodes.start(roomForAll);
    const ids = await stopAtMoments(first.url, projects, nodes);
    const second = await nodes.start(roomForAll);
    await kill(first);
    await expectOneDeliveryOfEach(second.url, projects, ids, nodes);
  });

  test('a stream on one brings what the other does, up to the end', async () => {
    const nodes = await prepareNodes();
    const [asked, working] = await Promise.all([nodes.start({ HEADCOUNT_MAX_JOBS: '0' }), nodes.start()]);
    const { id } = await createJob(asked.jobs, 'write page.md Hello.');
    const events = await readEvents(await asked.jobs.stream(id)).rest();
    expect(events.at(-1)).toMatchObject({ type: 'end', data: { status: 'completed' } });
    const numbers = events.slice(0, -1).map((event) => event.data.number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(events.slice(0, -1).map(({ data }) => data)).toEqual(await eventsOf(working.jobs, id));
    await expectOneDelivery(nodes, id);
  });

  test('a stream is woken by what another node writes, and waits for no poll', async () => {
    const url = await makeDatabase();
    onTestFinished(() => dropDatabase(url));
    const env = {
      HEADCOUNT_DATABASE_URL: url,
      HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const eventStreams = new EventStreams({ pollMs: 3_600_000 });
    const project = { repository: 'https://git.example.com/owner/site', model: 'openai/x' };
    const node = await startHeadcount({ env, project, eventStreams });
    onTestFinished(() => node.stop());
    const { jobs } = await openPostgresStore(url).then((store) => {
      onTestFinished(() => store.close());
      return store;
    });
    const client = jobClient(node.url, node);
    const { id } = await client.mustCreate();
    const reader = readEvents(await client.stream(id));
    await reader.next();
    const lease = (await jobs.claimTurn({ total: 1, perProject: 1, leaseMs: 60_000 })) as Lease;
    for (const text of ['one', 'two']) {
      await jobs.appendEvents(lease, [{ type: 'text', data: { text } }]);
      expect(await reader.next()).toMatchObject({ data: { data: { text } } });
    }
    await jobs.settleTurn(lease, { status: 'completed', prLink: null }, { type: 'completed', data: {} });
    expect(await reader.rest()).toHaveLength(2);
  });

  test.each([
    ['archiving', 'archive', { status: 'archived', stopped: false }],
    ['stopping', 'stop', { status: 'completed', stopped: true, failure: null }],
  ] as const)('%s on one stops the agent on the other, and nothing is pushed', async (_how, end, state) => {
    const nodes = await prepareNodes({ script: silentAt(0) });
    // By its lease it would not notice for a long time, and it has no room for a second.
    await nodes.start({ HEADCOUNT_JOB_LEASE: '600', HEADCOUNT_MAX_JOBS: '1' });
    const asked = await nodes.start({ HEADCOUNT_MAX_JOBS: '0' });
    const { id } = await createJob(asked.jobs, 'write page.md Hello.');
    await until(async () => nodes.model.requests.length === 1, Boolean);
    expect((await asked.jobs[end](id)).status).toBe(200);
    const next = await createJob(asked.jobs, 'write page.md Hello.');
    expect(await finish(asked.jobs, next.id)).toMatchObject({ status: 'completed' });
    expect(await finish(asked.jobs, id)).toMatchObject(state);
    await expectOneDelivery(nodes, next.id);
  });

  test('share the jobs of a project, and go on with each where the other left it', async () => {
    const nodes = await prepareNodes();
    const [left, right] = await Promise.all([nodes.start(), nodes.start()]);
    const jobs = await Promise.all(
      Array.from({ length: 6 }, (_, n) => createJob((n % 2 ? left : right).jobs, `write page-${n}.md first`)),
    );
    for (const [n, { id }] of jobs.entries()) {
      await sendMessage((n % 2 ? right : left).jobs, id, 'write more.md more');
    }
    for (const { id } of jobs) {
      expect(await finish(left.jobs, id)).toMatchObject({ status: 'completed' });
      const log = await nodes.forge.git.log(slug, `headcount/${id}`);
      expect(log.flatMap(({ message }) => /Headcount-Turn: (\d)/.exec(message)?.[1] ?? [])).toEqual([
        '1',
        '0',
      ]);
    }
    expect(await nodes.forge.list(slug)).toHaveLength(6);
  });
});
