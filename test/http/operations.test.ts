import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessRules } from '../../server/http/access.ts';
import { type Route, scopeFor } from '../../server/http/route.ts';
import { operations } from '../../server/operations.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import { type KeyScope, scopesWith } from '../../shared/accounts/key-scope.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let dashboard: DashboardClient;
let page: LinkReply;
let badge: LinkReply;

beforeAll(async () => {
  // A report of a goal is only of one that there is.
  headcount = await startHeadcount({ betweenLooksMs: 0, project: { goals: ['none'] } });
  dashboard = await openDashboard(headcount);
  const links = `/v1/admin/projects/${headcount.projectId}/links`;
  page = await dashboard.must<LinkReply>('POST', links, { kind: 'page' });
  badge = await dashboard.must<LinkReply>('POST', links, { kind: 'badge' });
});
afterAll(() => headcount.stop());

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Names for what the path leaves open, none of them there but the project. */
function addressOf({ path }: Route): string {
  return path.replace(':projectId', headcount.projectId).replace(/:\w+/g, 'none');
}

const tokenOf = (link: LinkReply) => link.url.split('/').at(-1)?.replace('.svg', '') as string;

/** Of what is there, as far as every project has it. */
function realAddressOf({ path, access }: Route): string {
  const link = access === 'badge_link' ? badge : page;
  return (
    headcount.url +
    path
      .replace(':projectId', headcount.projectId)
      .replace(':token', tokenOf(link))
      .replace(':client', 'GPTBot')
      .replace(':goal', 'none')
      .replace(':instance', headcount.context.instance)
  );
}

const imageQuery = () => `?p=${headcount.projectId}&u=https://example.com/`;
/** Of every operation that has a query at least one of these. */
const againstRules = 'limit=0&format=xml&target=xml&u=';

/** The status without a body, which comes after the question who it is. */
async function statusFor(operation: Route, headers: Record<string, string>): Promise<number> {
  const { method } = operation;
  const response = await fetch(headcount.url + addressOf(operation), { method, headers });
  await response.arrayBuffer();
  return response.status;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const isRefused = (status: number) => status === 401 || status === 403;

test('have a name and an address that no other has', () => {
  for (const values of [operations.map(({ name }) => name), operations.map(nameOf)]) {
    expect(new Set(values).size).toBe(values.length);
  }
});

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    const { keys, session, allProjects } = accessRules[operation.access];
    const needsKeyOrSession = keys || session;
    const identity = () => ({
      ...(keys ? bearer(allProjects ? headcount.rootKey : headcount.adminKey) : { cookie: dashboard.cookie }),
      'sec-fetch-site': 'same-origin',
    });

    test('is answered to whom it is for, and to nobody else', async () => {
      const isOpen = !needsKeyOrSession && !['own_page', 'signed'].includes(operation.access);
      expect(isRefused(await statusFor(operation, {}))).toBe(!isOpen);
      const admin = allProjects ? headcount.rootKey : headcount.adminKey;
      const scopes = { admin, ingest: headcount.ingestKey };
      if (allProjects) expect(isRefused(await statusFor(operation, bearer(headcount.adminKey)))).toBe(true);
      for (const [scope, key] of Object.entries(scopes)) {
        const isFor = isOpen || (keys && scopesWith(scopeFor(operation)).includes(scope as KeyScope));
        expect([scope, isRefused(await statusFor(operation, bearer(key)))]).toEqual([scope, !isFor]);
      }
    });

    test('answers who may do it, where there is nothing to send', async () => {
      if (operation.method !== 'GET' || /:(jobId|keyId|linkId|changeId|automationId)/.test(operation.path))
        return;
      const query = /^hits\.(image|pixel)$/.test(operation.name) ? imageQuery() : '';
      const response = await fetch(realAddressOf(operation) + query, { headers: identity() });
      await response.arrayBuffer();
      expect(Object.keys(operation.answers)).toContain(String(response.status));
    });

    test('refuses a query that is against a rule', async () => {
      if (!operation.query) return;
      const { method } = operation;
      const address = `${realAddressOf(operation)}?${againstRules}`;
      const response = await fetch(address, { method, headers: identity() });
      expect(response.status).toBe(400);
      expect((await errorOf(response)).error).toContain('The query is not valid');
    });

    test('refuses a body that is no object', async () => {
      if (!operation.body || operation.name === 'hits.send') return;
      const headers = { ...identity(), 'content-type': 'application/json' };
      const { method } = operation;
      const response = await fetch(realAddressOf(operation), { method, headers, body: '[]' });
      expect(response.status).toBe(400);
      expect((await errorOf(response)).error).toContain('is not valid');
    });

    test('is not done from the pages of others, whoever is signed in', async () => {
      if (!session || keys || operation.method === 'GET') return;
      const headers = { cookie: dashboard.cookie, 'sec-fetch-site': 'cross-site' };
      const response = await fetch(realAddressOf(operation), { method: operation.method, headers });
      expect(response.status).toBe(403);
      expect((await errorOf(response)).error).toContain('from the pages of the dashboard only');
    });

    test('is not sent again to whoever has it', async () => {
      if (!Object.hasOwn(operation.answers, 304)) return;
      const first = await fetch(realAddressOf(operation));
      await first.arrayBuffer();
      // Of itself fetch would ask for a new answer, as it does not know that it is given a condition.
      const headers = { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
      expect((await fetch(realAddressOf(operation), { headers })).status).toBe(304);
    });

    test('finds nothing where what it is about is not there', async () => {
      // A hit of no project is one that is left out.
      if (!/:(projectId|token)/.test(operation.path) || operation.name === 'hits.image') return;
      const { method, path } = operation;
      const address = headcount.url + path.replace(/:\w+/g, 'none');
      const headers = keys ? bearer(headcount.rootKey) : identity();
      const response = await fetch(address, { method, headers });
      expect(response.status).toBe(404);
      expect((await errorOf(response)).error).toMatch(/^There is no/);
    });

    test('refuses a body that is no JSON or too large, after it has asked who sends it', async () => {
      if (!operation.body || operation.name === 'hits.send') return;
      const send = (headers: Record<string, string>, body: string) =>
        fetch(headcount.url + addressOf(operation), { method: operation.method, headers, body });
      const large = JSON.stringify('x'.repeat(operation.body.maxBytes));
      expect((await send({ ...identity(), 'content-type': 'text/plain' }, '{}')).status).toBe(415);
      expect((await send({ ...identity(), 'content-type': 'application/json' }, large)).status).toBe(413);
      expect(isRefused((await send({ 'content-type': 'text/plain' }, '{}')).status)).toBe(true);
    });
  },
);

test('other methods are refused, with those that are possible', async () => {
  for (const [path, routes] of Map.groupBy(operations, ({ path }) => path)) {
    const [first] = routes as [Route];
    const response = await fetch(headcount.url + addressOf(first), { method: 'PUT' });
    const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, methods.join(', ')]);
    expect((await errorOf(response)).error).toContain('PUT is not possible here');
  }
});
