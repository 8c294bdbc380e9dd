import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { openConnection, parseAnswers, type RawAnswer, sendRaw } from '../support/raw-connection.ts';

/** Its bounds are beyond those of a test: what it refuses, it refuses at once. */
let headcount: Headcount;
/** For what is refused as it is late. */
let hasty: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount({ timing: { headMs: 3_600_000, requestMs: 3_600_000 } });
  hasty = await startHeadcount({ timing: { headMs: 400, requestMs: 800, checkMs: 50 } });
});
afterAll(() => Promise.all([headcount.stop(), hasty.stop()]));

const hit = (path: string) => JSON.stringify({ p: headcount.projectId, u: `https://example.com${path}` });
const hitRequest = (path: string) => {
  const body = hit(path);
  return `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
const chunked = 'POST /v1/hit HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';

function expectError(answer: RawAnswer | undefined, status: number, error: string): void {
  expect([answer?.status, answer?.headers['content-type'], JSON.parse(answer?.body ?? '')]).toEqual([
    status,
    'application/json; charset=utf-8',
    { error },
  ]);
}

describe('a request that Node itself refuses is answered in our words', () => {
  const cases: [string, string, number, string][] = [
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'The request is not valid HTTP.'],
    ['a method nobody knows', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'The request is not valid HTTP.'],
    ['a broken chunk', `${chunked}\r\nZZ\r\n`, 400, 'The request is not valid HTTP.'],
    [
      'two lengths',
      'POST /v1/hit HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'The request is not valid HTTP.',
    ],
    ['no Host', 'GET /hc.js HTTP/1.1\r\n\r\n', 400, 'The request must have a Host field.'],
    [
      'a large head',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(300_000)}\r\n\r\n`,
      431,
      'The address and the header fields must have at most 16 KiB.',
    ],
    [
      'a long address',
      `GET /${'x'.repeat(300_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'The address and the header fields must have at most 16 KiB.',
    ],
    [
      'a chunk with a large extension',
      `${chunked}\r\n1;${'x'.repeat(300_000)}\r\nx\r\n0\r\n\r\n`,
      413,
      'The extensions of a chunk must have at most 16 KiB.',
    ],
    [
      'an expectation',
      'POST /v1/hit HTTP/1.1\r\nHost: x\r\nExpect: a cup of tea\r\nContent-Length: 0\r\n\r\n',
      417,
      'Only "Expect: 100-continue" can be met here.',
    ],
    [
      'a wish for a tunnel',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
      405,
      'CONNECT is not possible here: this server is not a proxy.',
    ],
    [
      'a head that does not end',
      'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
      408,
      'The request took too long to arrive. Send it again.',
    ],
    [
      'a body that does not end',
      'POST /v1/hit HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"p":',
      408,
      'The request took too long to arrive. Send it again.',
    ],
    [
      'a broken chunk after an upgrade',
      `${chunked}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nZZ\r\n`,
      400,
      'The request is not valid HTTP.',
    ],
    [
      'a body after an upgrade that does not end',
      `${chunked}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n2\r\n{"`,
      408,
      'The request took too long to arrive. Send it again.',
    ],
    [
      'a length and chunks after an upgrade',
      `${chunked}Content-Length: 2\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n0\r\n\r\n`,
      400,
      'The request is not valid HTTP.',
    ],
  ];

  test.each(cases)('%s', async (_, request, status, error) => {
    const server = status === 408 ? hasty : headcount;
    const answers = await sendRaw(server.url, request);
    expect(answers).toHaveLength(1);
    expectError(answers[0], status, error);
    expect(server.log).toEqual([]);
  });
});

