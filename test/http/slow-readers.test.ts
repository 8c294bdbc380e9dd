import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { openConnection, type RawConnection } from '../support/raw-connection.ts';

let headcount: Headcount;
let connections: RawConnection[] = [];
beforeEach(() => {
  connections = [];
});
afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  await headcount.stop();
});

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
  headcount = await startHeadcount({ wrapStore, timing: { stalledMs: 1500 } });
  const other = await headcount.addProject();
  await Promise.all([1, 2, 3, 4].map(() => stall(headcount)));
  const refused = await download(headcount);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const free = await download(other);
  expect([free.status, (await free.text()).split('\r\n').length]).toEqual([200, 50_002]);
  const again = async () => {
    const response = await download(headcount);
    await response.body?.cancel();
    return response.status;
  };
  await expect.poll(again).toBe(200);
  expect(headcount.log).toEqual([]);
});

test('who takes a file in drop by drop is ended after a while', async () => {
  headcount = await startHeadcount({ wrapStore, timing: { fileMs: 1500 } });
  const { socket, closed, received } = await stall(headcount);
  const dripping = setInterval(() => {
    socket.resume();
    setImmediate(() => socket.pause());
  }, 200);
  await expect.poll(async () => (await Promise.race([closed, 'open'])) !== 'open').toBe(true);
  clearInterval(dripping);
  expect(isWhole(received())).toBe(false);
  expect(headcount.log).toEqual([]);
});

test('a reader that is only slow gets all of its file', async () => {
  headcount = await startHeadcount({ wrapStore, timing: { stalledMs: 1500 } });
  const { socket, received } = await stall(headcount);
  const reading = setInterval(() => (socket.isPaused() ? socket.resume() : socket.pause()), 400);
  await expect.poll(() => isWhole(received())).toBe(true);
  clearInterval(reading);
});
