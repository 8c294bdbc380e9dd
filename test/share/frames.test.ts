import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import { startBrowser } from '../support/browser.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { type Site, startSite } from '../support/sites/site.ts';

let headcount: Headcount;
let client: DashboardClient;
let browser: Browser;
let site: Site;
let path: string;

const admin = () => `/v1/admin/projects/${headcount.projectId}`;
const allow = (...embedOrigins: string[]) => client.must('PATCH', admin(), { settings: { embedOrigins } });
const headersOf = async (of: string) =>
  Object.fromEntries((await fetch(headcount.url + of)).headers) as Record<string, string>;
const ancestorsOf = async (of: string) =>
  /frame-ancestors ([^;]*)/.exec((await headersOf(of))['content-security-policy'] ?? '')?.[1];

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount({ project: { name: 'Docs' } }), startBrowser()]);
  client = await openDashboard(headcount);
  const { url } = await client.must<LinkReply>('POST', `${admin()}/links`, { kind: 'page' });
  path = new URL(url).pathname;
  site = await startSite({
    '/': {
      body: `<!doctype html><title>Site</title><iframe src="${headcount.url}${path}" width="900" height="700"></iframe>`,
      headers: { 'content-type': 'text/html' },
    },
  });
});
afterAll(async () => {
  await browser.close();
  await site.stop();
  await headcount.stop();
});

test('nobody frames a shared page, until its project names the origins that may', async () => {
  expect(await ancestorsOf(path)).toBe("'none'");
  await allow('https://www.example.com', 'http://localhost:8080');
  expect(await ancestorsOf(path)).toBe('https://www.example.com http://localhost:8080');
  expect(await headersOf(path)).toMatchObject({ 'cross-origin-resource-policy': 'cross-origin' });
  expect(await headersOf(path)).not.toHaveProperty('x-frame-options');
  for (const other of ['/', '/sign-in', `/p/${headcount.projectId}`, '/share/none']) {
    expect([other, await ancestorsOf(other)]).toEqual([other, "'none'"]);
    expect(await headersOf(other)).toMatchObject({ 'x-frame-options': 'DENY' });
  }
  await allow();
  expect(await ancestorsOf(path)).toBe("'none'");
});

test.each([
  ['HTTPS://WWW.Example.com/', 'https://www.example.com'],
  ['https://b\u00fccher.example', 'https://xn--bcher-kva.example'],
  ['https://www.example.com:443', 'https://www.example.com'],
  ['http://www.example.com:80/', 'http://www.example.com'],
  [' https://www.example.com:8443 ', 'https://www.example.com:8443'],
  ['https://[2001:DB8:0::1]:8443', 'https://[2001:db8::1]:8443'],
])('an origin is stored as browsers write it: %s', async (written, stored) => {
  await allow(written);
  expect(await ancestorsOf(path)).toBe(stored);
  await allow();
});

test('what is no origin is refused, so that nothing else gets into the header', async () => {
  for (const wrong of [
    'www.example.com',
    'https://www.example.com/path',
    'https://a.example; script-src *',
    "https://a.example 'self'",
    'javascript:alert(1)',
    'data:text/html,x',
    '*',
    ...[
      'https://*',
      'http://*',
      'https://*.a.test',
      'https://*.test',
      'https://a.*',
      'https://*:8443',
      'https:',
    ],
    ...[
      'https://a.test;',
      'https://a.test,b.test',
      "https://a'b.test",
      'https://a(b).test',
      'https://a.test#x',
    ],
    ...['https://ada@a.test', 'https://ada:secret@a.test', 'https://a.test?x', 'https://a.test:65536'],
    ...['https://a.test:0x1f', 'https://a.test:', 'https://[::1', 'https://a.test//', 'https://a%2etest'],
    ...['null', 'about:blank', 'file:///etc/passwd', 'ws://a.test', 'blob:https://a.test/1'],
    ...[
      'https://a.test https://b.test',
      'https://a.te\u2028st',
      'https://a.te\u202est',
      'https://a\u0000.test',
    ],
    "'self'",
    '',
  ]) {
    const body = { settings: { embedOrigins: [wrong] } };
    const refused = await client.send('PATCH', admin(), { body });
    expect([wrong, refused.status]).toEqual([wrong, 400]);
    expect((await errorOf(refused)).error).toContain('must be an origin such as https://www.example.com');
  }
  expect(await ancestorsOf(path)).toBe("'none'");
});

test('a browser shows it in the frame of such a site, and in no other', async () => {
  const page = await browser.newPage();
  const frame = page.frameLocator('iframe');
  await page.goto(site.url);
  await expect.poll(() => page.frames()[1]?.url()).toContain('chrome-error:');
  await allow(site.url);
  // What the browser keeps of the page is told the new origins by a 304.
  await page.reload();
  await frame.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  await frame.getByRole('region', { name: 'Pages' }).waitFor();
  await allow('https://www.example.com');
  await page.reload();
  await expect.poll(() => page.frames()[1]?.url()).toContain('chrome-error:');
});
