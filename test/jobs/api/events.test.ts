import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventStreams } from '../../../server/jobs/api/event-streams.ts';
import type { Lease } from '../../../server/store/jobs/job.ts';
import type { EventsReply } from '../../../shared/jobs/job.ts';
import { errorOf, type Headcount, startHeadcount } from '../../support/headcount.ts';
import { readEvents } from '../../support/jobs/event-reader.ts';
import { type JobClient, jobClient } from '../../support/jobs/jobs.ts';
import { atThisLoad } from '../../support/machine/load.ts';

// As many as a test leaves open, as one that breaks off may take a moment to end.
const timing = { pollMs: 10, gatherMs: 1, heartbeatMs: 50, maxStreams: 4 };
const project = { repository: 'https://git.example.com/owner/site', model: 'openai/x' };
let headcount: Headcount;
let jobs: JobClient;
let id: string;

beforeEach(async () => {
  headcount = await startHeadcount({ project, eventStreams: new EventStreams(timing) });
  jobs = jobClient(headcount.url, headcount);
  ({ id } = await jobs.mustCreate());
});
afterEach(() => headcount.stop());

async function claim(): Promise<Lease> {
  const limits = { total: 10, perProject: 10, leaseMs: 60_000 };
  const lease = await headcount.context.store.jobs.claimTurn(limits);
  if (!lease) throw new Error('No turn waits.');
  return lease;
}

/** Writes lines to the transcript, as the runner does. */
async function write(lease: Lease, ...texts: string[]): Promise<void> {
  const events = texts.map((text) => ({ type: 'text', data: { text } }));
  expect(await headcount.context.store.jobs.appendEvents(lease, events)).toBe(true);
}

async function settle(lease: Lease, status: 'completed' | 'failed' = 'completed'): Promise<void> {
  const event = { type: status, data: {} };
  await headcount.context.store.jobs.settleTurn(lease, { status, prLink: null }, event);
}

const texts = (list: { data: Record<string, unknown> }[]) =>
  list.map(({ data }) => (data.data as { text?: string } | undefined)?.text ?? data.status ?? data.type);

test('the transcript as a list, in pages', async () => {
  const lease = await claim();
  await write(lease, ...Array.from({ length: 120 }, (_, i) => `line ${i}`));
  await settle(lease);
  const list = async (query = '') => (await (await jobs.events(id, query)).json()) as EventsReply;
  const first = await list();
  expect(first.events[0]).toEqual({
    number: 1,
    turn: 0,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    type: 'message',
    data: { text: 'Do something.' },
  });
  expect([first.events.length, first.hasMore]).toEqual([100, true]);
  const second = await list('?after=100');
  expect(second.events.map(({ number }) => number)).toEqual(Array.from({ length: 22 }, (_, i) => 101 + i));
  expect(second.hasMore).toBe(false);
  expect(await list('?after=120&limit=2')).toMatchObject({
    events: [{ data: { text: 'line 119' } }, { type: 'completed' }],
    hasMore: false,
  });
  for (const after of ['122', '9'.repeat(20)]) {
    expect(await list(`?after=${after}`)).toEqual({ events: [], hasMore: false });
  }
  for (const query of ['?after=-1', '?after=x', '?limit=0', '?limit=1001', '?after=1&after=2']) {
    expect((await jobs.events(id, query)).status).toBe(400);
  }
});

test('a stream brings events as they are written, and ends with the job', async () => {
  const response = await jobs.stream(id);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const reader = readEvents(response);
  expect(await reader.next()).toMatchObject({
    id: '1',
    type: undefined,
    data: { number: 1, type: 'message' },
  });
  const lease = await claim();
  await write(lease, 'line\nbreak');
  expect(await reader.next()).toMatchObject({ id: '2', data: { turn: 0, data: { text: 'line\nbreak' } } });
  await expect
    .poll(() => write(lease, 'x').then(() => reader.next()))
    .toMatchObject({ data: { type: 'text' } });
  await jobs.message(id, 'More.');
  await settle(lease);
  const next = await claim();
  await settle(next, 'failed');
  const rest = await reader.rest();
  expect(texts(rest).slice(-3)).toEqual(['completed', 'failed', 'failed']);
  expect(rest.at(-1)).toEqual({ id: undefined, type: 'end', data: { status: 'failed' } });
});

test('a stream is woken by what is written, and waits for no poll', async () => {
  const eventStreams = new EventStreams({ ...timing, pollMs: 3_600_000 });
  await headcount.stop();
  headcount = await startHeadcount({ project, eventStreams });
  jobs = jobClient(headcount.url, headcount);
  ({ id } = await jobs.mustCreate());
  const reader = readEvents(await jobs.stream(id));
  await reader.next();
  const lease = await claim();
  for (const text of ['one', 'two']) {
    await write(lease, text);
    expect(await reader.next()).toMatchObject({ data: { data: { text } } });
  }
  await settle(lease);
  expect(texts(await reader.rest())).toEqual(['completed', 'completed']);
});

