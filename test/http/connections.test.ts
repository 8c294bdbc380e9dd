import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { openConnection, parseAnswers } from '../support/raw-connection.ts';

let headcount: Headcount;
afterEach(() => headcount.stop());

const head = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\n`;

async function connected() {
  const connection = openConnection(headcount.url);
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
  test('are told to come back, while those that are open go on', async () => {
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
      error: 'Too many connections are open: nothing was accepted, try again.',
    });

    for (const { write } of early) write(body.slice(10));
    const answers = await Promise.all(early.map(async ({ closed }) => parseAnswers(await closed)));
    expect(answers.flat().map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await headcount.views())['/in-flight']?.human).toBe(3);
    expect(headcount.log).toEqual([
      expect.stringContaining('3 connections are open and further ones are refused: see HEADCOUNT_MAX_CONN'),
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
