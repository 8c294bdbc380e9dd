import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { nameCapLog } from '../../server/ingest/name-cap-log.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { createClock, dayMs } from '../support/clock.ts';
import {
  chromeUserAgent,
  type Headcount,
  type HeadcountOptions,
  projectClient,
  startHeadcount,
} from '../support/headcount.ts';
import { combined, startImport } from '../support/import/import-run.ts';

let headcount: Headcount;

const clock = createClock('2026-11-22T12:00:00Z');
const start = async (options: HeadcountOptions = {}) => {
  headcount = await startHeadcount({ now: clock.now, ...options });
};
afterEach(() => headcount.stop());

interface Flood {
  from?: number;
  hits: number;
  /** Of the nth hit. */
  ip: (n: number) => string;
  userAgent?: string;
}

/** Made-up pages from made-up sites, in batches as a site's server sends them. */
async function flood({ from = 0, hits, ip, userAgent = chromeUserAgent }: Flood): Promise<void> {
  for (let first = from; first < from + hits; first += 1000) {
    const batch = Array.from({ length: Math.min(1000, from + hits - first) }, (_, i) => ({
      url: `https://example.com/made-up/${first + i}`,
      referrer: `https://s${first + i}.example/`,
      ip: ip(first + i),
      userAgent,
    }));
    expect(await (await headcount.hits(batch)).json()).toMatchObject({ accepted: batch.length });
  }
}

/** New pages and sources, each read by another visitor from another network; answers those that have a name. */
async function readNewPages(): Promise<{ pages: string[]; sources: string[] }> {
  for (let i = 0; i < 20; i++) {
    await headcount.hit(
      { u: `https://example.com/new-${i}`, r: `https://new-${i}.example/` },
      { 'x-forwarded-for': `198.51.${i}.1` },
    );
  }
  const base = `/v1/analytics/${headcount.projectId}`;
  const { sources } = await headcount.get<{ sources: { source: string }[] }>(
    `${base}/sources?search=new-&limit=50`,
  );
  const pages = Object.keys(await headcount.views({ search: '/new-' }));
  return { pages, sources: sources.map(({ source }) => source) };
}

const named = async (prefix: string) =>
  Object.keys(await headcount.views()).filter((path) => path.startsWith(prefix)).length;

const readCaps = () =>
  headcount
    .get<{ cardinalityLimits: object[] }>(`/v1/analytics/${headcount.projectId}/cardinality-limits`)
    .then(({ cardinalityLimits }) => cardinalityLimits);

