import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpServer, usualTiming } from '../../server/http/listening/http-server.ts';
import { createLog } from '../../server/log.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { openConnection, parseAnswers, type RawConnection } from '../support/raw-connection.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

const head = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\n`;

async function connected(from?: string) {
  const connection = openConnection(headcount.url, from);
  await once(connection.socket, 'connect');
  return connection;
}

/**
 * Connections that the system has made for this port, let in or not: those of a server that had it before may be among
 * them, and one that comes meanwhile may be told of twice. Undefined: this system does not tell.
 */
function madeFor(url: string): number | undefined {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const made = new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 01 `, 'gm');
  try {
    return readFileSync('/proc/net/tcp', 'latin1').match(made)?.length ?? 0;
  } catch {
    return undefined;
  }
}

function mostThatWait(): number {
  return Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1'));
}

/** Nothing goes on in this process meanwhile. */
function pauseAll(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('connections that come at once while the server is busy wait for it, and none is broken off', async (context) => {
  headcount = await startHeadcount();
  if (madeFor(headcount.url) === undefined || mostThatWait() < 1000) {
    leaveOut(context, 'the system keeps, or tells of, fewer waiting connections');
  }
  const many = Array.from({ length: 1000 }, () => openConnection(headcount.url));
  for (const { write } of many) write(`${head('GET', '/hc.js')}Connection: close\r\n\r\n`);
  // They are asked for, and the server, which is this process, lets none in before this turn ends.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const made = () => madeFor(headcount.url) ?? 0;
  const latestAt = performance.now() + 10_000;
  while (made() < 1000 && performance.now() < latestAt) pauseAll(20);
  expect(made()).toBeGreaterThanOrEqual(1000);
  const answers = await Promise.all(many.map(async ({ closed }) => parseAnswers(await closed)));
  expect(answers.flat().filter(({ status }) => status === 200)).toHaveLength(1000);
});

describe('connections above the bound', () => {
  test('are asked to come back, while those that are open go on', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_MAX_CONNECTIONS: '3' } });
    const body = JSON.stringify({ p: headcount.projectId, u: 'https://example.com/in-flight' });
    const early = await Promise.all([connected(), connected(), connected()]);
    const begun = `${head('POST', '/v1/hit')}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    for (const { write } of early) write(begun + body.slice(0, 10));

    const late = await connected();
    late.write(`${head('GET', '/hc.js')}\r\n`);
    const [refused] = parseAnswers(await late.closed);
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([503, '5']);
    expect(JSON.parse(refused?.body ?? '')).toEqual({
      error: 'Too many connections are open. Nothing was stored; retry later.',
    });

    for (const { write } of early) write(body.slice(10));
    const answers = await Promise.all(early.map(async ({ closed }) => parseAnswers(await closed)));
    expect(answers.flat().map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await headcount.views())['/in-flight']?.human).toBe(3);
    expect(headcount.log).toEqual([
      expect.stringContaining('3 connections are open; further ones are refused. HEADCOUNT_MAX_CONN'),
    ]);
  });

  test('are closed when they say nothing, and hundreds more of them at once', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_MAX_CONNECTIONS: '3' } });
    const silent = Array.from({ length: 200 }, () => openConnection(headcount.url));
    const closed = silent.map(({ closed }) => closed);
    // The first three are within the bound.
    const ended: unknown[] = [];
    for (const end of closed) void end.then(() => ended.push(end));
    await expect.poll(() => ended.length).toBe(197);
    for (const { socket } of silent) socket.destroy();
    await expect.poll(async () => (await fetch(`${headcount.url}/hc.js`)).status).toBe(200);
  });

  test('find room where others only wait for their next request', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_MAX_CONNECTIONS: '10' } });
    const idle = await Promise.all(Array.from({ length: 9 }, () => connected()));
    for (const { write } of idle) write(`${head('GET', '/hc.js')}\r\n`);
    for (const { received } of idle) await expect.poll(received).toContain('200 OK');
    const next = await connected();
    await Promise.all(idle.map(({ closed }) => closed));
    next.write(`${head('GET', '/hc.js')}Connection: close\r\n\r\n`);
    expect(parseAnswers(await next.closed)[0]?.status).toBe(200);
    expect(headcount.log).toEqual([]);
  });
});

describe('connections of one network', () => {
  /** Nothing on them ends within a test. */
  const patient = {
    ...usualTiming,
    headMs: 600_000,
    requestMs: 600_000,
    stalledMs: 600_000,
    idleMs: 600_000,
  };
  const bounded = (most: string, env: Record<string, string> = {}) =>
    startHeadcount({
      timing: patient,
      env: {
        HEADCOUNT_MAX_CONNECTIONS: '40',
        HEADCOUNT_TRUSTED_PROXIES: 'none',
        HEADCOUNT_MAX_CONNECTIONS_PER_NETWORK: most,
        ...env,
      },
    });
  const hold = (many: number, from: string) =>
    Promise.all(
      Array.from({ length: many }, async () => {
        const connection = await connected(from);
        connection.write(`${head('POST', '/v1/hit')}Content-Length: 100\r\n\r\n{`);
        return connection;
      }),
    );
  const asked = async (from: string) => {
    const connection = await connected(from);
    connection.write(`${head('GET', '/hc.js')}Connection: close\r\n\r\n`);
    return parseAnswers(await connection.closed)[0];
  };
  const end = (held: RawConnection[]) =>
    Promise.all(
      held.map(({ socket, closed }) => {
        socket.destroy();
        return closed;
      }),
    );

  test('above its bound are asked to come back, and those of others are answered', async () => {
    headcount = await bounded('10');
    const held = await hold(10, '127.0.0.2');
    const refused = await asked('127.0.0.2');
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([503, '5']);
    expect(JSON.parse(refused?.body ?? '')).toEqual({
      error: 'Too many connections from your network are open. Nothing was stored; retry later.',
    });
    // Far more than all may have together, at once: others go on meanwhile.
    const more = Array.from({ length: 500 }, () => openConnection(headcount.url, '127.0.0.2'));
    for (let i = 0; i < 20; i++) expect((await asked('127.0.0.3'))?.status).toBe(200);
    expect(held.filter(({ socket }) => socket.destroyed)).toEqual([]);
    expect(headcount.log).toEqual([
      expect.stringContaining(
        '10 connections from one network are open; further ones from there are refused',
      ),
    ]);
    await end([...held, ...more]);
    await expect.poll(async () => (await asked('127.0.0.2'))?.status).toBe(200);
  });

  test.each([
    ['of a trusted proxy', '10', { HEADCOUNT_TRUSTED_PROXIES: '127.0.0.2' }],
    ['of loopback, unless the setting is given', '', {}],
    ['where the setting is 0', '0', {}],
  ])('have no bound %s', async (_, most, env) => {
    headcount = await bounded(most, env);
    const held = await hold(30, '127.0.0.2');
    expect((await asked('127.0.0.2'))?.status).toBe(200);
    await end(held);
    expect(headcount.log).toEqual([]);
  });

  test.each([
    ['an IPv4 address', () => '203.0.113.7', '203.0.113.8', 10],
    ['a /64 of IPv6', (i: number) => `2001:db8::${i}`, '2001:db8:0:1::1', 10],
    ['a /48 of IPv6', (i: number) => `2001:db8:0:${i}::1`, '2001:db8:1::1', 20],
    ['IPv4 within IPv6', () => '::ffff:203.0.113.7', '203.0.113.8', 10],
  ])('%s may have a quarter of all', async (_, addressOf, other, most) => {
    headcount = await startHeadcount();
    const log: string[] = [];
    const { server } = createHttpServer((_req, res) => res.end(), {
      wanted: 40,
      perNetwork: null,
      isTrusted: () => false,
      timing: patient,
      log: createLog((line) => log.push(line), Date.now),
    });
    const statusFrom = async (address: string) => {
      const [client, served] = duplexPair();
      server.emit('connection', Object.assign(served, { remoteAddress: address }));
      client.write(`${head('GET', '/')}\r\n`);
      const [answer] = (await once(client, 'data')) as [Buffer];
      return Number(answer.toString('latin1', 9, 12));
    };
    const statuses = [];
    for (let i = 0; i <= most; i++) statuses.push(await statusFrom(addressOf(i)));
    expect(statuses).toEqual([...Array.from({ length: most }, () => 200), 503]);
    expect(await statusFrom(other)).toBe(200);
    expect(log).toHaveLength(1);
    server.close();
  });
});

describe('while connections are scarce', () => {
  /** As soon as one of two is open. */
  const scarce = () =>
    startHeadcount({
      env: { HEADCOUNT_MAX_CONNECTIONS: '3' },
      timing: { headMs: 600_000, requestMs: 600_000, scarceHeadMs: 100, scarceRequestMs: 100, checkMs: 20 },
    });
  const begun = () => `${head('POST', '/v1/hit')}Content-Length: 200\r\n\r\n{`;
  const drip = async ({ socket, write }: RawConnection, text: string) => {
    for (const sign of text) {
      if (socket.destroyed) return;
      write(sign);
      await pause(20);
    }
  };

  test.each([
    ['sends nothing', '', ''],
    ['stops in the head', 'POST /v1/hit HTTP/1.1\r\nHost: x\r\nX-Slow: ', ''],
    ['drips its head', 'POST /v1/hit HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x'],
    ['stops in the body', begun(), ''],
    ['drips its body', begun(), ' '],
  ])('a connection that %s is ended', async (_, sent, dripped) => {
    headcount = await scarce();
    const two = await Promise.all([connected(), connected()]);
    for (const { write } of two) write(sent);
    const [answer] = await Promise.all([two[0].closed, ...two.map((one) => drip(one, dripped.repeat(150)))]);
    expect(parseAnswers(answer)[0]?.status).toBe(408);
  });

  test('requests have less time, and as much as before when that is over', async () => {
    headcount = await scarce();
    const two = await Promise.all([connected(), connected()]);
    await Promise.all(two.map(({ closed }) => closed));
    const body = JSON.stringify({ p: headcount.projectId, u: 'https://example.com/slow' });
    const alone = await connected();
    alone.write(`${head('POST', '/v1/hit')}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
    await drip(alone, body);
    expect(parseAnswers(await alone.closed)[0]?.status).toBe(202);
  });
});
