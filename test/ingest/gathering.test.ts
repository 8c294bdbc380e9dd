import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { googlebot } from '../support/browsers.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

/** By transaction, how many views it counted. */
async function startCounting(): Promise<number[]> {
  const sizes: number[] = [];
  headcount = await startHeadcount({
    wrapStore: (store: Store): Store => ({
      ...store,
      countViews: (views, dropped) => {
        if (views.length > 0) sizes.push(views.length);
        return store.countViews(views, dropped);
      },
    }),
  });
  // The first hit of a day also opens the day.
  await send(new Agent());
  sizes.length = 0;
  return sizes;
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

/** How much longer a hit takes than one of a bot, which takes what this machine needs for an answer at this moment. */
async function sendBeside(agent: Agent): Promise<number> {
  const answerMs = await send(agent, googlebot);
  return (await send(agent)) - answerMs;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

test('hits that come a few milliseconds apart share their commits, and each is counted', async () => {
  const sizes = await startCounting();
  const agent = new Agent({ keepAlive: true });
  const before = (await headcount.views())['/']?.total ?? 0;
  const answered: Promise<number>[] = [];
  for (let i = 0; i < 400; i++) {
    answered.push(send(agent));
    await pause(2);
  }
  await Promise.all(answered);
  agent.destroy();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(400);
  expect(sizes.length).toBeLessThan(200);
  expect((await headcount.views())['/']?.total).toBe(before + 400);
});

test('a hit that comes alone waits for nobody', async () => {
  await startCounting();
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    await pause(60);
    times.push(await sendBeside(agent));
  }
  agent.destroy();
  expect(median(times)).toBeLessThan(15);
});

test('who sends the next hit after the answer to the last is not slowed down', async () => {
  const sizes = await startCounting();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let i = 0; i < 300; i++) times.push(await sendBeside(agent));
  agent.destroy();
  expect(sizes.length).toBe(300);
  expect(median(times)).toBeLessThan(12);
});
