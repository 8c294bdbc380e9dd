import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  dashboardClient,
  isSignedIn,
  openDashboard,
  password,
  stateOf,
} from '../../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../../support/headcount.ts';

let headcount: Headcount;

beforeEach(async () => {
  headcount = await startHeadcount();
});
afterEach(() => headcount.stop());

describe('requests of other origins', () => {
  const changes = [
    ['POST', '/v1/admin/session', { password }],
    ['POST', '/v1/admin/setup', { token: 'x', password }],
    ['POST', '/v1/admin/password', { current: password, next: 'another password' }],
    ['DELETE', '/v1/admin/session'],
    ['DELETE', '/v1/admin/sessions'],
    ['POST', '/v1/admin/projects', { name: 'New' }],
  ] as const;
  const foreign: [string, Record<string, string>][] = [
    ['another site', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a sandbox', { origin: 'null' }],
    ['no origin', { origin: '' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['an address line', { 'sec-fetch-site': 'none' }],
  ];

  test.each(foreign)('that change something are refused: %s', async (_name, headers) => {
    const client = await openDashboard(headcount);
    for (const [method, path, body] of changes) {
      const response = await client.send(method, path, { body, headers });
      expect([path, response.status]).toEqual([path, 403]);
    }
    const agent = await client.send('POST', `/v2/agent/${headcount.projectId}/job`, {
      body: { prompt: 'Do something.' },
      headers,
    });
    expect(agent.status).toBe(403);
    expect(await isSignedIn(client)).toBe(true);
    expect((await headcount.context.store.directory()).projects).toHaveLength(1);
  });

  test('are judged by the host that was asked for, and by the base URL', async () => {
    const client = await openDashboard(headcount);
    const port = new URL(headcount.url).port;
    const add = async (headers: Record<string, string>) =>
      (await client.send('POST', '/v1/admin/projects', { body: { name: 'New' }, headers })).status;
    expect(await add({ origin: '', 'sec-fetch-site': 'same-origin' })).toBe(201);
    expect(await add({ origin: `http://127.0.0.1:${port}` })).toBe(201);
    // The base URL of this server; its port was left to the system.
    expect(await add({ origin: 'http://localhost:0' })).toBe(201);
  });
});

describe('the cookie', () => {
  test('reads reports and uses jobs as an admin key of all projects does', async () => {
    const client = await openDashboard(headcount);
    const { projectId } = headcount;
    expect((await client.send('GET', `/v1/analytics/${projectId}/visitors`)).status).toBe(200);
    expect((await client.send('GET', `/v2/agent/${projectId}/jobs`)).status).toBe(200);
    const job = await client.send('POST', `/v2/agent/${projectId}/job`, {
      body: { prompt: 'Do something.' },
    });
    expect([job.status, (await errorOf(job)).error]).toEqual([400, expect.stringContaining('no repository')]);
    expect((await client.send('GET', '/v1/analytics/none/visitors')).status).toBe(404);
  });

  test('does not help a request with a key that is not good for it', async () => {
    const client = await openDashboard(headcount);
    const other = await headcount.addProject();
    const path = `/v1/analytics/${headcount.projectId}/visitors`;
    for (const [key, status] of [
      [other.adminKey, 403],
      [headcount.ingestKey, 403],
      ['hc_admin_unknown', 401],
      [headcount.adminKey, 200],
    ] as const) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await client.send('GET', path, { headers })).status).toBe(status);
    }
  });

  test('sends no hits', async () => {
    const client = await openDashboard(headcount);
    expect((await client.send('POST', '/v1/hits', { body: { hits: [] } })).status).toBe(401);
  });

  test.each(['', 'headcount_session=', 'headcount_session=x', 'other=1; headcount_session', ';;=;'])(
    'means nothing when it is %j',
    async (cookie) => {
      await openDashboard(headcount);
      const client = dashboardClient(headcount.url, cookie);
      expect(await stateOf(client)).toBe('signed-out');
      expect((await client.send('GET', `/v1/analytics/${headcount.projectId}/visitors`)).status).toBe(401);
    },
  );
});
