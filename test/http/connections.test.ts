import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
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
