import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventStreams } from '../../server/jobs/api/event-streams.ts';
import type { Lease } from '../../server/store/jobs/job.ts';
import type { Store } from '../../server/store/store.ts';
import {
  type Headcount,
  type HeadcountOptions,
  type ProjectClient,
  startHeadcount,
} from '../support/headcount.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { openConnection, type RawConnection } from '../support/raw-connection.ts';

let headcount: Headcount;
let connections: RawConnection[] = [];
beforeEach(() => {
  connections = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { socket } of connections) socket.destroy();
  await headcount.stop();
});

/** Longer than any test: the server looks for stalled readers, and ends a file, when a test says that it is time. */
const stalledMs = 123_456;
const fileMs = 654_321;
let look: () => void;
let fileTakesTooLong: AbortController;

async function start(options: HeadcountOptions = {}): Promise<void> {
  const timers = vi.spyOn(globalThis, 'setInterval');
  headcount = await startHeadcount({ ...options, timing: { stalledMs, fileMs } });
  look = timers.mock.calls.find(([, ms]) => ms === stalledMs)?.[0] as () => void;
  timers.mockRestore();
  fileTakesTooLong = new AbortController();
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    ms === fileMs ? fileTakesTooLong.signal : timeout.call(AbortSignal, ms),
  );
}

/** Looks until the server has ended it: the system may take a little more between the first looks. */
async function expectToBeEnded(served: Socket): Promise<void> {
  const isEnded = () => {
    look();
    return served.destroyed;
  };
  await expect.poll(isEnded).toBe(true);
}

/** A file of 50 MB, which is more than the buffers of a connection take in. */
const wrapStore = (store: Store): Store => ({
  ...store,
  readCounts: async (query) => {
    const found = await store.readCounts(query);
    const rows = Array.from({ length: 50_000 }, (_, i) => ({
      name: `/${i}/${'x'.repeat(1000)}`,
      human: 1,
      ai: 0,
      total: 1,
    }));
    return { ...found, rows };
  },
});

const report = (project: ProjectClient) => `/v1/analytics/${project.projectId}/views?format=csv`;
const bearer = (project: ProjectClient) => ({ authorization: `Bearer ${project.adminKey}` });
const download = (project: ProjectClient) =>
  fetch(headcount.url + report(project), { headers: bearer(project) });

/** Asks for the file and reads nothing after its beginning. */
async function stall(project: ProjectClient): Promise<RawConnection> {
  const connection = openConnection(headcount.url);
  connections.push(connection);
  connection.write(
    `GET ${report(project)} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer(project).authorization}\r\n\r\n`,
  );
  await expect.poll(() => connection.received()).toContain('\r\n\r\n');
  connection.socket.pause();
  expect(connection.received().slice(0, 15)).toBe('HTTP/1.1 200 OK');
  return connection;
}

/** The last chunk of a body is empty. */
const isWhole = (received: string) => received.endsWith('\r\n0\r\n\r\n');

test('slow readers of one project hold up no other, and are ended when they take nothing', async () => {
  await start({ wrapStore });
  const other = await headcount.addProject();
  await Promise.all([1, 2, 3, 4].map(() => stall(headcount)));
  const refused = await download(headcount);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const free = await download(other);
  expect([free.status, (await free.text()).split('\r\n').length]).toEqual([200, 50_002]);
  const again = async () => {
    look();
    const response = await download(headcount);
    await response.body?.cancel();
    return response.status;
  };
  await expect.poll(again).toBe(200);
  expect(headcount.log).toEqual([]);
});

test('who takes a file in drop by drop is ended after a while', async () => {
  await start({ wrapStore });
  const { socket, closed } = await stall(headcount);
  for (let drop = 0; drop < 5; drop++) {
    const taken = once(socket, 'data');
    socket.resume();
    await taken;
    socket.pause();
  }
  fileTakesTooLong.abort(new DOMException('The file takes too long.', 'TimeoutError'));
  socket.resume();
  expect(isWhole(await closed)).toBe(false);
  expect(headcount.log).toEqual([]);
});