test('a broken chunk after an upgrade is refused when it comes, and not when the time is over', async () => {
  const head = `${chunked}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  const later = openConnection(headcount.url);
  later.write(`${head}2\r\n`);
  await Promise.all(
    ['ZZ\r\n', '1\r\nxyz\r\n', '-1\r\n', `1;${'x'.repeat(300_000)}\r\n`].map(async (chunk) => {
      const [answer] = await sendRaw(headcount.url, head + chunk);
      expectError(answer, 400, 'The request is not valid HTTP.');
    }),
  );
  const upgraded = 'GET /hc.js HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
  for (const next of ['HELLO\r\n\r\n', `${head}ZZ\r\n`, `${chunked}\r\nZZ\r\n`]) {
    const answers = await sendRaw(headcount.url, upgraded + next);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  }
  later.write('{"x');
  const [answer] = parseAnswers(await later.closed);
  expectError(answer, 400, 'The request is not valid HTTP.');
  expect(headcount.log).toEqual([]);
});

const routes = [
  'POST /v1/hit',
  'GET /hc.js',
  'GET /v1/projects',
  'GET http://x/hc.js',
  'POST http://x/v1/hit',
];
describe.each(routes)('%s is refused', (route) => {
  const cases: [string, string, string][] = [
    ['without Host', '', 'The request must have a Host field.'],
    ['with two', 'Host: x\r\nhOST: x\r\n', 'The request must have one Host field only.'],
    ['with two others', 'Host: x\r\nHost: y\r\n', 'The request must have one Host field only.'],
    ['with an empty one before', 'Host:\r\nHost: y\r\n', 'The request must have one Host field only.'],
    ['with a space in it', 'Host: x y\r\n', 'The Host field must be a host and a port.'],
    ['with a path in it', 'Host: x/y\r\n', 'The Host field must be a host and a port.'],
    ['with a user in it', 'Host: u@x\r\n', 'The Host field must be a host and a port.'],
    ['with a port that is none', 'Host: x:80a\r\n', 'The Host field must be a host and a port.'],
    ['with an open bracket', 'Host: [::1\r\n', 'The Host field must be a host and a port.'],
    [
      'with signs beyond ASCII',
      'Host: b\xc3\xbccher.example\r\n',
      'The Host field must be a host and a port.',
    ],
  ];
  test.each(cases)('%s', async (_, fields, error) => {
    const request = `${route} HTTP/1.1\r\n${fields}Content-Length: 0\r\n\r\n`;
    const answers = await sendRaw(headcount.url, Buffer.from(request, 'latin1'));
    expect(answers).toHaveLength(1);
    expectError(answers[0], 400, error);
  });
});

test.each(['x', 'x:8787', '[::1]:80', '192.0.2.1', 'a_b.example.com:', ''])(
  'Host %j is right',
  async (host) => {
    const sent = `GET /hc.js HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(headcount.url, sent))[0]?.status).toBe(200);
  },
);

test('HTTP/1.0 does without Host, and has the same one', async () => {
  const ask = async (fields: string) =>
    (await sendRaw(headcount.url, `GET /hc.js HTTP/1.0\r\n${fields}\r\n`))[0]?.status;
  expect(await Promise.all(['', 'Host: x\r\n', 'Host: x\r\nHost: x\r\n'].map(ask))).toEqual([200, 200, 400]);
});

test('a connection on which nothing is sent is closed', async () => {
  const [answer] = parseAnswers(await openConnection(hasty.url).closed);
  expectError(answer, 408, 'The request took too long to arrive. Send it again.');
});

test('what comes before a broken request on its connection is answered first', async () => {
  const requests = `${hitRequest('/one')}${hitRequest('/two')}HELLO\r\n\r\n`;
  const answers = await sendRaw(headcount.url, requests);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 400]);
  expect(Object.keys(await headcount.views()).sort()).toEqual(['/one', '/two']);
});

test('a wish for another protocol is ignored, with a body as without one', async () => {
  const upgrade = 'Connection: Upgrade, close\r\nUpgrade: h2c\r\n';
  const body = hit('/upgrade');
  const sent = `${chunked}User-Agent: ${chromeUserAgent}\r\n${upgrade}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const [counted] = await sendRaw(headcount.url, sent);
  expect(counted?.status).toBe(202);
  const [script] = await sendRaw(headcount.url, `GET /hc.js HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`);
  expect(script?.status).toBe(200);
  expect((await headcount.views())['/upgrade']?.human).toBe(1);
});

test('a client that says 100-continue is told to go on', async () => {
  const body = hit('/continue');
  const connection = openConnection(headcount.url);
  connection.write(
    `POST /v1/hit HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await expect.poll(() => connection.received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  connection.write(body);
  expect(parseAnswers(await connection.closed).map(({ status }) => status)).toEqual([100, 202]);
});
