import { afterEach, describe, expect, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import type { Store } from '../../server/store/store.ts';
import type { TimeReply } from '../../shared/reports/analytics.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

/** A store whose commits wait until they are let go, or fail. */
function slowStore() {
  let release: () => void = () => undefined;
  let gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let failure: Error | undefined;
  return {
    wrap: (store: Store): Store => ({
      ...store,
      countViews: async (views: View[], ...rest) => {
        await gate;
        if (failure) throw failure;
        return store.countViews(views, ...rest);
      },
    }),
    release: () => release(),
    fail: (error: Error | undefined) => {
      failure = error;
      gate = Promise.resolve();
      release();
    },
  };
}

const batchOf = (size: number) =>
  Array.from({ length: size }, () => ({
    url: 'https://example.com/',
    ip: '192.0.2.1',
    userAgent: chromeUserAgent,
  }));

const timeOf = (path: string) => headcount.hit({ u: `https://example.com${path}`, t: 10 });

/** Pages that were seen for ten seconds, and how often. */
async function seenPages(): Promise<Record<string, number>> {
  const { pages } = await headcount.get<TimeReply>(`/v1/analytics/${headcount.projectId}/time-on-page`);
  return Object.fromEntries(pages.map(({ path, seen10 }) => [path, seen10]));
}

describe('a server that cannot keep up', () => {
  test('says so once its buffer is full, and counts what it accepted', async () => {
    const slow = slowStore();
    headcount = await startHeadcount({ wrapStore: slow.wrap });
    const waiting = Array.from({ length: 23 }, () => headcount.hits(batchOf(1000)));
    const refused = await Promise.any(
      waiting.map(async (sent) => {
        const response = await sent;
        if (response.status !== 503) throw new Error(`answered ${response.status}`);
        return response;
      }),
    );
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await errorOf(refused)).error).toBe(
      'The server is overloaded. The hit was not stored; retry later.',
    );
    const single = await headcount.hit({ u: 'https://example.com/' });
    expect(single.status).toBe(503);
    expect((await timeOf('/')).status).toBe(503);
    slow.release();
    const accepted = (await Promise.all(waiting)).filter(({ status }) => status === 202).length;
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(23);
    expect((await headcount.views())['/']?.human).toBe(accepted * 1000);
  });

  test('answers no hit before it is stored', async () => {
    const slow = slowStore();
    headcount = await startHeadcount({ wrapStore: slow.wrap });
    let isAnswered = false;
    const sent = headcount.hit({ u: 'https://example.com/' }).then((response) => {
      isAnswered = true;
      return response.status;
    });
    // A report needs several turns of the same event loop, and is answered meanwhile.
    for (let i = 0; i < 5; i++) expect(await headcount.views()).toEqual({});
    expect(isAnswered).toBe(false);
    slow.release();
    expect(await sent).toBe(202);
  });

  test('stores the time on pages along with the views', async () => {
    const slow = slowStore();
    headcount = await startHeadcount({ wrapStore: slow.wrap });
    const sent = ['/a', '/b', '/a'].flatMap((path) => [
      headcount.hit({ u: `https://example.com${path}` }),
      timeOf(path),
    ]);
    await expect.poll(() => headcount.context.ingest.buffer.waiting).toBe(6);
    slow.release();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(6).fill(202));
    expect(await seenPages()).toEqual({ '/a': 2, '/b': 1 });
  });
});

describe('a store that fails', () => {
  test('costs no accepted hit: the sender is asked to come back, the cause is logged', async () => {
    const slow = slowStore();
    headcount = await startHeadcount({ wrapStore: slow.wrap });
    slow.fail(new Error('database or disk is full'));
    const response = await headcount.hit({ u: 'https://example.com/' });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect((await errorOf(response)).error).toBe(
      'Storage is not writable (disk full?). The hit was not stored; retry later.',
    );
    expect((await headcount.hits(batchOf(3))).status).toBe(503);
    expect((await timeOf('/')).status).toBe(503);
    expect(headcount.log.join('')).toContain('database or disk is full');

    slow.fail(undefined);
    expect((await headcount.hit({ u: 'https://example.com/' })).status).toBe(202);
    expect(await headcount.views()).toEqual({ '/': { human: 1, ai: 0, total: 1 } });
    expect(await seenPages()).toEqual({});
    expect((await timeOf('/')).status).toBe(202);
    expect(await seenPages()).toEqual({ '/': 1 });
  });

  test('is a 500 for a report, with an id that stands in the log beside the cause', async () => {
    headcount = await startHeadcount({
      wrapStore: (store) => ({ ...store, readCounts: () => Promise.reject(new Error('secret detail')) }),
    });
    const response = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`, {
      headers: { authorization: `Bearer ${headcount.adminKey}` },
    });
    expect(response.status).toBe(500);
    const requestId = response.headers.get('x-request-id') ?? '';
    expect(requestId).not.toBe('');
    expect(await errorOf(response)).toEqual({
      error: 'This is a defect of the server; its log has the cause.',
    });
    expect(headcount.log.join('')).toMatch(new RegExp(`${requestId}.*secret detail`));
    expect(headcount.log.join('')).not.toContain(headcount.adminKey);
  });
});

test('too many reports at once are asked to come back, and hits are counted meanwhile', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  headcount = await startHeadcount({
    wrapStore: (store) => ({ ...store, readCounts: (query) => gate.then(() => store.readCounts(query)) }),
  });
  const report = async () => {
    const response = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`, {
      headers: { authorization: `Bearer ${headcount.adminKey}` },
    });
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  };
  const early: unknown[] = [];
  const asked = Array.from({ length: 210 }, () => report().then((answer) => early.push(answer)));
  await expect.poll(() => early.length).toBe(10);
  expect(early).toEqual(Array(10).fill({ status: 503, retryAfter: '1' }));
  for (let i = 0; i < 20; i++)
    expect((await headcount.hit({ u: 'https://example.com/busy' })).status).toBe(202);
  expect((await headcount.hits(batchOf(30))).status).toBe(202);
  expect(early).toHaveLength(10);
  release();
  await Promise.all(asked);
  expect(early.slice(10)).toEqual(Array(200).fill({ status: 200, retryAfter: null }));
  const views = Object.values(await headcount.views());
  expect(views.reduce((sum, { total }) => sum + total, 0)).toBe(50);
});

test('a hundred thousand paths of ten networks are ten visitors, ten thousand rows and a bounded memory', async () => {
  headcount = await startHeadcount();
  const send = async (from: number) => {
    const hits = batchOf(1000).map((hit, i) => ({
      ...hit,
      ip: `203.0.${i % 10}.1`,
      url: `https://example.com/${from + i}/${'x'.repeat(300)}`,
    }));
    expect((await headcount.hits(hits)).status).toBe(202);
  };
  for (let i = 0; i < 20_000; i += 1000) await send(i);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  for (let i = 20_000; i < 100_000; i += 1000) await send(i);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  const views = await headcount.views();
  expect(Object.keys(views)).toHaveLength(10_001);
  expect(views['(other)']).toEqual({ human: 90_000, ai: 0, total: 90_000 });
  const { totals } = await headcount.get<{ totals: object }>(`/v1/analytics/${headcount.projectId}/visitors`);
  expect(totals).toEqual({ human: 10, ai: 0, total: 10 });
});
