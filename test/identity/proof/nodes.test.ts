import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProofs } from '../../../server/identity/proof/proof.ts';
import { readCopy } from '../../../server/identity/proof/range-copy.ts';
import { refreshRanges } from '../../../server/identity/proof/range-refresh.ts';
import { RangeSharing } from '../../../server/identity/proof/range-sharing.ts';
import { createRangeBook } from '../../../server/identity/proof/ranges.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import type { RangeStore } from '../../../server/store/nodes.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

const hourMs = 3_600_000;
const list = JSON.stringify({ prefixes: [{ ipv4Prefix: '20.171.206.0/23' }] });
const give = (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200).end(list);
};

let url: string;
let stores: Store[];
let folders: string[];
let server: TestHttpsServer;
let answer: typeof give;
let time: number;
let lines: string[];

beforeEach(async () => {
  url = await makeDatabase();
  stores = [];
  folders = [];
  lines = [];
  answer = give;
  time = Date.parse('2026-11-21T08:00:00Z');
  server = await startHttpsServer((request, response) => answer(request, response));
});
afterEach(async () => {
  await server.close();
  for (const store of stores) await store.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
  await dropDatabase(url);
});

/** Two feeds, of which the second is asked for when the first was answered. */
const feeds = () => ['a', 'b'].map((id) => ({ id, url: `https://${server.host}/${id}.json`, tokens: [id] }));
const log = {
  info: (line: string) => lines.push(line),
  warn: (line: string) => lines.push(line),
};

async function openStore(): Promise<RangeStore> {
  const store = await openPostgresStore(url, { now: () => time });
  stores.push(store);
  return store.nodes?.ranges as RangeStore;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headcount-shared-ranges-'));
  folders.push(folder);
  return folder;
}

/** As it is right after a start. */
async function startNode(get = createHttpsGet(loopback(server.ca))) {
  const store = await openStore();
  const book = createRangeBook(() => time);
  const folder = newFolder();
  const parts = { feeds: feeds(), book, folder, now: () => time, log };
  const context = { ...parts, get, sharing: new RangeSharing({ ...parts, store }) };
  const collection = `https://${server.host}/collection.json`;
  return {
    store,
    book,
    folder,
    refresh: () => refreshRanges({ ...context, collection }, new AbortController().signal),
  };
}

test('one of two nodes fetches the lists, and the other takes its copies', async () => {
  const one = await startNode();
  const two = await startNode();
  const held: (() => void)[] = [];
  answer = (request, response) => held.push(() => give(request, response));
  const fetching = one.refresh();
  await expect.poll(() => held).toHaveLength(1);
  expect(await two.refresh()).toBeNull();
  answer = give;
  held[0]?.();
  expect(await fetching).toBe(0);
  expect(await two.refresh()).toBe(0);
  expect(server.asked).toHaveLength(2);
  for (const { book, folder } of [one, two]) {
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
    expect(book.lookup('b', '203.0.113.9')).toBe('outside');
    expect(readCopy(folder, 'b')?.ranges).toEqual(['20.171.206.0/23']);
  }
  // Whoever comes first the next day fetches for the other again.
  time += 24 * hourMs;
  expect(await two.refresh()).toBe(0);
  expect(await one.refresh()).toBe(0);
  expect(server.asked).toHaveLength(4);
  expect(one.book.find('a')?.asOf).toBe(new Date(time).toISOString());
  expect(lines).toEqual([]);
});

test('a node without a way out leaves it to another, and uses what that one fetched', async () => {
  const without = await startNode(() => Promise.reject(new Error('There is no way out.')));
  const other = await startNode();
  expect(await without.refresh()).toBe(2);
  expect(without.book.lookup('a', '20.171.206.1')).toBe('unknown');
  expect(await other.refresh()).toBe(0);
  lines = [];
  expect(await without.refresh()).toBe(0);
  expect(without.book.lookup('a', '20.171.206.1')).toBe('inside');
  expect(lines).toEqual([]);
});

test('a server that asks nobody takes what other nodes fetched when it starts', async () => {
  const other = await startNode();
  await other.refresh();
  const proofs = createProofs({
    dataDir: newFolder(),
    offline: true,
    store: await openStore(),
    feeds: feeds(),
    now: () => time,
    log,
  });
  const check = () => proofs.check({ ip: '20.171.206.1', feeds: ['a'] });
  expect(check()).toEqual({ ranges: 'unknown' });
  proofs.start();
  await expect.poll(check).toEqual({ ranges: 'inside' });
  await proofs.stop();
  expect(server.asked).toHaveLength(2);
});

test('when the node that fetches is gone, another one does in its place', async () => {
  const gone = await openStore();
  const other = await startNode();
  expect(await gone.claimRefresh('gone')).toBe(true);
  expect(await other.refresh()).toBeNull();
  time += 21 * 60_000;
  expect(await other.refresh()).toBe(0);
  expect(other.book.lookup('a', '20.171.206.1')).toBe('inside');
});

test('a list that is none changes nothing, nor does an older one', async () => {
  const one = await startNode();
  await one.refresh();
  const held = one.book.find('a');
  const older = { ...held, asOf: new Date(time - hourMs).toISOString(), ranges: ['8.8.8.0/24'] };
  await one.store.keepCopy({ feed: 'a', asOf: time - hourMs, text: JSON.stringify(older) });
  await one.store.keepCopy({ feed: 'b', asOf: time + 1, text: '{"ranges":["0.0.0.0/0"]}' });
  const two = await startNode();
  expect(await two.refresh()).toBe(0);
  expect(two.book.find('a')).toEqual(held);
  expect(two.book.lookup('b', '20.171.206.1')).toBe('inside');
  expect(two.book.lookup('b', '203.0.113.9')).toBe('outside');
  expect(lines[0]).toContain('"b" of another node cannot be used');
});
