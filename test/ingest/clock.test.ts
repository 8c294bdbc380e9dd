import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { readDays } from '../support/store/kept.ts';

const minuteMs = 60_000;

/** What the machine shows, and how long it is up. */
const shown = createClock('2026-05-10T12:00:00Z');
const uptime = createClock('1970-01-08T00:00:00Z');
let headcount: Headcount;

beforeEach(async () => {
  shown.set('2026-05-10T12:00:00Z');
  headcount = await startHeadcount({ now: shown.now, uptime: uptime.now });
});
afterEach(() => headcount.stop());

/** Time goes on, and both clocks with it. */
function wait(ms: number): void {
  shown.advance(ms);
  uptime.advance(ms);
  headcount.context.clock.look();
}

const status = async () => (await headcount.hit({ u: 'https://example.com/' })).status;

async function openDays(): Promise<string[]> {
  const { days } = await readDays(headcount);
  return days.map((day) => new Date(day * dayMs).toISOString().slice(0, 10));
}

describe('a clock that is set while the server runs', () => {
  test('seals nothing, and what is due is sealed once it is back', async () => {
    expect(await status()).toBe(202);
    shown.advance(400 * dayMs);
    await sealDueDays(headcount.context);
    expect(await openDays()).toEqual(['2026-05-10']);
    shown.advance(-400 * dayMs);
    expect(await status()).toBe(202);
    wait(36 * hourMs);
    await sealDueDays(headcount.context);
    expect(await openDays()).toEqual([]);
    expect((await headcount.visitors())['/']).toEqual({ human: 1, ai: 0, total: 1 });
  });

  test.each([5, -5])('by %i minutes counts on, except where that is another day', async (minutes) => {
    shown.advance(minutes * minuteMs);
    expect(await status()).toBe(202);
    shown.advance(-minutes * minuteMs);
    wait(11 * hourMs + 58 * minuteMs);
    shown.advance(Math.abs(minutes) * minuteMs);
    expect(await status()).toBe(503);
    shown.advance(-Math.abs(minutes) * minuteMs);
    expect(await status()).toBe(202);
    expect(await openDays()).toEqual(['2026-05-10']);
  });

  test('refuses a batch and an image too, and counts nothing', async () => {
    shown.advance(2 * dayMs);
    const batch = await headcount.hits([
      { url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'curl/8' },
    ]);
    const image = await fetch(
      `${headcount.url}/v1/pixel.gif?p=${headcount.projectId}&u=https%3A%2F%2Fexample.com%2F`,
    );
    expect([batch.status, image.status]).toEqual([503, 503]);
    expect(batch.headers.get('retry-after')).toBe('60');
    shown.advance(-2 * dayMs);
    expect(await status()).toBe(202);
    const dropped = await headcount.get<{ dropped: unknown[] }>(
      `/v1/analytics/${headcount.projectId}/dropped?dateFrom=2020-01-01&dateTo=2030-01-01`,
    );
    expect(dropped.dropped).toEqual([]);
  });

  test('is believed when it stays: after as long as it is away, and after an hour at the most', async () => {
    for (const [jump, patience] of [
      [10 * minuteMs, 10 * minuteMs],
      [-400 * dayMs, hourMs],
      [500 * dayMs, hourMs],
    ] as const) {
      shown.advance(jump);
      headcount.context.clock.look();
      wait(patience - 1000);
      expect(headcount.context.clock.doubt).toBeDefined();
      wait(1000);
      expect(headcount.context.clock.doubt).toBeUndefined();
      expect(headcount.context.now()).toBe(shown.now());
    }
    expect(headcount.log.filter((line) => line.includes(' warn '))).toHaveLength(3);
  });

  test('that is set again is waited for again', async () => {
    const { clock } = headcount.context;
    shown.advance(400 * dayMs);
    clock.look();
    wait(50 * minuteMs);
    shown.advance(dayMs);
    clock.look();
    wait(50 * minuteMs);
    expect(clock.doubt).toBeDefined();
    expect(headcount.log.filter((line) => line.includes(' error '))).toHaveLength(2);
  });

  test('ends no session, and archives and forgets nothing', async () => {
    const { context } = headcount;
    const session = { hash: 'h', createdAt: shown.now(), usedAt: shown.now() };
    await context.store.admin.resetPassword('p');
    await context.store.admin.startSession(session, 'p');
    shown.advance(400 * dayMs);
    await context.sessions.refresh();
    expect(context.now()).toBe(Date.parse('2026-05-10T12:00:00Z'));
    expect((await context.store.admin.readSignedIn()).sessions).toEqual([{ ...session, userId: null }]);
  });
});

test('a machine that slept is no machine whose clock was set', async () => {
  expect(await status()).toBe(202);
  shown.advance(3 * dayMs);
  uptime.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  expect(await openDays()).toEqual([]);
  expect(await status()).toBe(202);
  expect(await openDays()).toEqual(['2026-05-13']);
  expect(headcount.log).toEqual([]);
});

test('a start after a long stop says so, and counts', async () => {
  expect(await status()).toBe(202);
  const { dataDir, context, projectId } = headcount;
  await context.ingest.drain();
  wait(100 * dayMs);
  const later = await startHeadcount({ dataDir, now: shown.now, uptime: uptime.now });
  expect((await later.hit({ p: projectId, u: 'https://example.com/' })).status).toBe(202);
  await expect.poll(() => later.log.join()).toMatch(/ info The newest view is of 2026-05-10, 100 days ago/);
  await sealDueDays(later.context);
  expect(await openDays()).toEqual(['2026-05-10', '2026-08-18']);
  wait(hourMs);
  later.context.clock.look();
  await sealDueDays(later.context);
  expect(await openDays()).toEqual(['2026-08-18']);
  await later.stop();
});

test('a start with the clock ahead seals nothing, and goes on at once when the clock is corrected', async () => {
  expect(await status()).toBe(202);
  const { dataDir, context, projectId } = headcount;
  await context.ingest.drain();
  wait(hourMs);
  shown.advance(400 * dayMs);
  const later = await startHeadcount({ dataDir, now: shown.now, uptime: uptime.now });
  const hit = async () => (await later.hit({ p: projectId, u: 'https://example.com/' })).status;
  await sealDueDays(later.context);
  expect(await openDays()).toEqual(['2026-05-10']);
  shown.advance(-400 * dayMs);
  expect(await hit()).toBe(202);
  await sealDueDays(later.context);
  expect(await openDays()).toEqual(['2026-05-10']);
  const report = await fetch(`${later.url}/v1/analytics/${projectId}/visitors`, {
    headers: { authorization: `Bearer ${later.rootKey}` },
  });
  expect(await report.json()).toMatchObject({ totals: { human: 1, total: 1 } });
  await later.stop();
});
