import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { BatchReply } from '../../shared/hit.ts';
import type { EventsReply, PropertiesReply } from '../../shared/reports/analytics.ts';
import { gptBot } from '../support/browsers.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now });
});
afterAll(() => headcount.stop());

const person = { url: 'https://example.com/prices', ip: '198.51.100.1', userAgent: chromeUserAgent };
const told = (name: string, properties?: object, more = {}) => ({
  ...person,
  event: { name, ...(properties && { properties }) },
  ...more,
});
const at = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;
const events = async (query = '') => {
  const { events, totals } = await headcount.get<EventsReply>(at(`events?${query}`));
  return { totals, events: events.map(({ event, ...sums }) => [event, ...Object.values(sums)]) };
};
const properties = async (event: string, query = '') => {
  const path = `events/${encodeURIComponent(event)}/properties?${query}`;
  const reply = await headcount.get<PropertiesReply>(at(path));
  return { ...reply, properties: reply.properties.map((row) => Object.values(row)) };
};
const send = async (hits: unknown[]) => (await (await headcount.hits(hits)).json()) as BatchReply;

test('events count visitors once a day and how often they happened, by property too, and no views', async () => {
  const other = { ip: '198.51.100.2' };
  const reply = await send([
    person,
    { ...person, ...other },
    told('Sign up', { plan: 'team', seats: 5, trial: true }),
    told('Sign up', { plan: 'team' }),
    told('Sign up', { plan: 'single' }, other),
    told('Sign up', {}, { userAgent: gptBot }),
    told('Download'),
  ]);
  expect(reply).toEqual({ accepted: 7, dropped: [] });
  expect(await events()).toEqual({
    totals: { human: 2, ai: 0, total: 2 },
    events: [
      ['Sign up', 2, 1, 3, 3, 1, 4],
      ['Download', 1, 0, 1, 1, 0, 1],
    ],
  });
  expect(await properties('Sign up')).toEqual({
    totals: { human: 2, ai: 1, total: 3 },
    properties: [
      ['plan', 'single', 1, 0, 1, 1, 0, 1],
      ['plan', 'team', 1, 0, 1, 2, 0, 2],
      ['seats', '5', 1, 0, 1, 1, 0, 1],
      ['trial', 'true', 1, 0, 1, 1, 0, 1],
    ],
    hasMore: false,
    measured: { people: true, ai: true, ways: ['report'] },
  });
  expect((await properties('Download')).properties).toEqual([]);
  expect((await properties('Sign up', 'search=TEAM')).properties).toHaveLength(1);
  expect((await events('search=load')).events).toHaveLength(1);
  expect(await headcount.views()).toEqual({ '/prices': { human: 2, ai: 0, total: 2 } });
});

test('the script sends an event as a hit, which the rules for hits drop as they drop views', async () => {
  const hit = (body: object, userAgent = chromeUserAgent) =>
    headcount.hit({ u: 'https://example.com/', ...body }, { 'user-agent': userAgent });
  expect((await hit({ e: 'Play', v: { title: 'Intro' } })).status).toBe(202);
  const dropped = await hit({ e: 'Play' }, 'curl/8.5.0');
  expect(dropped.headers.get('x-headcount-dropped')).toBe('bot');
  expect((await properties('Play')).properties).toEqual([['title', 'Intro', 1, 0, 1, 1, 0, 1]]);
  const refused = await hit({ e: ' ' });
  expect(refused.status).toBe(400);
  expect((await errorOf(refused)).error).toContain('must have a name');
});

test('people by a server that leaves views of people to the script count all the same', async () => {
  const response = await fetch(`${headcount.url}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({ people: 'skip', hits: [person, told('Paid')] }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${headcount.ingestKey}` },
  });
  expect(await response.json()).toEqual({ accepted: 1, dropped: [{ index: 0, reason: 'left_to_script' }] });
  expect((await events('search=Paid')).events).toEqual([['Paid', 1, 0, 1, 1, 0, 1]]);
});

test('names are cut, hold nobody back, and show nothing personal', async () => {
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, i]));
  const reply = await send([
    told('x'.repeat(300)),
    told('Invite', { who: 'anna@example.com', note: 'two\n\tlines' }),
    told('Many', many),
  ]);
  expect(reply.dropped).toEqual([
    { index: 2, reason: 'invalid', error: expect.stringContaining('must have at most 10 properties') },
  ]);
  expect((await events('search=xxx')).events[0]?.[0]).toBe(`${'x'.repeat(99)}…`);
  expect((await properties('Invite')).properties.map(([name, value]) => [name, value])).toEqual([
    ['note', 'two lines'],
    ['who', ':email'],
  ]);
});

test('a batch of events that is sent again under its key counts once', async () => {
  const again = () =>
    fetch(`${headcount.url}/v1/hits`, {
      method: 'POST',
      body: JSON.stringify({ hits: [told('Order', { shop: 'Oslo' })] }),
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${headcount.ingestKey}`,
        'idempotency-key': 'order-1',
      },
    });
  expect(await (await again()).json()).toEqual({ accepted: 1, dropped: [] });
  expect(await (await again()).json()).toEqual({ accepted: 1, dropped: [] });
  expect((await properties('Order')).properties).toEqual([['shop', 'Oslo', 1, 0, 1, 1, 0, 1]]);
});

test('sums of events outlast their day, and its visitors do not', async () => {
  await send([told('Late', { plan: 'team' })]);
  const before = [await events('search=Late'), await properties('Late')];
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  expect([await events('search=Late'), await properties('Late')]).toEqual(before);
  await send([told('Late', { plan: 'team' })]);
  expect((await properties('Late')).properties).toEqual([['plan', 'team', 2, 0, 2, 2, 0, 2]]);
});

test('both reports come as files', async () => {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${headcount.adminKey}` };
    return (await fetch(`${headcount.url}${at(path)}?format=csv&search=Oslo`, { headers })).text();
  };
  const columns = '"human","ai","total","humanEvents","aiEvents","events"';
  expect(await read('events')).toBe(`"event",${columns}\r\n`);
  expect(await read('events/Order/properties')).toBe(
    `"property","value",${columns}\r\n"shop","Oslo",1,0,1,1,0,1\r\n`,
  );
});
