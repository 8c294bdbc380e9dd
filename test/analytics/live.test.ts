import { afterEach, beforeEach, expect, test } from 'vitest';
import { momentOf } from '../../server/counting/calendar.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { LiveReply, NowReply } from '../../shared/reports/replies.ts';
import { createClock, dayMs, type TestClock } from '../support/clock.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { readEvents } from '../support/jobs/event-reader.ts';
import { anySalt, openDay, view } from '../support/views.ts';

let clock: TestClock;
let headcount: Headcount;

beforeEach(async () => {
  clock = createClock('2026-11-21T00:02:00Z');
  headcount = await startHeadcount({ now: clock.now });
});
afterEach(() => headcount.stop());

async function visit(path: string, from: string, { referrer = '', userAgent = chromeUserAgent } = {}) {
  const body = JSON.stringify({ p: headcount.projectId, u: `https://example.com${path}`, r: referrer });
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': from };
  const response = await fetch(`${headcount.url}/v1/hit`, { method: 'POST', body, headers });
  expect(response.status).toBe(202);
  expect(response.headers.get('x-headcount-dropped')).toBeNull();
}

const path = () => `/v1/analytics/${headcount.projectId}/live`;
const bearer = () => ({ authorization: `Bearer ${headcount.adminKey}` });
const live = () => headcount.get<LiveReply>(path());
const now = () => headcount.get<NowReply>(`/v1/analytics/${headcount.projectId}/now`);
const shown = () => expect.poll(live, { timeout: 30_000, interval: 200 });

const people = (human: number) => ({ human, ai: 0, total: human });

test('who is there is counted by page, source and AI client, and is gone after five minutes', async () => {
  await visit('/a', '198.51.100.1', { referrer: 'https://www.google.com/' });
  await visit('/b', '198.51.100.1');
  await visit('/a', '198.51.100.2');
  await visit('/a', '198.51.100.3', { userAgent: 'GPTBot/1.2' });
  await shown().toMatchObject({
    visitors: { human: 2, ai: 1, total: 3 },
    paths: [
      { path: '/a', human: 2, ai: 1, total: 3 },
      { path: '/b', ...people(1) },
    ],
    sources: [
      { source: '(direct)', human: 2, ai: 1, total: 3 },
      { source: 'google.com', ...people(1) },
    ],
    clients: [{ client: 'GPTBot', human: 0, ai: 1, total: 1 }],
    measured: { people: true },
  });
  const { perMinute } = await live();
  expect(perMinute.length).toBe(30);
  expect(perMinute.at(-1)).toEqual({ human: 3, ai: 1 });
  clock.advance(3 * 60_000);
  await visit('/b', '198.51.100.2');
  await shown().toMatchObject({
    visitors: { human: 2, ai: 1 },
    paths: [{ path: '/a' }, { path: '/b', human: 2 }],
  });
  clock.advance(2 * 60_000);
  await shown().toMatchObject({ visitors: people(1), paths: [{ path: '/b', ...people(1) }], clients: [] });
  const later = (await live()).perMinute;
  expect([later.at(-6), later.at(-3), later.at(-1)]).toEqual([
    { human: 3, ai: 1 },
    { human: 1, ai: 0 },
    { human: 0, ai: 0 },
  ]);
});

test('views before midnight are of the last minutes, too', async () => {
  clock.advance(-4 * 60_000);
  await visit('/before', '198.51.100.1');
  clock.advance(4 * 60_000);
  await visit('/after', '198.51.100.1');
  await shown().toMatchObject({ paths: [{ path: '/after' }, { path: '/before' }] });
});

test('a stream sends it when it changes, to those with a key and to nobody with a link, until the server stops', async () => {
  const client = await openDashboard(headcount);
  const admin = `/v1/admin/projects/${headcount.projectId}/links`;
  const link = await client.must<LinkReply>('POST', admin, { kind: 'page' });
  const shared = new URL(link.url).pathname;
  const open = (address: string, headers = {}) =>
    fetch(headcount.url + address, { headers: { accept: 'text/event-stream', ...headers } });
  expect((await open(`/v1${shared}/live`)).status).toBe(404);
  expect((await open(path())).status).toBe(401);
  const response = await open(path(), bearer());
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = readEvents(response);
  const next = async () => (await events.next())?.data as LiveReply | undefined;
  expect((await next())?.visitors).toEqual(people(0));
  await visit('/a', '198.51.100.1');
  expect((await next())?.paths).toEqual([{ path: '/a', ...people(1) }]);
  const ended = next();
  await headcount.context.liveStreams.close();
  expect(await ended).toBeUndefined();
  const refused = await open(path(), bearer());
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await errorOf(refused)).error).toContain('as JSON');
  expect((await live()).visitors).toEqual(people(1));
});

test('many who look at a project have it read once', async () => {
  const { store } = headcount.context;
  const read = store.readLive;
  let times = 0;
  store.readLive = (query) => {
    times++;
    return read(query);
  };
  const replies = await Promise.all(Array.from({ length: 20 }, live));
  expect(replies.every(({ visitors }) => visitors.total === 0)).toBe(true);
  expect(times).toBe(1);
});

test('views of the last half hour from countries that were excluded meanwhile are said to be in it', async () => {
  const { projectId, context } = headcount;
  const day = Math.floor(clock.now() / dayMs);
  await openDay(context.store, projectId, day, anySalt());
  const views = ['DE', 'FR'].map((country, place) =>
    view({ projectId, day, visitor: BigInt(place + 1), country, moment: momentOf(day, clock.now()) }),
  );
  expect(await context.store.countViews(views, [])).toEqual([]);
  const exclude = async (excludedCountries: string[]) => {
    const headers = { ...bearer(), 'content-type': 'application/json' };
    const body = JSON.stringify({ excludedCountries, excludesPast: true });
    const response = await fetch(`${headcount.url}/v1/projects/${projectId}`, {
      ...{ method: 'PATCH', headers, body },
    });
    expect(response.status).toBe(200);
  };
  await exclude(['AT']);
  await shown().toMatchObject({ visitors: people(2) });
  expect(await live()).not.toHaveProperty('includesExcluded');
  expect(await now()).not.toHaveProperty('includesExcluded');
  await exclude(['DE']);
  await shown().toMatchObject({ includesExcluded: expect.stringContaining('excluded countries') });
  expect(await now()).toMatchObject({ includesExcluded: (await live()).includesExcluded });
  clock.advance(30 * 60_000);
  await shown().not.toHaveProperty('includesExcluded');
  expect(await now()).not.toHaveProperty('includesExcluded');
});
