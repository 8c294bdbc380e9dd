import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { openConnection, parseAnswers, type RawConnection } from '../support/raw-connection.ts';

/** Besides the one that is answered. */
const maxWaiting = 32;

let headcount: Headcount;
let connections: RawConnection[];
beforeEach(async () => {
  connections = [];
  headcount = await startHeadcount();
});
afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  await headcount.stop();
});

async function connected(): Promise<RawConnection> {
  const connection = openConnection(headcount.url);
  connections.push(connection);
  await once(connection.socket, 'connect');
  return connection;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

function hit(path: string): string {
  const body = JSON.stringify({ p: headcount.projectId, u: `https://example.com${path}` });
  return `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const statusesOf = (text: string) => parseAnswers(text).map(({ status }) => status);

test('a few requests at once are answered in their order', async () => {
  const { write, closed } = await connected();
  const last = get('/hc.js').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  write([get('/hc.js'), hit('/a'), get('/nothing'), hit('/b'), get('/robots.txt'), hit('/c'), last].join(''));
  expect(statusesOf(await closed)).toEqual([200, 202, 404, 202, 200, 202, 200]);
  expect(Object.keys(await headcount.views()).sort()).toEqual(['/a', '/b', '/c']);
});

test('a client that always has ten requests on their way is answered all of them', async () => {
  const { write, received, socket } = await connected();
  let asked = 0;
  const answered = () => received().split('HTTP/1.1 ').length - 1;
  const ask = () => {
    for (; asked < 500 && asked < answered() + 10; asked++) write(get('/hc.js'));
  };
  socket.on('data', ask);
  ask();
  await expect.poll(answered).toBe(500);
  expect(new Set(statusesOf(received()))).toEqual(new Set([200]));
});

test.each([
  ['the script', () => get('/hc.js'), 200],
  ['what Express answers', () => get('/robots.txt'), 200],
  ['hits', () => hit('/many'), 202],
] as const)(
  'of hundreds of requests at once (%s) the first are answered, and the next gets the reason',
  async (_, request, status) => {
    const { write, closed } = await connected();
    write(request().repeat(200));
    const answers = parseAnswers(await closed);
    const refused = answers.pop();
    expect(answers.map((answer) => answer.status)).toEqual(Array(answers.length).fill(status));
    // What has left while the rest was on its way makes room.
    expect(answers.length).toBeGreaterThan(maxWaiting);
    expect([refused?.status, refused?.headers.connection, refused?.body]).toEqual([
      503,
      'close',
      '{"error":"More than 32 requests are waiting on this connection. Read their responses before you send more."}',
    ]);
    if (status === 202) expect((await headcount.views())['/many']?.human).toBe(answers.length);
    expect(headcount.log).toEqual([]);
  },
);

test('thousands of requests of one who reads nothing cost some answers, and end within seconds', async () => {
  const [one] = parseAnswers(await ask(get('/hc.js').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')));
  const length = JSON.stringify(one).length;
  const served = new Set<Socket>();
  const onRequest = (message: unknown) => served.add((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', onRequest);
  for (let i = 0; i < 10; i++) {
    const { socket, write } = await connected();
    socket.pause();
    write(get('/hc.js').repeat(20_000));
  }
  await expect.poll(() => served.size).toBe(10);
  await expect.poll(() => [...served].filter(({ destroyed }) => !destroyed).length).toBe(0);
  unsubscribe('http.server.request.start', onRequest);
  for (const { bytesWritten } of served) expect(bytesWritten).toBeLessThan(2 * maxWaiting * length);
  expect((await fetch(`${headcount.url}/hc.js`)).status).toBe(200);
});

async function ask(request: string): Promise<string> {
  const { write, closed } = await connected();
  write(request);
  return closed;
}
