import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { gptBot } from '../support/browsers.ts';
import { startHeadcount } from '../support/headcount.ts';
import { atThisLoad } from '../support/machine/load.ts';
import { connectFetch, startConnectedSite, startLossyProxy } from '../support/packages/connect.ts';
import { html, key, pathsOf, receiver, reporter } from '../support/packages/connect-reporter.ts';

const page = { '/': { body: '<p>Text' } };

describe('reports gather', () => {
  test('for a second', async () => {
    const { url, batches } = await receiver();
    const { report } = reporter(url);
    const startedAt = performance.now();
    for (let i = 0; i < 99; i++) report(`/${i}`);
    await expect.poll(() => batches.length, { interval: 10 }).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(pathsOf(batches)).toHaveLength(99);
    expect(batches[0]?.people).toBe('skip');
  });

  test('or until there are a hundred', async () => {
    const { url, batches } = await receiver();
    const { report, flush } = reporter(url);
    // The second for which they gather does not pass.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let i = 0; i < 250; i++) report(`/${i}`);
    await expect.poll(() => batches.length, { interval: 5 }).toBe(2);
    await flush();
    expect(batches.map(({ hits }) => hits.length)).toEqual([100, 100, 50]);
    expect(pathsOf(batches)).toEqual(Array.from({ length: 250 }, (_, i) => `/${i}`));
  });

  test('for a worker that is kept alive until its own have left', async () => {
    const { url, batches } = await receiver();
    const { report } = reporter(url);
    const promises: Promise<unknown>[] = [];
    const context = {
      promises,
      waitUntil(promise: Promise<unknown>) {
        this.promises.push(promise);
      },
    };
    for (let i = 0; i < 102; i++) report(`/${i}`, {}, context);
    expect(promises).toHaveLength(102);
    await promises[99];
    expect(pathsOf(batches)).toContain('/99');
    await Promise.all(promises);
    expect(pathsOf(batches)).toEqual(Array.from({ length: 102 }, (_, i) => `/${i}`));
  });

  test('also for a worker while Headcount is away for a moment', async () => {
    let answer = 503;
    const { url, batches } = await receiver(() => answer);
    const { report } = reporter(url);
    const settled = new Promise((resolve) => {
      report('/', {}, { waitUntil: (promise) => resolve(promise) });
    });
    await expect.poll(() => batches.length, { interval: 10 }).toBe(1);
    answer = 202;
    await settled;
    expect(pathsOf(batches)).toEqual(['/', '/']);
  });

  test('and until Headcount has taken them, however long that takes', async () => {
    let isTaken = false;
    const { url } = await receiver(async (batch) => {
      if (batch === 1) return 503;
      await pause(1500);
      isTaken = true;
      return 202;
    });
    const { report } = reporter(url);
    await new Promise((resolve) => {
      report('/', {}, { waitUntil: (promise) => resolve(promise) });
    });
    expect(isTaken).toBe(true);
  });
});