test('a stream that broke off goes on after the last event, without a gap or a repetition', async () => {
  const lease = await claim();
  const lines = Array.from({ length: 250 }, (_, i) => `line ${i}`);
  await write(lease, ...lines.slice(0, 230));
  const seen: unknown[] = [];
  let lastId: string | undefined;
  for (const count of [1, 7, 150]) {
    const abort = new AbortController();
    const headers = { ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const reader = readEvents(await jobs.stream(id, { headers, signal: abort.signal }));
    for (let i = 0; i < count; i++) {
      const event = await reader.next();
      seen.push(...texts(event ? [event] : []));
      lastId = event?.id;
    }
    abort.abort();
  }
  await write(lease, ...lines.slice(230));
  await settle(lease);
  const last = readEvents(await jobs.stream(id, { headers: { 'last-event-id': String(lastId) } }));
  seen.push(...texts(await last.rest()));
  expect(seen).toEqual(['Do something.', ...lines, 'completed', 'completed']);
});

test('nothing is left to stream of a job at rest: 204, which keeps EventSource from coming back', async () => {
  const lease = await claim();
  await settle(lease);
  expect(await readEvents(await jobs.stream(id)).rest()).toHaveLength(3);
  const response = await jobs.stream(id, { headers: { 'last-event-id': '2' } });
  expect([response.status, await response.text()]).toEqual([204, '']);
  await jobs.message(id, 'More.');
  const abort = new AbortController();
  const resumed = await jobs.stream(id, { headers: { 'last-event-id': '2' }, signal: abort.signal });
  expect(await readEvents(resumed).next()).toMatchObject({ id: '3', data: { type: 'message', turn: 1 } });
  abort.abort();
  expect((await jobs.stream(id, { headers: { 'last-event-id': 'three' } })).status).toBe(400);
});

test.each([
  ['*/*', 'application/json'],
  ['application/json, text/event-stream', 'application/json'],
  ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
  ['text/html', 'application/json'],
])('who accepts %s gets %s', async (accept, type) => {
  const abort = new AbortController();
  const response = await jobs.stream(id, { headers: { accept }, signal: abort.signal });
  expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  abort.abort();
});

test('a silent stream sends comments', async () => {
  const abort = new AbortController();
  const reader = readEvents(await jobs.stream(id, { signal: abort.signal }));
  await reader.next();
  const next = reader.next().catch(() => undefined);
  await expect.poll(() => reader.comments()).toBeGreaterThan(1);
  abort.abort();
  await next;
});

test('only so many streams are open at once, and a client that leaves makes room', async () => {
  const abort = new AbortController();
  const leaving = jobs.stream(id, { signal: abort.signal });
  const open = await Promise.all([leaving, ...Array.from({ length: 3 }, () => jobs.stream(id))]);
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await jobs.stream(id);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await errorOf(refused)).error).toContain('as JSON');
  expect((await jobs.events(id)).status).toBe(200);
  abort.abort();
  await expect.poll(async () => (await jobs.stream(id)).status).toBe(200);
});

test('a stream ends when its key is revoked', async () => {
  const { context } = headcount;
  const reader = readEvents(await jobs.stream(id));
  await reader.next();
  const { keys } = await context.store.directory();
  await context.store.revokeKey(keys.find(({ name }) => name === 'first admin key')?.id ?? '');
  expect(await reader.rest()).toEqual([]);
});

test('a stream ends when its project is removed, and when the job is archived', async () => {
  const reader = readEvents(await jobs.stream(id));
  await reader.next();
  await jobs.archive(id);
  expect(texts(await reader.rest())).toEqual(['It was asked to be archived.', 'archived']);
  const other = await jobs.mustCreate();
  const second = readEvents(await jobs.stream(other.id));
  await second.next();
  await headcount.context.store.removeProject(headcount.projectId);
  expect(await second.rest()).toEqual([]);
});

/** Asks for the stream and reads only the first bytes of it. */
async function openWithoutReading(): Promise<void> {
  const { hostname, port } = new URL(headcount.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET /v2/agent/${headcount.projectId}/job/${id}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${headcount.adminKey}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
}

test('open streams, read or not, do not hold up a server that stops', async () => {
  const lease = await claim();
  for (let i = 0; i < 20; i++) {
    await write(lease, ...Array.from({ length: 50 }, () => 'x'.repeat(20_000)));
  }
  await openWithoutReading();
  const reader = readEvents(await jobs.stream(id));
  await reader.next();
  const rest = reader.rest().catch(() => []);
  const begun = performance.now();
  await headcount.stop();
  expect(performance.now() - begun).toBeLessThan(atThisLoad(3000));
  await rest;
  headcount = await startHeadcount();
});
