import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FreshnessReply } from '../../shared/reports/sites.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { offlineProofs } from '../support/proof/offline-proofs.ts';
import { agents } from '../support/sites/counted-site.ts';
import { type PublicSite, startPublicSite } from '../support/sites/public-site.ts';

const sitemap = (pages: readonly (readonly [string, string?])[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
${pages.map(([loc, lastmod]) => `<url><image:image><image:loc>https://docs.example.com/no.png</image:loc></image:image><loc> ${loc} </loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`).join('\n')}
</urlset>`;

const index = (...addresses: string[]) =>
  `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses
    .map((address) => `<sitemap><loc><![CDATA[${address}]]></loc></sitemap>`)
    .join('')}</sitemapindex>`;

const clock = createClock('2026-11-10T10:00:00Z');
let site: PublicSite;
let headcount: Headcount;

const options = (more: object = {}) => ({
  now: clock.now,
  env: { HEADCOUNT_OFFLINE: '0' },
  siteOptions: { get: site.get, everyMs: 10 },
  // Only the site is asked.
  proofs: offlineProofs(clock.now),
  ...more,
});
const read = (query = '') =>
  headcount.get<FreshnessReply>(`/v1/analytics/${headcount.projectId}/freshness${query}`);
const send = async (path: string, agent: keyof typeof agents) => {
  const hit = { url: `https://docs.example.com${path}`, ip: '198.51.100.1', userAgent: agents[agent] };
  expect(await (await headcount.hits([hit])).json()).toMatchObject({ dropped: [] });
};
const whenPages = (count: number | null) => expect.poll(async () => (await read()).site?.pages).toBe(count);

beforeAll(async () => {
  site = await startPublicSite();
  site.answers['/robots.txt'] =
    'User-agent: *\nDisallow: /private\nSitemap: http://docs.example.com/index.xml\nSitemap: /list.txt\n';
  site.answers['/index.xml'] = index(
    'https://docs.example.com/pages.xml.gz',
    'https://docs.example.com/broken.xml',
    'https://docs.example.com/index.xml',
  );
  site.answers['/pages.xml.gz'] = gzipSync(
    sitemap([
      ['https://docs.example.com/guide/', '2026-11-08'],
      ['https://docs.example.com/caf%c3%a9', '2026-11-09T23:30:00Z'],
      ['https://docs.example.com/old', '2026-10'],
      ['https://docs.example.com/old.md', '2026-11-01T08:00:00+00:00'],
      ['https://docs.example.com/a&amp;b'],
      ['https://docs.example.com/admin/secret', '2026-11-10'],
      ['https://elsewhere.example/x', '2026-11-10'],
      ['not an address', '2026-11-10'],
    ]),
  );
  site.answers['/list.txt'] = 'https://docs.example.com/plain\nhttps://docs.example.com/guide\n';
  site.answers['/broken.xml'] = '<urlset><url><loc>https://docs.example.com/half</loc>';
  headcount = await startHeadcount(
    options({
      project: { siteHost: site.host, timeZone: 'Asia/Tokyo', excludedPaths: ['/admin/**'] },
    }),
  );
});
afterAll(async () => {
  await headcount.stop();
  await site.close();
});

const row = (path: string, lastmod: string | null, rest: Partial<FreshnessReply['pages'][number]> = {}) => ({
  path,
  lastmod,
  client: null,
  firstRead: null,
  lastRead: null,
  readSince: null,
  daysUntilRead: null,
  daysSinceRead: null,
  ...rest,
});

test('pages come from all sitemaps that robots.txt names, as they are counted, the latest change first', async () => {
  await expect.poll(async () => (await read()).site?.trouble).not.toBeNull();
  const { pages, hasMore, site: told } = await read();
  expect(pages).toEqual([
    row('/caf%C3%A9', '2026-11-10'),
    row('/guide', '2026-11-08'),
    row('/old', '2026-11-01'),
    row('/a&b', null),
    row('/plain', null),
  ]);
  expect(hasMore).toBe(false);
  expect(told).toMatchObject({ host: site.host, robots: 'found', pages: 5 });
  expect(told?.trouble).toContain('https://docs.example.com/broken.xml: ');
  expect(site.asked).toEqual(['/robots.txt', '/index.xml', '/list.txt', '/pages.xml.gz', '/broken.xml']);
});