describe('while Headcount is away', () => {
  test('visits are kept, and counted once it is back', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headcount-connect-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const now = Date.now();
    const first = await startHeadcount({ dataDir, now: () => now });
    const port = new URL(first.url).port;
    const site = await startConnectedSite('express', page, { server: first.url, key: first.ingestKey });
    onTestFinished(() => site.stop());
    const visit = async (times: number) => {
      const headers = { 'user-agent': gptBot };
      for (let i = 0; i < times; i++) expect((await fetch(`${site.url}/`, { headers })).status).toBe(200);
    };
    await visit(3);
    await site.flush();
    expect(await first.views()).toEqual({ '/': { human: 0, ai: 3, total: 3 } });
    await visit(2);
    await first.stop();
    await visit(120);
    await expect.poll(() => site.log).toHaveLength(1);
    expect(site.log[0]).toMatch(/^Headcount is unavailable, views wait: .*ECONNREFUSED/);

    const second = await startHeadcount({ dataDir, now: () => now, env: { HEADCOUNT_PORT: port } });
    onTestFinished(() => second.stop());
    await visit(1);
    const count = async () => {
      const response = await fetch(`${second.url}/v1/analytics/${first.projectId}/views`, {
        headers: { authorization: `Bearer ${first.adminKey}` },
      });
      return ((await response.json()) as { totals: unknown }).totals;
    };
    await expect.poll(count).toEqual({ human: 0, ai: 126, total: 126 });
    expect(site.log.slice(1)).toEqual(['Headcount is available again, views lost: 0']);
  });

  test('a batch whose answer was lost is sent again as it is, and counts once', async () => {
    const headcount = await startHeadcount();
    onTestFinished(() => headcount.stop());
    let isLost = true;
    const proxy = await startLossyProxy(headcount.url, () => isLost);
    onTestFinished(() => proxy.stop());
    const { report, flush, log } = reporter(proxy.url, { key: headcount.ingestKey, countPeople: true });
    const reportAll = (...paths: string[]) => {
      for (const path of paths) report(path, { 'user-agent': gptBot });
    };
    const counted = async () => Object.entries(await headcount.views()).map(([path, { ai }]) => [path, ai]);
    reportAll('/a', '/a', '/b');
    await flush();
    expect(await counted()).toEqual([
      ['/a', 2],
      ['/b', 1],
    ]);
    reportAll('/b', '/c');
    await flush();
    isLost = false;
    await flush();
    expect(await counted()).toEqual([
      ['/a', 2],
      ['/b', 2],
      ['/c', 1],
    ]);
    expect(log).toEqual([
      expect.stringMatching(/^Headcount is unavailable, views wait: /),
      'Headcount is available again, views lost: 0',
    ]);
  });

  test('each batch has a key of its own, and keeps it with its hits', async () => {
    let answer = 503;
    const { url, batches, keys } = await receiver(() => answer);
    const { report, flush } = reporter(url);
    report('/a');
    await flush();
    report('/b');
    await flush();
    answer = 202;
    await flush();
    expect(batches.map((batch) => pathsOf([batch]))).toEqual([['/a'], ['/a'], ['/a'], ['/b']]);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^[\d.e-]{14,}$/);
  });

  test('the oldest are dropped once some megabytes wait, and it is said how many', async () => {
    let answer = 503;
    const { url, batches } = await receiver(() => answer);
    const { report, flush, log } = reporter(url);
    const sent = 12_000;
    for (let i = 0; i < sent; i++) report(`/${i}`, { referer: `https://example.com/${'x'.repeat(1000)}` });
    await flush();
    answer = 202;
    batches.length = 0;
    await flush();
    await expect
      .poll(async () => {
        await flush();
        return pathsOf(batches).at(-1);
      })
      .toBe(`/${sent - 1}`);
    const kept = pathsOf(batches);
    expect(new Set(kept).size).toBe(kept.length);
    // The first batch was on its way; of what waited, the newest are there.
    expect(kept.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => `/${i}`));
    expect(kept[100]).toBe(`/${sent - kept.length + 100}`);
    const length = batches.reduce((sum, { hits }) => sum + JSON.stringify(hits).length, 0);
    expect(length).toBeGreaterThan(7_900_000);
    expect(length).toBeLessThan(8_100_000);
    expect(log).toEqual([
      'Headcount is unavailable, views wait: 503 {"error":"Try again later."}',
      `Headcount is available again, views lost: ${sent - kept.length}`,
    ]);
  });

  test('it is asked again after pauses that grow', async () => {
    const times: number[] = [];
    const { url } = await receiver(() => {
      times.push(performance.now());
      return 500;
    });
    const { report } = reporter(url);
    for (let i = 0; i < 100; i++) report(`/${i}`);
    await expect.poll(() => times.length).toBeGreaterThanOrEqual(3);
    const [first = 0, second = 0, third = 0] = times;
    // 0.75 to 1 s after the first answer, and 1.5 to 2 s after that.
    expect(second - first).toBeGreaterThan(740);
    expect(third - second).toBeGreaterThan(1_490);
  });
});

describe('a site is not harmed', () => {
  test.each([
    ['never answers', () => 'never' as const],
    ['always fails', () => 500],
    ['redirects', () => 302],
  ])('by a Headcount that %s', async (_, answer) => {
    const { url } = await receiver(answer);
    const site = await startConnectedSite('node:http', page, { server: url, key });
    onTestFinished(() => site.stop());
    const headers = { 'user-agent': gptBot };
    await fetch(`${site.url}/`, { headers });
    const startedAt = performance.now();
    for (let i = 0; i < 250; i++)
      expect(await (await fetch(`${site.url}/`, { headers })).text()).toBe('<p>Text');
    expect(performance.now() - startedAt).toBeLessThan(atThisLoad(5_000));
  });

  test('by a filter that throws, which is said once', async () => {
    const { url, batches } = await receiver();
    const log: string[] = [];
    const { report, flush } = connectFetch({
      server: url,
      key,
      log: (message) => log.push(message),
      filter: (request) => {
        if (request.url.endsWith('/kept')) return true;
        throw new Error('This filter is broken.');
      },
    });
    for (const path of ['a', 'b', 'kept']) {
      report(new Request(`https://example.com/${path}`), html(), { address: '198.51.100.1' });
    }
    await flush();
    expect(pathsOf(batches)).toEqual(['/kept']);
    expect(log).toEqual(['Headcount cannot report a view: Error: This filter is broken.']);
  });

  test('by visitors without an address, which is said once', async () => {
    const { report, log } = reporter('http://127.0.0.1:9');
    report('/', {}, { address: undefined });
    report('/', {}, { address: undefined });
    expect(log).toEqual(['Headcount cannot report a view: Error: no IP address, set addressHeader']);
  });

  test('a log that throws breaks nothing, when the server is away and when a filter is broken', async () => {
    const told: string[] = [];
    const log = (message: string) => {
      told.push(message);
      throw new Error('The disk of the log is full.');
    };
    const broken = () => {
      throw new Error('This filter is broken.');
    };
    const { report } = connectFetch({ server: 'http://127.0.0.1:9', key, log, filter: broken });
    report(new Request('https://example.com/'), html(), { address: '198.51.100.1' });
    const away = reporter('http://127.0.0.1:9', { log });
    away.report('/');
    await away.flush();
    expect(told).toEqual([
      'Headcount cannot report a view: Error: This filter is broken.',
      expect.stringMatching(/^Headcount is unavailable, views wait: /),
    ]);
  });
});