describe('who makes up 15,000 pages and sources takes a fifth of the day’s new names', () => {
  test('and leaves the rest to all others, also after a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headcount-names-'));
    await start({ dataDir });
    await flood({ hits: 15_000, ip: () => '203.0.113.7' });
    expect(await named('/made-up/')).toBe(2_000);
    const { pages, sources } = await readNewPages();
    expect([pages.length, sources.length]).toEqual([20, 20]);

    const { projectId, adminKey, ingestKey, snippet } = headcount;
    await headcount.stop();
    await start({ dataDir });
    Object.assign(headcount, projectClient(headcount.url, { projectId, adminKey, ingestKey, snippet }));
    await flood({ from: 15_000, hits: 1000, ip: () => '203.0.113.7' });
    expect({ cardinalityLimits: await readCaps(), hasMore: false }).toEqual({
      cardinalityLimits: [
        { names: 'path', cap: 'visitor', kind: 'human', client: null, views: 14_000 },
        { names: 'source', cap: 'visitor', kind: 'human', client: null, views: 14_000 },
        { names: 'sourcePath', cap: 'visitor', kind: 'human', client: null, views: 14_000 },
        { names: 'countryPath', cap: 'visitor', kind: 'human', client: null, views: 14_000 },
      ],
      hasMore: false,
    });
    await rm(dataDir, { recursive: true, force: true });
  });

  test('whatever user agent it has, and in a batch with others', async () => {
    await start();
    for (let i = 0; i < 8; i++) {
      const userAgent = chromeUserAgent.replace('142', String(130 + i));
      await flood({ from: i * 1000, hits: 1000, ip: (n) => `203.0.113.${n % 250}`, userAgent });
    }
    expect(await named('/made-up/')).toBe(2_000);
    expect(await readCaps()).toMatchObject([
      { names: 'path', cap: 'network', views: 6_000 },
      { names: 'source' },
      { names: 'sourcePath' },
      { names: 'countryPath' },
    ]);
    const hit = (ip: string) => ({ url: 'https://example.com/both', ip, userAgent: chromeUserAgent });
    await headcount.hits([hit('203.0.113.7'), hit('198.51.100.7'), hit('203.0.113.7')]);
    // The first view came too early for the name, which the second brought in.
    expect((await headcount.views({ search: '/both' }))['/both']).toEqual({ human: 2, ai: 0, total: 2 });
  });

  test('also where others bring in theirs before and between', async () => {
    await start();
    const networks = [0, 1, 2].map((n) => () => `203.0.${n}.7`);
    for (const [i, ip] of [...networks, ...networks].entries())
      await flood({ from: i * 1500, hits: 1500, ip });
    expect(await named('/made-up/')).toBe(6_000);
    expect(await readCaps()).toMatchObject([
      { names: 'path', cap: 'visitor', views: 3_000 },
      { names: 'source' },
      { names: 'sourcePath' },
      { names: 'countryPath' },
    ]);
  });

  test('from all of an IPv6 /48', async () => {
    await start();
    await flood({ hits: 5_000, ip: (n) => `2001:db8:1:${(n % 5_000).toString(16)}::1` });
    expect(await named('/made-up/')).toBe(2_000);
    await flood({ from: 5_000, hits: 1_000, ip: () => '2001:db8:2::1' });
    expect(await named('/made-up/')).toBe(3_000);
  });

  test('while pages that the project knows count by their names', async () => {
    await start();
    await headcount.hit({ u: 'https://example.com/known' }, { 'x-forwarded-for': '198.51.100.1' });
    await flood({ hits: 3_000, ip: () => '203.0.113.7' });
    await headcount.hit({ u: 'https://example.com/known' }, { 'x-forwarded-for': '203.0.113.7' });
    await headcount.hit({ u: 'https://example.com/unknown' }, { 'x-forwarded-for': '203.0.113.7' });
    const views = await headcount.views();
    expect(views['/known']).toEqual({ human: 2, ai: 0, total: 2 });
    expect(views['(other)']).toEqual({ human: 1_001, ai: 0, total: 1_001 });
    clock.advance(dayMs);
    await headcount.hit({ u: 'https://example.com/unknown' }, { 'x-forwarded-for': '203.0.113.7' });
    expect((await headcount.views({ search: 'unknown' }))['/unknown']).toEqual({ human: 1, ai: 0, total: 1 });
  });
});

test('lines of a log go through the same rule', async () => {
  const run = await startImport();
  headcount = run.headcount;
  const line = (path: string, ip: string) => combined({ at: '2026-01-02T03:04:05Z', path, ip });
  const lines = Array.from({ length: 3_000 }, (_, i) => line(`/made-up/${i}`, '203.0.113.7'));
  await run.import([await run.write('access.log', [...lines, line('/new', '198.51.100.1')].join(''))]);
  expect(await named('/made-up/')).toBe(2_000);
  expect(await named('/new')).toBe(1);
  expect(await readCaps()).toEqual([
    { names: 'path', cap: 'visitor', kind: 'human', client: null, views: 1_000 },
    { names: 'sourcePath', cap: 'visitor', kind: 'human', client: null, views: 1_000 },
    { names: 'countryPath', cap: 'visitor', kind: 'human', client: null, views: 1_000 },
  ]);
});

test('the log says once a day and project who went too far, and never an address', async () => {
  await start();
  const userAgent = 'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)';
  await flood({ hits: 3_000, ip: () => '203.0.113.7', userAgent });
  const caps = nameCapLog(headcount.context);
  await caps.check();
  await flood({ from: 3_000, hits: 1_000, ip: () => '203.0.113.7', userAgent });
  await caps.check();
  const told = headcount.log.filter((line) => line.includes('new names'));
  expect(told).toEqual([expect.stringContaining(`Project ${headcount.projectId} `)]);
  expect(told[0]).toContain('path (PerplexityBot: one visitor)');
  expect(told[0]).not.toContain('203.0');
});

test('who brought in names is forgotten with the visitors of the day', async () => {
  await start();
  await flood({ hits: 10, ip: () => '203.0.113.7' });
  const db = new Database(join(headcount.dataDir, 'headcount.db'), { readonly: true });
  const takers = db.prepare<[], number>('select count(*) from name_takers').pluck();
  expect(takers.get()).toBeGreaterThan(3);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  expect(takers.get()).toBe(0);
  db.close();
});
