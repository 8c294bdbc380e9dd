import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import { createClock } from '../support/clock.ts';
import { dashboardClient, isSignedIn, signIn as signInTo } from '../support/dashboard/dashboard.ts';
import { join, userPassword } from '../support/dashboard/people.ts';
import { codeAt, enter, turnOn } from '../support/dashboard/second-factor.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';
import { dropDatabase, makeDatabase } from '../support/store/shared-postgres.ts';

const clock = createClock('2026-11-21T12:00:00Z');

let url: string;
let nodes: Headcount[] = [];

beforeAll(async () => {
  url = await makeDatabase();
  const env = {
    HEADCOUNT_DATABASE_URL: url,
    HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  nodes = [await startHeadcount({ now: clock.now, env }), await startHeadcount({ now: clock.now, env })];
  const { passwords, store } = (nodes[0] as Headcount).context;
  await store.admin.resetPassword(await passwords.hash('the right password'));
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await dropDatabase(url);
});

const signIn = (node: number, password: string, from: string) =>
  fetch(`${nodes[node]?.url}/v1/admin/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': from,
    },
    body: JSON.stringify({ password }),
  });

test('who is removed on one node, or has another role, is so on all of them within a second', async () => {
  const [here, there] = nodes as [Headcount, Headcount];
  const owner = await signInTo(here.url, 'the right password');
  const added = await join(here, owner, 'ada', [{ projectId: null, role: 'viewer' }]);
  const ada = dashboardClient(there.url, added.cookie);
  const roleThere = async () => (await ada.must<SessionReply>('GET', '/v1/admin/session')).role;
  const soon = { timeout: timeoutAtThisLoad(1000) };
  await expect.poll(roleThere, soon).toBe('viewer');
  await owner.must('PATCH', `/v1/users/${added.id}`, { roles: [{ projectId: null, role: 'owner' }] });
  await expect.poll(roleThere, soon).toBe('owner');
  await owner.must('DELETE', `/v1/users/${added.id}`);
  await expect.poll(() => isSignedIn(ada), soon).toBe(false);
  expect((await ada.send('GET', '/v1/admin/projects')).status).toBe(401);
});

test('a code of the second factor is good once, whichever nodes it is sent to', async () => {
  const [here, there] = nodes as [Headcount, Headcount];
  const owner = await signInTo(here.url, 'the right password');
  const bob = await join(here, owner, 'bob', [{ projectId: null, role: 'viewer' }]);
  const { secret } = await turnOn(bob, clock.now(), userPassword);
  clock.advance(30_000);
  const credentials = { name: 'bob', password: userPassword, code: codeAt(secret, clock.now()) };
  const both = await Promise.all([here, there].map(({ url: of }) => enter(dashboardClient(of), credentials)));
  expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
  await owner.must('DELETE', `/v1/users/${bob.id}`);
});

test('wrong passwords are as slow over two nodes as on one, also when they come at once', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => (await signIn(i % 2, `guess ${i}`, '203.0.113.9')).status),
  );
  // As many as cost no wait.
  expect(statuses.filter((status) => status === 401)).toHaveLength(4);
  expect(statuses.filter((status) => status === 429)).toHaveLength(16);
  clock.advance(1000);
  expect((await signIn(1, 'the right password', '203.0.113.9')).status).toBe(204);
  // Who is right starts anew, on the other node too.
  for (let i = 0; i < 4; i++) expect((await signIn(0, 'wrong', '203.0.113.9')).status).toBe(401);
  expect((await signIn(1, 'wrong', '203.0.113.9')).status).toBe(429);
  expect((await signIn(1, 'wrong', '198.51.100.1')).status).toBe(401);
});

test('how long is to be waited goes by the clock that all nodes share, and not by that of one', async () => {
  const [node] = nodes as [Headcount];
  const early = await startHeadcount({
    now: () => clock.now() - 10 * 60_000,
    env: { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
    wrapStore: (store) => ({ ...store, nodes: node.context.store.nodes }),
  });
  nodes.push(early);
  const from = '192.0.2.77';
  for (let i = 0; i < 5; i++) await signIn(0, 'wrong', from);
  const refused = await signIn(2, 'wrong', from);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(2);
  clock.advance(2_000);
  expect((await signIn(2, 'the right password', from)).status).toBe(204);
});
