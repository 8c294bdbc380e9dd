import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { theServer } from '../../../server/audit/audit-list.ts';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import type { Lease } from '../../../server/store/jobs/job.ts';
import type { NewJob } from '../../../server/store/jobs/requests.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import {
  chromeUserAgent,
  type Headcount,
  type ProjectClient,
  startHeadcount,
} from '../../support/headcount.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeDatabase, runIn } from '../../support/store/shared-postgres.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let url: string;
let nodes: Headcount[] = [];

beforeAll(async () => {
  if (!(await hasPostgres())) return;
  url = await makeDatabase();
  const env = {
    HEADCOUNT_DATABASE_URL: url,
    HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  nodes = [await startHeadcount({ now: clock.now, env }), await startHeadcount({ now: clock.now, env })];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  if (url) await dropDatabase(url);
});
beforeEach((context) => {
  if (nodes.length === 0) leaveOut(context, 'PostgreSQL is not installed');
});

const node = (i: number): Headcount => nodes[i] as Headcount;

/** One view of each, by way of this node. */
async function visit(
  to: Headcount,
  { projectId, ingestKey }: ProjectClient,
  people: number[],
): Promise<void> {
  const hits = people.map((n) => ({
    url: `https://example.com/${n % 3}`,
    ip: `198.51.100.${n}`,
    userAgent: chromeUserAgent,
  }));
  const response = await fetch(`${to.url}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({ project: projectId, hits }),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${ingestKey}`,
      'idempotency-key': `${projectId}-${new URL(to.url).port}`,
    },
  });
  expect(response.status).toBe(202);
}

/** Sums of the site, by block, with what waits to be added up. */
const sumsOf = ({ projectId }: ProjectClient, which: string) =>
  runIn<{ span: number; visitors: number; views: number }>(
    url,
    `select fold_all();
     select span, sum(visitors)::int as visitors, sum(human_views)::int as views
     from counts where project = (select id from projects where public_id = '${projectId}') and ${which}
     group by span order by span`,
  );

/** By all nodes at once, each more than once. */
const seal = () => Promise.all([0, 1, 0, 1].map((i) => sealDueDays(node(i).context)));

describe('of two nodes', () => {
  test('both find what is due, and it is sealed, kept and deleted once', async () => {
    const project = await node(0).addProject({ keepDetailsMonths: 1 });
    await node(1).context.registry.refresh();
    await visit(node(0), project, [1, 2, 3, 4]);
    await visit(node(1), project, [3, 4, 5, 6]);
    const once = [1, 4, 16, 64, 256].map((span) => ({ span, visitors: 6, views: 8 }));
    expect(await sumsOf(project, 'what = 0')).toEqual(once.slice(0, 1));
    expect(await runIn(url, 'select from receipts')).toHaveLength(2);

    clock.set('2026-05-12T10:00:00Z');
    await seal();
    expect(await sumsOf(project, 'what = 0')).toEqual(once);
    expect(await runIn(url, `select from seen join days on days.id = seen.day`)).toEqual([]);
    expect(await runIn(url, 'select from days')).toEqual([]);
    expect(await runIn(url, 'select from receipts')).toEqual([]);
    expect(await project.views()).toMatchObject({
      '/0': { total: 3 },
      '/1': { total: 3 },
      '/2': { total: 2 },
    });

    clock.set('2026-07-20T10:00:00Z');
    await seal();
    expect(await sumsOf(project, 'what = 0')).toEqual(once);
    expect(await sumsOf(project, 'what <> 0')).toEqual([]);
    expect(await node(0).context.store.check.findDamage()).toEqual([]);
  });

  test('one ends what the other had begun when it was killed', async () => {
    const project = await node(0).addProject();
    await node(1).context.registry.refresh();
    await visit(node(0), project, [1, 2]);
    const day = Math.floor(clock.now() / dayMs);
    clock.advance(2 * dayMs);
    await runIn(url, `select close_days('${project.projectId}', ${day})`);
    await sealDueDays(node(1).context);
    expect(await sumsOf(project, 'what = 0')).toEqual(
      [1, 4, 16, 64, 256].map((span) => ({ span, visitors: 2, views: 2 })),
    );
    expect(await runIn(url, 'select from days')).toEqual([]);
  });

  test('both look for idle jobs, and each is archived once', async () => {
    const { projectId } = await node(0).addProject();
    const [first, second] = nodes.map(({ context }) => context.store.jobs);
    if (!first || !second) throw new Error('There are two nodes.');
    const of = { repository: 'https://git.example.com/owner/site', ref: 'main', model: 'openai/x' };
    const ids = Array.from({ length: 12 }, (_, i) => `idle-${i}`);
    for (const id of ids) {
      const job: NewJob = { id, projectId, prompt: 'do', ...of };
      await first.createJob(job, null);
      const lease = (await first.claimTurn({ total: 100, perProject: 100, leaseMs: 60_000 })) as Lease;
      await first.settleTurn(lease, { status: 'completed', prLink: null }, { type: 'completed', data: {} });
    }
    clock.advance(8 * dayMs);
    const archived = await Promise.all(
      [first, second, first].map((jobs) => jobs.archiveIdleJobs(7 * dayMs, theServer)),
    );
    expect(archived.reduce((sum, jobs) => sum + jobs, 0)).toBe(ids.length);
    expect(await second.archiveIdleJobs(7 * dayMs, theServer)).toBe(0);
    for (const id of ids) {
      const events = (await second.readEvents(projectId, id, 0, 100)) ?? [];
      expect(events.filter(({ type }) => type === 'archived')).toHaveLength(1);
    }
    const { rows } = await node(0).context.store.audit.listEntries({ projectId, limit: 100, offset: 0 });
    const archivals = rows.filter(
      ({ action, actor }) => action === 'job.archived' && actor.kind === 'server',
    );
    expect(archivals.map(({ subject }) => subject).sort()).toEqual(ids.toSorted());
  });
});
