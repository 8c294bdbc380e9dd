import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { Report } from '../../shared/reports/report.ts';
import { reports as declared } from '../../shared/reports/reports.ts';
import { createClock, dayMs, type TestClock } from '../support/clock.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let clock: TestClock;
let headcount: Headcount;
let client: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-10-20T22:30:00Z');
  const project = { name: 'Docs <&"\u0000\uD83D>', timeZone: 'Europe/Berlin' };
  headcount = await startHeadcount({ now: clock.now, project });
  client = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const links = () => `/v1/admin/projects/${headcount.projectId}/links`;
const addLink = async (kind: 'page' | 'badge') => {
  const link = await client.must<LinkReply>('POST', links(), { kind });
  return { id: link.id, path: new URL(link.url).pathname };
};
const get = (path: string) => fetch(headcount.url + path);
const revoke = (id: string) => client.must('DELETE', `${links()}/${id}`);

describe('a shared page', () => {
  const reports = [
    'visitors',
    'views',
    'sources',
    'countries',
    'devices',
    'browsers',
    'systems',
    'ai-clients',
    'ai-clients/GPTBot/paths',
    'assistant-landings',
    'entry-pages',
    'exit-pages',
    'time-on-page',
    'series',
    'hours',
    'filters',
    'now',
    'visitors?format=csv',
  ];

  test('answers the reports of its project to anybody, but not what was dropped', async () => {
    const other = await headcount.addProject();
    await headcount.hit({ u: 'https://example.com/a' });
    await other.hit({ u: 'https://example.com/foreign' });
    const { path } = await addLink('page');
    const shared = `/v1${path}`;
    expect(await (await get(shared)).json()).toEqual({
      name: headcount.context.registry.project(headcount.projectId)?.settings.name,
      timeZone: 'Europe/Berlin',
      isImported: false,
    });
    for (const report of reports) {
      const response = await get(`${shared}/${report}`);
      expect([report, response.status]).toEqual([report, 200]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const owned = await client.send('GET', `/v1/analytics/${headcount.projectId}/${report}`);
      const text = await response.text();
      expect(text).toBe(await owned.text());
      expect(text).not.toContain('foreign');
    }
    expect((await get(`${shared}/dropped`)).status).toBe(404);
    const changing = await fetch(`${headcount.url}${shared}/visitors`, { method: 'POST' });
    expect(changing.status).toBe(405);
  });

  test('answers filters together as its owner reads them, and no private report with any', async () => {
    const read = (path: string, more: object = {}, agent = chromeUserAgent) =>
      headcount.hit({ u: `https://example.com${path}`, ...more }, { 'user-agent': agent });
    const phone = chromeUserAgent
      .replace('Windows NT 10.0; Win64; x64', 'Linux; Android 15; K')
      .replace(' Safari', ' Mobile Safari');
    await read('/docs/a', { r: 'https://news.example/' });
    await read('/docs/b', { r: 'https://news.example/' }, phone);
    await read('/blog');
    const { path } = await addLink('page');
    const both = 'source=news.example&device=desktop';
    const asked = ['visitors', 'series', 'countries', 'channels'].flatMap((report) => [
      `${report}?${both}`,
      `${report}?path=/docs/**&device=!mobile`,
    ]);
    for (const report of [...asked, 'visitors?path=/docs/**&format=csv']) {
      const shared = await get(`/v1${path}/${report}`);
      const owned = await client.send('GET', `/v1/analytics/${headcount.projectId}/${report}`);
      expect([report, shared.status, await shared.text()]).toEqual([report, 200, await owned.text()]);
    }
    const { totals } = await (await get(`/v1${path}/visitors?${both}`)).json();
    expect(totals).toEqual({ human: 1, ai: 0, total: 1 });
    const isPrivate = Object.entries<Report>(declared).filter(([, report]) => report.isPrivate);
    expect(isPrivate.map(([report]) => report)).toContain('goals');
    for (const [report] of isPrivate) {
      const response = await get(`/v1${path}/${report.replace(/:\w+/, 'x')}?${both}`);
      expect([report, response.status]).toEqual([report, 404]);
    }
  });

  test('is gone as soon as it is revoked, and with its project', async () => {
    const [one, two] = [await addLink('page'), await addLink('page')];
    expect((await get(`/v1${one.path}`)).status).toBe(200);
    await revoke(one.id);
    for (const rest of ['', ...reports.map((report) => `/${report}`)]) {
      expect((await get(`/v1${one.path}${rest}`)).status).toBe(404);
    }
    expect((await get(`/v1${two.path}`)).status).toBe(200);
    const { name } = await client.must<{ name: string }>('GET', `/v1/admin/projects/${headcount.projectId}`);
    await client.must('DELETE', `/v1/admin/projects/${headcount.projectId}`, { name });
    expect((await get(`/v1${two.path}/visitors`)).status).toBe(404);
  });

  test('is nothing that a badge, a project id or an invented token opens', async () => {
    const { path } = await addLink('badge');
    const token = path.slice('/badge/'.length, -'.svg'.length);
    for (const wrong of [token, headcount.projectId, 'x'.repeat(28)]) {
      expect((await get(`/v1/share/${wrong}/visitors`)).status).toBe(404);
    }
  });
});

describe('a badge', () => {
  const ai = { 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.4; +https://openai.com/gptbot)' };

  test('shows the visitors of the last 30 days of the project', async () => {
    await headcount.hit({ u: 'https://example.com/' });
    // In Berlin the day of that hit ends an hour and a half later.
    clock.set('2026-11-19T20:00:00Z');
    await headcount.hit({ u: 'https://example.com/' });
    await headcount.hit({ u: 'https://example.com/' }, ai);
    const { path } = await addLink('badge');
    const titleOf = async () => /<title>(.*)<\/title>/.exec(await (await get(path)).text())?.[1];
    expect(await titleOf()).toContain(', visitors of the last 30 days: 2 people, 1 AI');
    clock.advance(4 * 3_600_000);
    expect(await titleOf()).toContain(', visitors of the last 30 days: 1 person, 1 AI');
    clock.advance(40 * dayMs);
    expect(await titleOf()).toContain(', visitors of the last 30 days: 0 people, 0 AI');
  });

  test('says nothing of AI where only the script reports, and nothing of people where a server left them out', async () => {
    const { path } = await addLink('badge');
    const told = async () => {
      const svg = await (await get(path)).text();
      return [/<title>.*: (.*)<\/title>/.exec(svg)?.[1], svg.match(/<text /g)?.length];
    };
    await headcount.hit({ u: 'https://example.com/' });
    expect(await told()).toEqual(['1 person', 2]);
    clock.advance(40 * dayMs);
    await headcount.hits([{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: ai['user-agent'] }]);
    expect(await told()).toEqual(['1 AI', 2]);
    await headcount.hit({ u: 'https://example.com/' });
    expect(await told()).toEqual(['1 person, 1 AI', 3]);
  });

  test('is an image that holds no markup of the name, and can be kept for five minutes', async () => {
    const { path } = await addLink('badge');
    const response = await get(path);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    const svg = await response.text();
    expect(svg).toContain('<title>Docs &#60;&#38;&#34;');
    expect(svg).not.toMatch(/Docs <|\0/);
  });

  test('is gone as soon as it is revoked', async () => {
    const { id, path } = await addLink('badge');
    expect((await get(path)).status).toBe(200);
    await revoke(id);
    expect((await get(path)).status).toBe(404);
    const page = await addLink('page');
    expect((await get(`/badge/${page.path.slice('/share/'.length)}.svg`)).status).toBe(404);
  });
});
