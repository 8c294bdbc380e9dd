import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config/config.ts';
import { healthRoutes } from '../../server/health/routes.ts';
import { pageRoutes } from '../../server/http/files/pages.ts';
import { trackerRoutes } from '../../server/http/files/tracker-file.ts';
import { operations } from '../../server/operations.ts';
import { createClient } from '../support/client.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

const baseUrl = 'https://example.com/team/stats';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount({ env: { HEADCOUNT_BASE_URL: baseUrl } });
});
afterAll(() => headcount.stop());

const get = (path: string) => fetch(headcount.url + path, { redirect: 'manual' });

describe('a server below a path', () => {
  test.each(['', '/', '/team/stats/', '//'])(
    'answers what a proxy hands on with "%s" in front',
    async (front) => {
      const below = front.replace(/\/$/, '');
      for (const path of [
        '/hc.js',
        '/healthz',
        '/robots.txt',
        '/docs',
        '/help/',
        '/openapi.json',
        '/sign-in',
        '/setup?x=1',
      ]) {
        expect([path, (await get(below + path)).status]).toEqual([path, 200]);
      }
      const hit = await fetch(`${headcount.url}${below}/v1/hit`, {
        method: 'POST',
        body: JSON.stringify({ p: headcount.projectId, u: 'https://www.example.com/page' }),
        headers: { 'content-type': 'text/plain', 'user-agent': chromeUserAgent },
      });
      expect(hit.status).toBe(202);
    },
  );

  test.each(['/team/stats', '/team/stats?range=7d'])('answers the dashboard at %s', async (path) => {
    expect(await (await get(path)).text()).toContain('<div id="app">');
  });

  test.each(['/team/statsx/hc.js', '/team/hc.js', '/stats/hc.js', '/team/stats/team/stats/hc.js'])(
    'has nothing at %s',
    async (path) => expect((await get(path)).status).toBe(404),
  );

  test('names its addresses with the path', async () => {
    const page = await (await get('/')).text();
    expect(page.match(/(?:src|href)="(?!data:)[^"]+"/g)).toEqual(
      Array(2).fill(expect.stringMatching(/="\/team\/stats\/assets\/[^/]+"$/)),
    );
    expect((await (await get('/openapi.json')).json()).servers).toEqual([{ url: '/team/stats' }]);
    expect(await (await get('/docs/')).text()).toContain('href="/team/stats/docs.css"');
    expect(await (await get('/robots.txt')).text()).toContain('\nDisallow: /team/stats/\n');
    const added = await fetch(`${headcount.url}/v1/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${headcount.rootKey}`, 'content-type': 'application/json' },
      body: '{"name":"Docs"}',
    });
    expect(added.headers.get('location')).toMatch(/^\/team\/stats\/v1\/projects\/\w+$/);
  });

  test('answers clients of the API and of MCP that are given the base URL', async () => {
    const server = `${headcount.url}/team/stats`;
    const ask = createClient({ server, key: headcount.adminKey });
    const path = { projectId: headcount.projectId };
    expect(await ask('GET /v1/analytics/{projectId}/now', { path })).toHaveProperty('visitors');
    const called = await fetch(`${server}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${headcount.adminKey}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'list_projects', arguments: {} },
      }),
    });
    expect(called.status).toBe(200);
    expect(await called.text()).toContain(headcount.projectId);
  });

  test('keeps its cookie to the path', async () => {
    const client = await openDashboard(headcount);
    expect(client.cookie).toMatch(/^__Secure-headcount_session=/);
    const ended = await client.send('DELETE', '/v1/admin/session');
    expect(ended.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Secure-headcount_session=; Path=\/team\/stats; Expires=.*; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });
});

describe('a base URL', () => {
  const read = (text: string) => readConfig({ HEADCOUNT_BASE_URL: text }).baseUrl;

  test('has no slash at its end', () => {
    expect(read('https://Example.com')).toBe('https://example.com');
    expect(read('https://example.com/a/')).toBe('https://example.com/a');
    expect(read('http://example.com:8080/a/b-c.d_e~f')).toBe('http://example.com:8080/a/b-c.d_e~f');
  });

  test('is below no address of the server itself', () => {
    const routes = [...operations, ...trackerRoutes, ...healthRoutes, ...pageRoutes('dist/dashboard', '')];
    const names = new Set(routes.map(({ path }) => path.split('/')[1] ?? '').filter((name) => name !== ''));
    expect(names).toContain('mcp');
    for (const name of names)
      expect(() => read(`https://example.com/${name}/x`), name).toThrow('take another path');
  });

  test.each([
    'https://example.com/a//b',
    'https://example.com/a;b',
    'https://example.com/%2F',
    'https://example.com/büro',
  ])('may not be %s', (text) =>
    expect(() => read(text)).toThrow('The path of HEADCOUNT_BASE_URL may have letters, digits'),
  );
});
