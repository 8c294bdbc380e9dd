import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { KeysReply, NewKeyReply } from '../../../shared/accounts/admin.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import { createClock, dayMs, hourMs, type TestClock } from '../../support/clock.ts';
import {
  dashboardClient,
  guess,
  isSignedIn,
  offerSetup,
  openDashboard,
  password,
  signIn,
} from '../../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../../support/headcount.ts';
import { createLatch } from '../../support/latch.ts';
import { timeoutAtThisLoad } from '../../support/machine/load.ts';
import { readKept } from '../../support/store/kept.ts';

let clock: TestClock;
let headcount: Headcount;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now });
});
afterEach(() => headcount.stop());

describe('a session', () => {
  test('lasts for 30 days after its last use', async () => {
    const client = await openDashboard(headcount);
    for (let i = 0; i < 3; i++) {
      clock.advance(29 * dayMs);
      expect(await isSignedIn(client)).toBe(true);
    }
    clock.advance(30 * dayMs);
    expect(await isSignedIn(client)).toBe(false);
    expect((await client.send('GET', '/v1/admin/projects')).status).toBe(401);
  });

  test('ends 90 days after it began, however much it is used, also one that began before an update', async () => {
    const client = await openDashboard(headcount);
    for (let i = 0; i < 9; i++) {
      clock.advance(10 * dayMs - 1);
      expect(await isSignedIn(client)).toBe(true);
    }
    clock.advance(9);
    expect(await isSignedIn(client)).toBe(false);
    expect((await client.send('GET', '/v1/admin/projects')).status).toBe(401);
    const restarted = await startHeadcount({ dataDir: headcount.dataDir, now: clock.now });
    onTestFinished(() => restarted.stop());
    expect(await isSignedIn(dashboardClient(restarted.url, client.cookie))).toBe(false);
    expect(await isSignedIn(await signIn(headcount.url))).toBe(true);
  });

  test('lasts as long where the store is slow to note its uses', async () => {
    const noted = [createLatch(), createLatch(), createLatch()];
    let uses = 0;
    const slow = await startHeadcount({
      now: clock.now,
      wrapStore: (store) => ({
        ...store,
        admin: {
          ...store.admin,
          touchSession: async (...args) => {
            await noted[uses++]?.opened;
            await store.admin.touchSession(...args);
          },
        },
      }),
    });
    onTestFinished(() => slow.stop());
    const client = await openDashboard(slow);
    for (let i = 0; i < 2; i++) {
      clock.advance(29 * dayMs);
      expect(await isSignedIn(client)).toBe(true);
    }
    noted[0]?.open();
    await expect
      .poll(async () => (await slow.context.store.admin.readSignedIn()).sessions.map(({ usedAt }) => usedAt))
      .toEqual([clock.now() - 29 * dayMs]);
    await slow.context.sessions.refresh();
    clock.advance(29 * dayMs);
    expect(await isSignedIn(client)).toBe(true);
    for (const latch of noted) latch.open();
  });

  test('stays ended, and a key revoked, where the store answers what it was asked before', async () => {
    const held = createLatch();
    let isHeld = false;
    let reads = 0;
    const late =
      <T>(read: () => Promise<T>) =>
      async () => {
        const waits = isHeld;
        const result = await read();
        if (!waits) return result;
        reads++;
        await held.opened;
        return result;
      };
    const slow = await startHeadcount({
      now: clock.now,
      wrapStore: (store) => ({
        ...store,
        directory: late(store.directory),
        admin: { ...store.admin, readSignedIn: late(store.admin.readSignedIn) },
      }),
    });
    onTestFinished(() => slow.stop());
    const { registry, sessions, store } = slow.context;
    const [one, two] = [await openDashboard(slow), await signIn(slow.url)];
    const { cookie } = one;
    const keysPath = `/v1/admin/projects/${slow.projectId}/keys`;
    const { id, secret } = await two.must<NewKeyReply>('POST', keysPath, { name: 'mine', scope: 'admin' });
    const headers = { authorization: `Bearer ${secret}` };
    const ask = async () =>
      (await fetch(`${slow.url}/v1/analytics/${slow.projectId}/visitors`, { headers })).status;
    expect(await ask()).toBe(200);
    isHeld = true;
    await store.setProject(slow.projectId, projectSettings.parse({ name: 'Renamed' }));
    const older = [registry.refresh(), sessions.refresh()];
    await expect.poll(() => reads).toBeGreaterThan(1);
    isHeld = false;
    await one.must('DELETE', '/v1/admin/session');
    await two.must('DELETE', `${keysPath}/${id}`);
    held.open();
    await Promise.all(older);
    expect(await isSignedIn(dashboardClient(slow.url, cookie))).toBe(false);
    expect(await ask()).toBe(401);
  });

  test('ends on every server, and a revoked key too, also where that could not be read at first', async () => {
    const failures = { keys: 0, sessions: 0 };
    const failing =
      <T>(what: keyof typeof failures, read: () => Promise<T>) =>
      () =>
        failures[what]-- > 0 ? Promise.reject(new Error('It broke.')) : read();
    const other = await startHeadcount({
      dataDir: headcount.dataDir,
      now: clock.now,
      wrapStore: (store) => ({
        ...store,
        directory: failing('keys', store.directory),
        admin: { ...store.admin, readSignedIn: failing('sessions', store.admin.readSignedIn) },
      }),
    });
    onTestFinished(() => other.stop());
    const [one, two] = [await openDashboard(headcount), await signIn(headcount.url)];
    const there = dashboardClient(other.url, one.cookie);
    const keysPath = `/v1/admin/projects/${headcount.projectId}/keys`;
    const { id, secret } = await two.must<NewKeyReply>('POST', keysPath, { name: 'mine', scope: 'admin' });
    const ask = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      const path = `/v1/analytics/${headcount.projectId}/visitors`;
      return (await fetch(other.url + path, { headers })).status;
    };
    await expect.poll(async () => [await isSignedIn(there), await ask()]).toEqual([true, 200]);
    failures.keys = failures.sessions = 1;
    await one.must('DELETE', '/v1/admin/session');
    await two.must('DELETE', `${keysPath}/${id}`);
    await expect
      .poll(async () => [await isSignedIn(there), await ask()], { timeout: timeoutAtThisLoad(15_000) })
      .toEqual([false, 401]);
    expect(other.log.filter((line) => line.includes('could not be read again'))).toHaveLength(2);
  });

  test('is known to a server that starts later, with the time of its last use', async () => {
    const dataDir = headcount.dataDir;
    const client = await openDashboard(headcount);
    const cookie = client.cookie;
    clock.advance(20 * dayMs);
    expect(await isSignedIn(client)).toBe(true);
    const second = await startHeadcount({ dataDir, now: clock.now });
    clock.advance(20 * dayMs);
    expect(await isSignedIn(dashboardClient(second.url, cookie))).toBe(true);
    await second.stop();
  });

  test('ends by signing out, and the others do not', async () => {
    const [one, two] = [await openDashboard(headcount), await signIn(headcount.url)];
    const { cookie } = one;
    await one.must('DELETE', '/v1/admin/session');
    expect(one.cookie).toBe('');
    expect(await isSignedIn(dashboardClient(headcount.url, cookie))).toBe(false);
    expect(await isSignedIn(two)).toBe(true);
  });

  test('ends everywhere at once', async () => {
    const clients = [await openDashboard(headcount), await signIn(headcount.url)];
    await clients[0]?.must('DELETE', '/v1/admin/sessions');
    for (const client of clients) expect(await isSignedIn(client)).toBe(false);
  });

  test('stays when the password is changed, and all others end', async () => {
    const [one, two] = [await openDashboard(headcount), await signIn(headcount.url)];
    await one.must('POST', '/v1/admin/password', { current: password, next: 'another password' });
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([true, false]);
    expect((await guess(dashboardClient(headcount.url), password)).status).toBe(401);
    expect(await isSignedIn(await signIn(headcount.url, 'another password'))).toBe(true);
  });

  test('ends within a second when another process changes the password', async () => {
    const client = await openDashboard(headcount);
    const other = await startHeadcount({ dataDir: headcount.dataDir, now: clock.now });
    await other.context.store.admin.resetPassword('$scrypt$ln=15,r=8,p=3$AAAA$AAAA');
    await expect.poll(() => isSignedIn(client), { timeout: timeoutAtThisLoad(2000) }).toBe(false);
    await other.stop();
  });

  test('makes room when there are too many: the one that was used longest ago goes', async () => {
    const first = await openDashboard(headcount);
    const { admin } = headcount.context.store;
    const stored = (await admin.readPassword()) as string;
    for (let i = 1; i <= 100; i++) {
      const at = clock.now() + i;
      await admin.startSession({ hash: `${i}`, createdAt: at, usedAt: at }, stored);
    }
    await headcount.context.sessions.refresh();
    expect(await isSignedIn(first)).toBe(false);
    expect((await headcount.context.store.admin.readSignedIn()).sessions).toHaveLength(100);
  });
});