/** How much of what a socket has to send the system took: a part of what a reader takes frees no room for more. */
function sentBy(socket: Socket): number {
  const handle = Reflect.get(socket, '_handle');
  return handle ? handle.bytesWritten - handle.writeQueueSize : Number.NaN;
}

test('a reader that is only slow gets all of its file', async () => {
  // The file spans many looks; ended is what takes nothing between two of them.
  await start({ wrapStore });
  const asked = nextAsked();
  const { socket, received, closed } = await stall(headcount);
  const served = await asked;
  let isOver = false;
  void closed.then(() => {
    isOver = true;
  });
  let reads = 0;
  while (!isOver && !isWhole(received())) {
    look();
    // Takes some of it between any two looks, however long that takes.
    const sent = sentBy(served);
    socket.resume();
    await expect
      .poll(() => isOver || isWhole(received()) || sentBy(served) > sent, { interval: 1 })
      .toBe(true);
    socket.pause();
    reads++;
  }
  expect(isWhole(received())).toBe(true);
  expect(reads).toBeGreaterThan(10);
});

/** The server's end of the next connection that asks for something. */
function nextAsked(): Promise<Socket> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      unsubscribe('http.server.request.start', onRequest);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe('http.server.request.start', onRequest);
  });
}

/** Asks on a connection that reads nothing. Resolves with the server's end of it. */
async function askUnread(requests: string): Promise<{ connection: RawConnection; served: Socket }> {
  const asked = nextAsked();
  const connection = openConnection(headcount.url);
  connections.push(connection);
  connection.socket.pause();
  connection.write(requests);
  return { connection, served: await asked };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('a connection on which nobody reads the answers is ended, though it goes on asking', async () => {
  await start();
  const { connection, served } = await askUnread(get('/hc.js'));
  const ask = async (path: string, count: 'bytesRead' | 'bytesWritten') => {
    const before = served[count];
    connection.write(get(path));
    await expect.poll(() => served[count] > before, { interval: 1 }).toBe(true);
  };
  // Until the system takes no more, and so slowly that Node still reads.
  while (served.writableLength === 0) await ask('/hc.js', 'bytesWritten');
  for (look(); !served.destroyed; look()) await ask('/healthz', 'bytesRead');
  expect(served.isPaused()).toBe(false);
  expect(headcount.log).toEqual([]);
});

test.each(['/hc.js', '/'])(
  'a connection that asks thousands of times for %s and reads nothing is ended',
  async (path) => {
    await start();
    const { served } = await askUnread(get(path).repeat(20_000));
    await expectToBeEnded(served);
    expect((await fetch(`${headcount.url}/hc.js`)).status).toBe(200);
    expect(headcount.log).toEqual([]);
  },
);

test('an event stream that nobody reads is ended, whatever its heartbeat', async () => {
  const eventStreams = new EventStreams({ pollMs: 5, heartbeatMs: 100 });
  await start({
    project: { repository: 'https://git.example.com/owner/site', model: 'openai/x' },
    eventStreams,
  });
  const { id } = await jobClient(headcount.url, headcount).mustCreate();
  const { jobs } = headcount.context.store;
  const lease = await jobs.claimTurn({ total: 1, perProject: 1, leaseMs: 600_000 });
  const asked = nextAsked();
  const connection = openConnection(headcount.url);
  connections.push(connection);
  connection.socket.pause();
  connection.write(
    `GET /v2/agent/${headcount.projectId}/job/${id}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: ${bearer(headcount).authorization}\r\n\r\n`,
  );
  const served = await asked;
  // So little that the stream could take more, once the system takes no more.
  const event = { type: 'text', data: { text: 'x'.repeat(8_000) } };
  for (let sent = 0; served.writableLength === 0; sent += 8_000) {
    await jobs.appendEvents(lease as Lease, [event]);
    await expect.poll(() => served.bytesWritten > sent, { interval: 1 }).toBe(true);
  }
  expect(served.writableNeedDrain).toBe(false);
  const { bytesWritten } = served;
  look();
  await expect.poll(() => served.bytesWritten > bytesWritten).toBe(true);
  await expectToBeEnded(served);
});
