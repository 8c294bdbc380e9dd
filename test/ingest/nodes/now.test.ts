import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import type { AddedProject } from '../../../server/operations/projects.ts';
import type { Count } from '../../../shared/reports/analytics.ts';
import type { NowReply } from '../../../shared/reports/replies.ts';
import { runHeadcount, startProcess } from '../../support/child.ts';
import { createClock } from '../../support/clock.ts';
import {
  chromeUserAgent,
  type Headcount,
  type ProjectClient,
  startHeadcount,
} from '../../support/headcount.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

let url: string;
let env: Record<string, string>;
let clock: ReturnType<typeof createClock>;
let nodes: Headcount[];

beforeEach(async () => {
  url = await makeDatabase();
  env = { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  clock = createClock('2026-11-21T12:00:00Z');
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await node.stop();
  await dropDatabase(url);
});

async function startNode(): Promise<Headcount> {
  const node = await startHeadcount({ now: clock.now, env });
  nodes.push(node);
  return node;
}

async function visit(node: string, { projectId }: AddedProject, from: string, userAgent = chromeUserAgent) {
  const response = await fetch(`${node}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p: projectId, u: 'https://example.com/a' }),
    headers: { 'user-agent': userAgent, 'x-forwarded-for': from },
  });
  expect(response.status).toBe(202);
  expect(response.headers.get('x-headcount-dropped')).toBeNull();
}

async function now(node: string, project: AddedProject): Promise<Count> {
  const response = await fetch(`${node}/v1/analytics/${project.projectId}/now`, {
    headers: { authorization: `Bearer ${project.adminKey}` },
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as NowReply).visitors;
}

const shown = (node: Headcount, project: ProjectClient) => expect.poll(() => now(node.url, project));

/** Visitors that anybody could read in the database. */
async function kept(): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ visitors: number }>('select count(*)::int as visitors from recent');
  await client.end();
  return rows[0]?.visitors as number;
}

test('a visitor of two nodes is there once, for whomever is asked', async () => {
  const one = await startNode();
  const two = await startNode();
  const project = await one.addProject();
  const other = await one.addProject();
  await visit(one.url, project, '198.51.100.1');
  await visit(two.url, project, '198.51.100.1');
  await visit(two.url, project, '198.51.100.2');
  await visit(one.url, project, '198.51.100.3', 'GPTBot/1.2');
  await visit(two.url, project, '198.51.100.3', 'GPTBot/1.2');
  await visit(two.url, other, '198.51.100.4');
  for (const node of [one, two]) {
    await shown(node, project).toEqual({ human: 2, ai: 1, total: 3 });
    await shown(node, other).toEqual({ human: 1, ai: 0, total: 1 });
  }
});

test('who has been gone for five minutes is not there, nor in the database, and who came again is', async () => {
  const one = await startNode();
  const two = await startNode();
  const project = await one.addProject();
  await visit(one.url, project, '198.51.100.1');
  await visit(one.url, project, '198.51.100.2');
  await shown(two, project).toMatchObject({ total: 2 });
  // Within the minute that it is known in already.
  clock.advance(50_000);
  await visit(one.url, project, '198.51.100.2');
  clock.advance(20_000);
  await now(one.url, project);
  clock.advance(229_000);
  expect(await now(two.url, project)).toMatchObject({ total: 2 });
  clock.advance(2_000);
  expect(await now(two.url, project)).toMatchObject({ total: 1 });
  clock.advance(49_000);
  expect(await now(two.url, project)).toMatchObject({ total: 0 });
  expect(await kept()).toBeGreaterThan(0);
  await sealDueDays(two.context);
  expect(await kept()).toBe(0);
});

test('nothing is left of a day when it is sealed, although no server was there before', async () => {
  const one = await startNode();
  const project = await one.addProject();
  await visit(one.url, project, '198.51.100.1');
  await now(one.url, project);
  expect(await kept()).toBe(1);
  // Whole turns of the eight minutes later, so that what is left lies where the next is written to.
  clock.advance(48 * 3_600_000);
  await sealDueDays(one.context);
  expect(await kept()).toBe(0);
});

test('a project that is removed takes with it who was there', async () => {
  const one = await startNode();
  const project = await one.addProject();
  await visit(one.url, project, '198.51.100.1');
  await now(one.url, project);
  await one.context.store.removeProject(project.projectId);
  expect(await kept()).toBe(0);
});

test('who came to a node that was killed is still there on the others', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-now-'));
  const settings = { ...env, HEADCOUNT_DATA_DIR: dataDir };
  const { stdout } = await runHeadcount(['project', 'add', '--name', 'Now', '--json'], settings);
  const project = JSON.parse(stdout) as AddedProject;
  const one = await startProcess(settings);
  const two = await startProcess(settings);
  await visit(one.url, project, '198.51.100.1');
  await visit(two.url, project, '198.51.100.1');
  await visit(one.url, project, '198.51.100.2');
  await expect.poll(() => now(two.url, project)).toMatchObject({ total: 2 });
  one.signal('SIGKILL');
  await one.ended;
  expect(await now(two.url, project)).toMatchObject({ human: 2, total: 2 });
  two.signal('SIGTERM');
  await two.ended;
  await rm(dataDir, { recursive: true, force: true });
});