test('no data without a session, not even to a key of all projects', async () => {
  const id = headcount.projectId;
  const routes = [
    ['GET', '/projects'],
    ['POST', '/projects'],
    ['GET', `/projects/${id}`],
    ['PATCH', `/projects/${id}`],
    ['DELETE', `/projects/${id}`],
    ['GET', `/projects/${id}/install`],
    ['GET', `/projects/${id}/keys`],
    ['POST', `/projects/${id}/keys`],
    ['DELETE', `/projects/${id}/keys/x`],
    ['GET', `/projects/${id}/links`],
    ['POST', `/projects/${id}/links`],
    ['DELETE', `/projects/${id}/links/x`],
    ['POST', '/password'],
    ['DELETE', '/sessions'],
    ['GET', '/nothing'],
  ] as const;
  const headers = { authorization: `Bearer ${headcount.rootKey}` };
  for (const [method, path] of routes) {
    const body = method === 'GET' ? undefined : {};
    const response = await dashboardClient(headcount.url).send(method, `/v1/admin${path}`, { body, headers });
    expect([method, path, response.status]).toEqual([method, path, 401]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await errorOf(response)).toEqual({ error: 'This needs the dashboard: sign in first.' });
  }
});

test('nothing secret is in the data folder or the log', async () => {
  const client = await openDashboard(headcount);
  const setup = await offerSetup(headcount);
  const keysPath = `/v1/admin/projects/${headcount.projectId}/keys`;
  const { secret } = await client.must<NewKeyReply>('POST', keysPath, { name: 'mine', scope: 'admin' });
  await guess(dashboardClient(headcount.url), 'a wrong secret');
  await client.must<KeysReply>('GET', keysPath);
  clock.advance(hourMs);
  const token = client.cookie.split('=')[1] as string;
  const kept = await readKept(headcount);
  const log = headcount.log.join('\n');
  // What must be found if the search is any good.
  expect(kept.holds('$scrypt$ln=4,r=8,p=1$')).toBe(true);
  for (const text of [password, setup, secret, token, 'a wrong secret']) {
    expect(kept.holds(text) || log.includes(text)).toBe(false);
  }
});
