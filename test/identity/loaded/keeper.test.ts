import type { IncomingMessage, ServerResponse } from 'node:http';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { identify } from '../../../server/identity/identify.ts';
import { CatalogueKeeper, useShippedCatalogue } from '../../../server/identity/loaded/catalogue-keeper.ts';
import { makeKeyPair, signText } from '../../../server/identity/loaded/signed-text.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import { openSqliteStore } from '../../../server/store/sqlite/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { databaseIn, temporaryFolders } from '../../support/data-folders.ts';
import {
  catalogueText,
  signedCatalogue,
  signer,
  zyxUserAgent,
} from '../../support/identity/signed-catalogue.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
let server: TestHttpsServer;
let folder: string;
let store: Store;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let lines: string[];

beforeAll(async () => {
  server = await startHttpsServer((request, response) => answer(request, response));
});
afterAll(() => server.close());
beforeEach(async () => {
  lines = [];
  folder = await newFolder();
  store = await openSqliteStore(folder);
});
afterEach(async () => {
  useShippedCatalogue();
  await store.close();
});

const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
const give = (text: string, status = 200) => {
  answer = (_request, response) => {
    response.writeHead(status).end(text);
  };
};
const isKnown = () => identify({ via: 'script', userAgent: zyxUserAgent }).kind === 'ai';

/** What a process does when it starts. */
function open({ catalogue }: Store = store, key = signer.publicKey): Promise<CatalogueKeeper> {
  const config = readConfig({ HEADCOUNT_CATALOGUE_KEY: key });
  return CatalogueKeeper.open({ config, store: catalogue, log }, createHttpsGet(loopback(server.ca)));
}
const address = () => `https://${server.host}/secret-path/catalogue.signed`;

test('a newer catalogue at an address is taken up, and again after the next start', async () => {
  give(signedCatalogue());
  const keeper = await open();
  expect(await keeper.fetch(address())).toBe(true);
  expect(isKnown()).toBe(true);
  expect(await keeper.fetch(address())).toBe(true);
  expect(lines).toEqual([expect.stringContaining('from now on: Zyxbot is an AI client (1).')]);
  await keeper.stop();
  expect(isKnown()).toBe(false);
  await open();
  expect(isKnown()).toBe(true);
});

test.each<[what: string, says: string, give: () => void]>([
  ['answers with an error', 'answered with status 404', () => give('gone', 404)],
  ['has what nobody signed', 'does not begin with the line', () => give('<!doctype html>')],
  ['has too much', 'more than 500000 bytes', () => give('x'.repeat(1_000_001))],
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
    const keeper = await open();
    prepare();
    expect(await keeper.fetch(address())).toBe(false);
    expect(isKnown()).toBe(false);
    expect(await store.catalogue.readCatalogue(0)).toBeUndefined();
    expect(lines).toEqual([expect.stringContaining(says)]);
    expect(lines.join()).not.toContain('secret-path');
  },
);

test('a server that nobody answers for goes on with what it has', async () => {
  const keeper = await open();
  await keeper.load(signedCatalogue());
  const closed = await startHttpsServer(() => undefined);
  await closed.close();
  expect(await keeper.fetch(`https://${closed.host}/`)).toBe(false);
  expect(isKnown()).toBe(true);
});

test('what is kept and was changed is not used at the next start, is told once, and the next good one is taken up', async () => {
  const before = await open();
  await before.load(signedCatalogue());
  await before.stop();
  const db = new Database(databaseIn(folder));
  db.prepare(`update loaded_catalogue set signed = replace(signed, '"Zyx"', '"Zyy"')`).run();
  db.close();
  lines = [];
  const keeper = await open();
  await keeper.take();
  expect(isKnown()).toBe(false);
  expect(lines).toEqual([expect.stringContaining('Its signature is not by the key')]);
  await (await open()).load(signedCatalogue(2));
  useShippedCatalogue();
  await keeper.take();
  expect(isKnown()).toBe(true);
});

test('what one node of a PostgreSQL loaded the others take up, and an older one never replaces it', async () => {
  const url = await makeDatabase();
  const [first, second] = [await openPostgresStore(url), await openPostgresStore(url)];
  try {
    const one = await open(first);
    await one.load(signedCatalogue(2));
    useShippedCatalogue();
    const two = await open(second);
    expect(lines.at(-1)).toContain('Zyxbot is an AI client (2)');
    await expect(two.load(signedCatalogue(1))).rejects.toThrow('only a newer one is taken up');
    await one.stop();
    await two.stop();
  } finally {
    await first.close();
    await second.close();
    await dropDatabase(url);
  }
});

describe.each(['sqlite', 'postgres'])('once the key was changed, on %s', (engine) => {
  const next = makeKeyPair();
  const byNext = (...given: Parameters<typeof catalogueText>) =>
    signText(catalogueText(...given), next.privateKey);
  let url: string | undefined;
  let kept: Store;
  beforeEach(async () => {
    url = engine === 'postgres' ? await makeDatabase() : undefined;
    kept = url === undefined ? store : await openPostgresStore(url);
  });
  afterEach(async () => {
    if (url === undefined) return;
    await kept.close();
    await dropDatabase(url);
  });

  test.each([
    ['loaded', async (keeper: CatalogueKeeper, text: string) => void (await keeper.load(text))],
    [
      'fetched',
      async (keeper: CatalogueKeeper, text: string) => {
        give(text);
        expect(await keeper.fetch(address())).toBe(true);
      },
    ],
  ])(
    'one that is %s takes the place of any version by the old key, also where that is in use',
    async (_how, load) => {
      await (await open(kept)).load(signedCatalogue(9_000_000));
      useShippedCatalogue();
      const running = await open(kept);
      expect(isKnown()).toBe(true);
      useShippedCatalogue();
      const keeper = await open(kept, next.publicKey);
      expect(isKnown()).toBe(false);
      await load(keeper, byNext(8));
      expect(await kept.catalogue.readCatalogue(0)).toBe(byNext(8));
      expect(isKnown()).toBe(true);
      lines = [];
      await running.take();
      expect(isKnown()).toBe(false);
      await running.take();
      expect(lines).toEqual([
        expect.stringContaining('is void'),
        expect.stringContaining('Its signature is not by the key'),
      ]);
    },
  );

  test('a server that trusts both goes over to the one that took its place, though its version is lower', async () => {
    const running = await open(kept, `${signer.publicKey},${next.publicKey}`);
    await running.load(signedCatalogue(900));
    useShippedCatalogue();
    await (await open(kept, next.publicKey)).load(byNext(8));
    await running.take();
    expect(isKnown()).toBe(true);
    expect(lines.at(-1)).toContain('Zyxbot is an AI client (8)');
  });

  test('one that cannot be stored is not reported as taken up', async () => {
    const keeper = await open(kept, next.publicKey);
    const unusable = signText('{"versions": 1}', next.privateKey);
    await kept.catalogue.keepCatalogue({ version: 9_000_000, signed: unusable });
    await expect(keeper.load(byNext(8))).rejects.toThrow('only a newer one is taken up');
    expect(isKnown()).toBe(false);
    expect(await kept.catalogue.readCatalogue(0)).toBe(unusable);
  });
});
