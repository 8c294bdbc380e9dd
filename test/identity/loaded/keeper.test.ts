import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { identify } from '../../../server/identity/identify.ts';
import { CatalogueKeeper } from '../../../server/identity/loaded/catalogue-keeper.ts';
import { useShippedCatalogue } from '../../../server/identity/loaded/loaded-catalogue.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import type { RangeStore } from '../../../server/store/range-store.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';
import { signedCatalogue, signer, zyxUserAgent } from '../../support/signed-catalogue.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
let server: TestHttpsServer;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let lines: string[];

beforeAll(async () => {
  server = await startHttpsServer((request, response) => answer(request, response));
});
afterAll(() => server.close());
beforeEach(() => {
  lines = [];
});
afterEach(() => useShippedCatalogue());

const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
const give = (text: string, status = 200) => {
  answer = (_request, response) => {
    response.writeHead(status).end(text);
  };
};
const isKnown = () => identify({ via: 'script', userAgent: zyxUserAgent }).kind === 'ai';

/** What a process does when it starts. */
function open(dataDir: string, store: RangeStore | null = null): Promise<CatalogueKeeper> {
  const config = readConfig({ HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_CATALOGUE_KEY: signer.publicKey });
  return CatalogueKeeper.open({ config, store, log }, createHttpsGet(loopback(server.ca)));
}
const address = () => `https://${server.host}/secret-path/catalogue.signed`;

test('a newer catalogue at an address is taken up, and again after the next start', async () => {
  const folder = await newFolder();
  give(signedCatalogue());
  const keeper = await open(folder);
  expect(await keeper.fetch(address())).toBe(true);
  expect(isKnown()).toBe(true);
  expect(await keeper.fetch(address())).toBe(true);
  expect(lines).toEqual([expect.stringContaining('from now on: Zyxbot is an AI client (1).')]);
  await keeper.stop();
  expect(isKnown()).toBe(false);
  await open(folder);
  expect(isKnown()).toBe(true);
});

test.each<[what: string, says: string, give: () => void]>([
  ['answers with an error', 'answered with status 404', () => give('gone', 404)],
  ['has what nobody signed', 'does not begin with the line', () => give('<!doctype html>')],
  ['has too much', 'more than 1000000 bytes', () => give('x'.repeat(1_000_001))],
  [
    'breaks off',
    'could not be read',
    () => {
      answer = (request) => request.socket.destroy();
    },
  ],
])(
  'an address that %s changes nothing, and the log says why without the address',
  async (_what, says, prepare) => {
    const folder = await newFolder();
    const keeper = await open(folder);
    prepare();
    expect(await keeper.fetch(address())).toBe(false);
    expect(isKnown()).toBe(false);
    expect(existsSync(join(folder, 'catalogue.signed'))).toBe(false);
    expect(lines).toEqual([expect.stringContaining(says)]);
    expect(lines.join()).not.toContain('secret-path');
  },
);

test('a server that nobody answers for goes on with what it has', async () => {
  const folder = await newFolder();
  const keeper = await open(folder);
  await keeper.load(signedCatalogue());
  const closed = await startHttpsServer(() => undefined);
  await closed.close();
  expect(await keeper.fetch(`https://${closed.host}/`)).toBe(false);
  expect(isKnown()).toBe(true);
});

test('a kept file that was changed is not used at the next start, is told once, and the next good one is taken up', async () => {
  const folder = await newFolder();
  const file = join(folder, 'catalogue.signed');
  await writeFile(file, signedCatalogue().replace('"Zyx"', '"Zyy"'));
  const keeper = await open(folder);
  await keeper.take();
  expect(isKnown()).toBe(false);
  expect(lines).toEqual([expect.stringContaining('Its signature is not by the key')]);
  await writeFile(file, signedCatalogue(2));
  await keeper.take();
  expect(isKnown()).toBe(true);
});

test('what one node of a PostgreSQL loaded the others take up, and an older one never replaces it', async () => {
  const url = await makeDatabase();
  const stores = [await openPostgresStore(url), await openPostgresStore(url)];
  try {
    const [first, second] = stores.map(({ ranges }) => ranges);
    const folders = [await newFolder(), await newFolder(), await newFolder()] as const;
    const one = await open(folders[0], first);
    await one.load(signedCatalogue(2));
    useShippedCatalogue();
    // A node that was apart, with an older one in its folder.
    await writeFile(join(folders[1], 'catalogue.signed'), signedCatalogue(1));
    const two = await open(folders[1], second);
    expect(lines.at(-1)).toContain('Zyxbot is an AI client (2)');
    useShippedCatalogue();
    await open(folders[2], first);
    expect(lines.at(-1)).toContain('Zyxbot is an AI client (2)');
    expect(existsSync(join(folders[2], 'catalogue.signed'))).toBe(true);
    await one.stop();
    await two.stop();
  } finally {
    for (const store of stores) await store.close();
    await dropDatabase(url);
  }
});
