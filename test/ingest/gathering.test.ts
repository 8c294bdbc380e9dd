import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

interface Transactions {
  /** How many views each of them counted. */
  sizes: number[];
  /** Whether hits waited `lateMs` or more for theirs. */
  isLate: boolean[];
}

/**
 * What is late is told by the order of events and no clock, as on a busy machine everything is late: a timer that
 * begins when a hit has arrived fires after what happens at once, and before what waits for longer.
 */
async function startCounting({ lateMs = 1 } = {}): Promise<Transactions> {
  const transactions: Transactions = { sizes: [], isLate: [] };
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const onRequest = (message: unknown) =>
    (message as { request: IncomingMessage }).request.once('end', () => {
      clearTimeout(timer);
      isLate = false;
      timer = setTimeout(() => {
        isLate = true;
      }, lateMs);
    });
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
  headcount = await startHeadcount({
    wrapStore: (store: Store): Store => ({
      ...store,
      countViews: (views, ...rest) => {
        if (views.length > 0) {
          transactions.sizes.push(views.length);
          transactions.isLate.push(isLate);
        }
        return store.countViews(views, ...rest);
      },
    }),
  });
  // The first hit of a day also opens the day.
  await send(new Agent());
  transactions.sizes.length = 0;
  transactions.isLate.length = 0;
  return transactions;
}

function send(agent: Agent): Promise<void> {
  const body = JSON.stringify({ p: headcount.projectId, u: 'https://example.com/' });
  const headers = { 'user-agent': chromeUserAgent, 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sending = request(`${headcount.url}/v1/hit`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 202) resolve();
        else reject(new Error(`answered ${response.statusCode}`));
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

test('hits that come a few milliseconds apart share their commits, and each is counted', async () => {
  const { sizes } = await startCounting();
  const agent = new Agent({ keepAlive: true });
  const before = (await headcount.views())['/']?.total ?? 0;
  const answered: Promise<void>[] = [];
  const startAt = performance.now();
  for (let i = 0; i < 400; i++) {
    answered.push(send(agent));
    await pause(2);
  }
  await Promise.all(answered);
  const takenMs = performance.now() - startAt;
  agent.destroy();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(400);
  // A busy machine has them come further apart, so that fewer have others to share with.
  expect(sizes.length).toBeLessThan(takenMs / 5);
  expect((await headcount.views())['/']?.total).toBe(before + 400);
});

test('a hit that comes alone waits for nobody', async () => {
  const { isLate } = await startCounting();
  const agent = new Agent({ keepAlive: true });
  for (let i = 0; i < 15; i++) {
    await pause(60);
    await send(agent);
  }
  agent.destroy();
  expect(isLate).toEqual(Array(15).fill(false));
});

test('who sends the next hit after the answer to the last is not slowed down', async () => {
  const { sizes, isLate } = await startCounting({ lateMs: 12 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 300; i++) await send(agent);
  agent.destroy();
  expect(sizes.length).toBe(300);
  expect(isLate.filter(Boolean).length).toBeLessThan(30);
});