test('each page tells when AI clients read it, before and after its change', async () => {
  await send('/guide', 'GPTBot');
  await send('/old', 'human');
  clock.advance(3 * dayMs);
  await send('/guide.md', 'ClaudeBot');
  await send('/caf%C3%A9', 'ClaudeBot');
  clock.advance(2 * dayMs);
  await send('/guide', 'GPTBot');
  const byPath = async (query = '') => {
    const { pages } = await read(query);
    return Object.fromEntries(pages.map((page) => [`${page.client ?? 'any'} ${page.path}`, page]));
  };
  const any = await byPath();
  expect(any['any /guide']).toEqual(
    row('/guide', '2026-11-08', {
      ...{ firstRead: '2026-11-10', lastRead: '2026-11-15', readSince: '2026-11-10' },
      ...{ daysUntilRead: 2, daysSinceRead: 0 },
    }),
  );
  expect(any['any /old']).toEqual(row('/old', '2026-11-01'));
  const claude = await byPath('?client=ClaudeBot');
  expect(claude['ClaudeBot /caf%C3%A9']).toMatchObject({
    firstRead: '2026-11-13',
    daysUntilRead: 3,
    daysSinceRead: 2,
  });
  const each = await byPath('?client=*');
  expect(Object.keys(each)).toHaveLength(10);
  expect(each['GPTBot /caf%C3%A9']).toEqual(row('/caf%C3%A9', '2026-11-10', { client: 'GPTBot' }));
  expect(each['GPTBot /guide']).toMatchObject({ firstRead: '2026-11-10', lastRead: '2026-11-15' });
  expect(await byPath('?client=nobody')).toMatchObject({ 'nobody /guide': { firstRead: null } });
});

test('pages are searched, paged, and left to those that nobody read', async () => {
  const paths = async (query: string) => {
    const { pages, hasMore } = await read(query);
    return [...pages.map(({ path }) => path), hasMore];
  };
  expect(await paths('?search=caf%C3%A9')).toEqual(['/caf%C3%A9', false]);
  expect(await paths('?limit=2&offset=1')).toEqual(['/guide', '/old', true]);
  expect(await paths('?client=*&limit=3&offset=8')).toEqual(['/plain', '/plain', false]);
  expect(await paths('?offset=100')).toEqual([false]);
  expect(await paths('?unreadFor=1')).toEqual(['/caf%C3%A9', '/old', '/a&b', '/plain', false]);
  expect(await paths('?unreadFor=3')).toEqual(['/old', '/a&b', '/plain', false]);
  expect(await paths('?unreadFor=2&client=ClaudeBot&limit=1')).toEqual(['/caf%C3%A9', true]);
});

test.each(['/guide', '/gu*', '/**'])('%s limits the pages', async (path) => {
  const { get, projectId } = headcount;
  const read = async (query: string) =>
    (
      await get<{ pages: { path: string }[] }>(
        `/v1/analytics/${projectId}/freshness?client=*&limit=250${query}`,
      )
    ).pages;
  const all = await read('');
  const wanted = path === '/**' ? all : all.filter((page) => page.path.startsWith('/gu'));
  expect(wanted.length).toBeGreaterThan(0);
  expect(await read(`&path=${path}`)).toEqual(wanted);
});

