import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import type { BatchReply } from '../../../shared/hit.ts';
import type { HoursReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import {
  chromeUserAgent,
  type Headcount,
  type ProjectClient,
  projectClient,
  startHeadcount,
} from '../../support/headcount.ts';
import { dropDatabase, makeDatabase, runIn } from '../../support/store/shared-postgres.ts';
import { query } from '../../support/views.ts';

const minuteMs = 60_000;
const firstDay = Date.parse('2026-11-21') / 86_400_000;
/** What both may still be told of. */
const lastMoment = '2026-11-21T23:59:55Z';
const atATime = 20;

let url: string;
let slow: Headcount;
let fast: Headcount;
let slowClock: ReturnType<typeof createClock>;
let fastClock: ReturnType<typeof createClock>;

beforeEach(async () => {
  slowClock = createClock('2026-11-22T23:58:50Z');
  fastClock = createClock('2026-11-22T23:59:50Z');
  url = await makeDatabase();
  const env = {
    HEADCOUNT_DATABASE_URL: url,
    HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  slow = await startHeadcount({ now: slowClock.now, env });
  fast = await startHeadcount({ now: fastClock.now, env });
});
afterEach(async () => {
  await slow.stop();
  await fast.stop();
  await dropDatabase(url);
});

async function report(node: Headcount, project: ProjectClient, lane: number, at?: string): Promise<number> {
  const hit = { url: 'https://example.com/a', userAgent: chromeUserAgent, ...(at !== undefined && { at }) };
  const hits = Array.from({ length: atATime }, (_, i) => ({ ...hit, ip: `198.51.${lane}.${i}` }));
  const response = await fetch(`${node.url}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({ hits }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${project.ingestKey}` },
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as BatchReply).accepted;
}

test('nodes whose clocks are a minute apart count each hit once, and none on a day that one of them has sealed', async () => {
  const project = await slow.addProject();
  const on = async (day: number) => {
    const range = { projectId: project.projectId, from: firstDay + day, to: firstDay + day + 1 };
    const { totals } = await slow.context.store.readCounts(query({ ...range, measure: 'views' }));
    const { totals: visitors } = await slow.context.store.readCounts(query(range));
    return { views: totals.total, visitors: visitors.total };
  };
  for (const node of [slow, fast]) expect(await report(node, project, 0, lastMoment)).toBe(atATime);
  expect(await on(0)).toEqual({ views: 2 * atATime, visitors: atATime });

  fastClock.advance(minuteMs / 3);
  for (const node of [slow, fast]) expect(await report(node, project, 0)).toBe(atATime);
  expect(await on(1)).toEqual({ views: atATime, visitors: atATime });
  expect(await on(2)).toEqual({ views: atATime, visitors: atATime });

  let accepted = 2 * atATime;
  let isSending = true;
  const send = async (lane: number) => {
    while (isSending) {
      const more = await report(slow, project, lane, lastMoment);
      accepted += more;
    }
  };
  const sending = [1, 2, 3].map(send);
  await expect.poll(() => accepted).toBeGreaterThan(3 * atATime);
  await sealDueDays(fast.context);
  const sealed = await on(0);
  // Counted on the next day, whose visitors are still known.
  await expect.poll(() => on(1)).toMatchObject({ visitors: 4 * atATime });
  isSending = false;
  await Promise.all(sending);
  expect(await on(0)).toEqual(sealed);
  expect(sealed.views + (await on(1)).views).toBe(accepted + atATime);
  expect(await runIn(url, `select day from days where day = ${firstDay}`)).toEqual([]);
});

test('nodes whose clocks are a minute apart report the hours of the same days, which those are that none has sealed', async () => {
  const project = await slow.addProject();
  for (const node of [slow, fast]) expect(await report(node, project, 0, lastMoment)).toBe(atATime);
  await sealDueDays(fast.context);
  const firstDays = () =>
    Promise.all(
      [slow, fast].map(async ({ url }) => {
        const path = `/v1/analytics/${project.projectId}/hours`;
        const [day] = (await projectClient(url, project).get<HoursReply>(path)).days;
        return { date: day?.date, views: day?.hours.reduce((sum, { views }) => sum + views.total, 0) };
      }),
    );
  fastClock.advance(minuteMs / 3);
  const before = { date: '2026-11-21', views: 2 * atATime };
  expect(await firstDays()).toEqual([before, before]);
  await sealDueDays(fast.context);
  const after = { date: '2026-11-22', views: 0 };
  expect(await firstDays()).toEqual([after, after]);
});
