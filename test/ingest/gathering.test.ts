import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { googlebot } from '../support/browsers.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

interface Transaction {
  views: number;
  beginsAt: number;
}

async function startCounting(): Promise<Transaction[]> {
  const transactions: Transaction[] = [];
  headcount = await startHeadcount({
    wrapStore: (store: Store): Store => ({
      ...store,
      countViews: (views, dropped) => {
        if (views.length > 0) transactions.push({ views: views.length, beginsAt: performance.now() });
        return store.countViews(views, dropped);
      },
    }),
  });
  // The first hit of a day also opens the day.
  await send(new Agent());
  transactions.length = 0;
  return transactions;
}

/** Answers how many milliseconds it took. A bot is answered without a transaction. */
function send(agent: Agent, userAgent = chromeUserAgent): Promise<number> {
  const startAt = performance.now();
  const body = JSON.stringify({ p: headcount.projectId, u: 'https://example.com/' });
  return new Promise((resolve, reject) => {
    const sending = request(
      `${headcount.url}/v1/hit`,
      { method: 'POST', agent, headers: { 'user-agent': userAgent, 'content-length': body.length } },
      (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 202) resolve(performance.now() - startAt);
          else reject(new Error(`answered ${response.statusCode}`));
        });
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

/** How long a hit waits for its transaction, beyond the time of an answer on this machine at this moment. */
async function waitOf(agent: Agent, transactions: readonly Transaction[]): Promise<number> {
  const answerMs = await send(agent, googlebot);
  const startAt = performance.now();
  await send(agent);
  return (transactions.at(-1)?.beginsAt ?? 0) - startAt - answerMs;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

test('hits that come a few milliseconds apart share their commits, and each is counted', async () => {
  const transactions = await startCounting();
  const agent = new Agent({ keepAlive: true });
  const before = (await headcount.views())['/']?.total ?? 0;
  const answered: Promise<number>[] = [];
  for (let i = 0; i < 400; i++) {
    answered.push(send(agent));
    await pause(2);
  }
  await Promise.all(answered);
  agent.destroy();
  expect(transactions.reduce((sum, { views }) => sum + views, 0)).toBe(400);
  expect(transactions.length).toBeLessThan(200);
  expect((await headcount.views())['/']?.total).toBe(before + 400);
});

test('a hit that comes alone waits for nobody', async () => {
  const transactions = await startCounting();
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  for (let i = 0; i < 15; i++) {
    await pause(60);
    waits.push(await waitOf(agent, transactions));
  }
  agent.destroy();
  expect(median(waits)).toBeLessThan(15);
});

test('who sends the next hit after the answer to the last is not slowed down', async () => {
  const transactions = await startCounting();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waits: number[] = [];
  for (let i = 0; i < 300; i++) waits.push(await waitOf(agent, transactions));
  agent.destroy();
  expect(transactions.length).toBe(300);
  expect(median(waits)).toBeLessThan(12);
});