test('all rows come as a file', async () => {
  const response = await fetch(
    `${headcount.url}/v1/analytics/${headcount.projectId}/freshness?format=csv&client=*`,
    { headers: { authorization: `Bearer ${headcount.adminKey}` } },
  );
  expect(response.headers.get('content-disposition')).toContain('_freshness_');
  const lines = (await response.text()).trim().split('\r\n');
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe(
    '"path","lastmod","client","firstRead","lastRead","readSince","daysUntilRead","daysSinceRead"',
  );
  expect(lines).toContain('"/guide","2026-11-08","GPTBot","2026-11-10","2026-11-15","2026-11-10",2,0');
});

test.each([
  ['?unreadFor=0', 'unreadFor'],
  ['?unreadFor=3&client=*', 'unreadFor'],
  ['?client=', 'client'],
  ['?limit=251', 'limit'],
])('%s is refused', async (query, path) => {
  const url = `${headcount.url}/v1/analytics/${headcount.projectId}/freshness${query}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${headcount.adminKey}` } });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).details?.[0]?.path).toBe(path);
});

test('a page that was renamed is found by any of its names', async () => {
  const renames = `${headcount.url}/v1/analytics/${headcount.projectId}/renames`;
  const headers = { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' };
  const renamed = JSON.stringify({ from: '/old', to: '/moved' });
  expect((await fetch(renames, { method: 'POST', headers, body: renamed })).status).toBe(201);
  await send('/old', 'GPTBot');
  const { pages } = await read('?path=/old');
  expect(pages).toMatchObject([{ path: '/moved', lastRead: '2026-11-15', readSince: '2026-11-15' }]);
  for (const path of ['/moved', '/old*', '/moved*'])
    expect((await read(`?path=${path}`)).pages).toEqual(pages);
  expect((await read('?unreadFor=1')).pages.map(({ path }) => path)).not.toContain('/moved');
  expect((await fetch(`${renames}?from=/old`, { method: 'DELETE', headers })).status).toBe(200);
});

describe('the site', () => {
  test('is asked once a day, and after a failure after six hours; what is known stays', async () => {
    site.asked.length = 0;
    const failing = (_: unknown, response: { writeHead(status: number): { end(): void } }) => {
      response.writeHead(503).end();
    };
    Object.assign(site.answers, { '/robots.txt': failing, '/index.xml': failing, '/list.txt': failing });
    clock.advance(7 * hourMs);
    await expect.poll(() => site.asked).toContain('/list.txt');
    await expect.poll(async () => (await read()).site?.trouble ?? '').toContain('the site failed');
    expect((await read()).site).toMatchObject({ robots: 'found', pages: 5 });
    delete site.answers['/robots.txt'];
    site.answers['/sitemap.xml'] = sitemap([['https://docs.example.com/new', '2026-11-12']]);
    clock.advance(7 * hourMs);
    await whenPages(1);
    expect((await read()).site).toMatchObject({ robots: 'missing', trouble: null });
  });

  test('is known after a start without being asked, and not asked by a server that is offline', async () => {
    const { dataDir } = headcount;
    const second = await startHeadcount(options({ dataDir, project: { siteHost: site.host } }));
    await expect.poll(() => site.asked.filter((path) => path === '/sitemap.xml')).toHaveLength(2);
    const path = `/v1/analytics/${second.projectId}/freshness`;
    // What was asked for is not kept at once. Of robots.txt this node need not know yet what the first one may have read.
    await expect.poll(() => second.get<FreshnessReply>(path)).toMatchObject({ site: { pages: 1 } });
    site.asked.length = 0;
    await second.stop();
    const third = await startHeadcount(options({ dataDir, env: { HEADCOUNT_OFFLINE: '1' } }));
    const reply = await fetch(third.url + path, { headers: { authorization: `Bearer ${second.adminKey}` } });
    expect(await reply.json()).toMatchObject({ site: { pages: 1, robots: 'missing' } });
    const fresh = await third.get<FreshnessReply>(`/v1/analytics/${third.projectId}/freshness`);
    expect(fresh).toMatchObject({ site: null, pages: [], hasMore: false });
    expect(site.asked).toEqual([]);
    await third.stop();
  });
});
