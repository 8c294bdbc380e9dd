import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeKeyPair, signText } from '../../server/identity/loaded/signed-text.ts';
import { shippedVersions } from '../../server/identity/rule-versions.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { type Finished, runHeadcount } from '../support/child.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { runHere } from '../support/commands/command.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import {
  catalogueText,
  nextDate,
  shippedVersion,
  signedCatalogue,
  signer,
  zyxbot,
  zyxUserAgent,
} from '../support/identity/signed-catalogue.ts';

const newFolder = temporaryFolders();
const believing = { HEADCOUNT_CATALOGUE_KEY: signer.publicKey };
const shippedSays = `Version ${shippedVersion} of ${shippedVersions.at(-1)?.date}`;

const run = (dataDir: string, args: string[], env: Record<string, string> = believing): Promise<Finished> =>
  runHeadcount(['catalogue', ...args], { HEADCOUNT_DATA_DIR: dataDir, ...env });

/** For what takes up no catalogue: this process would keep it. */
const runAlone = (
  dataDir: string,
  args: string[],
  env: Record<string, string> = believing,
): Promise<Finished> => runHere(['catalogue', ...args], { HEADCOUNT_DATA_DIR: dataDir, ...env });

async function fileOf(text: string): Promise<string> {
  const file = join(await newFolder(), 'catalogue.signed');
  await writeFile(file, text);
  return file;
}

test('what a key signed that is trusted no more does not stand in the way of a lower version by another key', async () => {
  const dataDir = await newFolder();
  const next = makeKeyPair();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  await runHeadcount(['project', 'add', '--name', 'Docs'], env);
  expect(await run(dataDir, ['load', await fileOf(signedCatalogue(900))])).toMatchObject({ code: 0 });
  const trusting = { HEADCOUNT_CATALOGUE_KEY: next.publicKey };
  const lower = await fileOf(signText(catalogueText(800), next.privateKey));
  expect(await run(dataDir, ['load', lower], trusting)).toMatchObject({ code: 0 });
  const shown = await run(dataDir, ['show'], trusting);
  expect(shown.stdout).toContain(`Version ${shippedVersion + 800} of`);
  // The old key is void by now, and what it signed is no newer than nothing.
  expect((await run(dataDir, ['show'])).stdout).toContain(shippedSays);
});

describe('beside a running server', () => {
  const clock = createClock('2026-11-24T12:00:00Z');
  let headcount: Headcount;
  beforeAll(async () => {
    headcount = await startHeadcount({ env: believing, now: clock.now });
  });
  afterAll(() => headcount.stop());

  const countedAs = async () => {
    const hit = { url: 'https://docs.example.com/', ip: '203.0.113.7', userAgent: zyxUserAgent };
    const reply = (await (await headcount.hits([hit])).json()) as { dropped: { reason: string }[] };
    return reply.dropped[0]?.reason ?? 'counted';
  };
  const clientNames = async () => {
    const { clients } = await headcount.get<{ clients: { client: string }[] }>(
      `/v1/analytics/${headcount.projectId}/ai-clients`,
    );
    return clients.map(({ client }) => client);
  };
  const changes = () =>
    headcount.get<{ rulesVersion: number; changes: object[] }>(
      `/v1/analytics/${headcount.projectId}/changes`,
    );

  test('a catalogue that is made, signed and loaded by command is judged by within seconds, and noted for the day', async () => {
    expect(await countedAs()).toBe('bot');
    expect((await changes()).rulesVersion).toBe(shippedVersion);
    for (const path of ['/monday', '/tuesday']) {
      if (path === '/tuesday') clock.advance(dayMs);
      await headcount.hit({ u: `https://docs.example.com${path}` }, { 'user-agent': chromeUserAgent });
    }
    const folder = await newFolder();
    const at = (name: string) => join(folder, name);
    const shown = await run(headcount.dataDir, ['show', '--json']);
    const document = JSON.parse(shown.stdout);
    document.clients.push(zyxbot);
    document.versions.push({
      version: shippedVersion + 1,
      date: nextDate,
      says: 'Zyxbot is an AI client.',
    });
    await writeFile(at('new.json'), JSON.stringify(document));
    await writeFile(at('private.pem'), signer.privateKey, { mode: 0o600 });
    const signing = ['sign', at('new.json'), '--key', at('private.pem'), '--out', at('new.signed')];
    expect(await run(headcount.dataDir, signing)).toMatchObject({ code: 0, stderr: '' });
    const loaded = await run(headcount.dataDir, ['load', at('new.signed')]);
    expect(loaded).toMatchObject({ code: 0, stderr: '' });
    expect(loaded.stdout).toContain(`version ${shippedVersion + 1} of ${nextDate}`);
    await expect.poll(countedAs, { interval: 500 }).toBe('counted');
    expect(await clientNames()).toEqual(['Zyxbot']);
    expect(await changes()).toMatchObject({
      rulesVersion: shippedVersion + 1,
      changes: [
        {
          date: '2026-11-25',
          kind: 'rules',
          toVersion: shippedVersion + 1,
          text: 'Zyxbot is an AI client.',
          addedViews: 1,
        },
      ],
    });
    expect(headcount.log.join('')).toContain(`is version ${shippedVersion + 1} of ${nextDate} from now on`);
    const headers = { authorization: `Bearer ${headcount.rootKey}` };
    const audit = await fetch(`${headcount.url}/v1/audit`, { headers });
    const { entries } = (await audit.json()) as AuditReply;
    expect(entries[0]).toMatchObject({
      actor: { kind: 'command' },
      action: 'catalogue.loaded',
      projectId: null,
      subject: String(shippedVersion + 1),
    });
  });

  test('commands judge by it too, and only where its key is believed', async () => {
    const whois = (env: Record<string, string>) =>
      runHeadcount(['whois', '--user-agent', zyxUserAgent], {
        HEADCOUNT_DATA_DIR: headcount.dataDir,
        ...env,
      });
    expect((await whois(believing)).stdout).toContain('AI client Zyxbot (Zyx, search), claimed');
    expect((await whois({})).stdout).toContain('A bot');
    expect((await run(headcount.dataDir, ['show'])).stdout).toContain('it was loaded');
  });

  test('the same once more, or an older one, is refused, and the newer one stays', async () => {
    expect(await run(headcount.dataDir, ['load', await fileOf(signedCatalogue(3))])).toMatchObject({
      code: 0,
    });
    for (const ahead of [3, 2]) {
      const { code, stderr } = await run(headcount.dataDir, ['load', await fileOf(signedCatalogue(ahead))]);
      expect([code, stderr]).toEqual([
        1,
        `The catalogue was not loaded: Its version is ${shippedVersion + ahead}, and ${shippedVersion + 3} is in use: only a newer one is taken up.\n`,
      ]);
    }
    expect((await run(headcount.dataDir, ['show'])).stdout).toContain(`Version ${shippedVersion + 3}`);
  });
});

describe('where none was loaded', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await newFolder();
    await runHere(['project', 'add', '--name', 'Docs'], { HEADCOUNT_DATA_DIR: dataDir });
  });
  afterEach(async () => {
    expect((await runAlone(dataDir, ['show'])).stdout).toContain(shippedSays);
  });

  const without = (name: string) => (clients: object[]) =>
    clients.filter((entry) => (entry as typeof zyxbot).client !== name);
  const changing = (name: string, change: object) => (clients: object[]) =>
    clients.map((entry) => ((entry as typeof zyxbot).client === name ? { ...entry, ...change } : entry));
  const refusals: [what: string, text: () => string, says: string][] = [
    [
      'was changed after it was signed',
      () => signedCatalogue().replace('"Zyx"', '"Zyy"'),
      'Its signature is not by the key',
    ],
    [
      'somebody else signed',
      () => signText(catalogueText(), makeKeyPair().privateKey),
      'Its signature is not by the key',
    ],
    ['nobody signed', () => catalogueText(), 'does not begin with the line "headcount-catalogue ed25519'],
    ['is no JSON', () => signText('{', signer.privateKey), 'It is not JSON.'],
    [
      'has a field that nobody knows',
      () => signedCatalogue(1, changing('Zyxbot', { tastes: 'good' })),
      'does not have the form of a catalogue',
    ],
    [
      'has a purpose of its own',
      () => signedCatalogue(1, changing('Zyxbot', { purpose: 'fun' })),
      '.purpose: ',
    ],
    [
      'has more than half a megabyte',
      () => signText(`${catalogueText()}${' '.repeat(1_000_000)}`, signer.privateKey),
      'more than 500000 bytes',
    ],
    [
      'has a date before that in use',
      () =>
        signedCatalogue(1, undefined, {
          versions: [{ version: shippedVersion + 1, date: '2026-01-01', says: 'An old one.' }],
        }),
      'It is of 2026-01-01',
    ],
    [
      'names a client twice',
      () => signedCatalogue(1, (all) => [...all, zyxbot]),
      'the client "zyxbot" twice',
    ],
    [
      'takes people for AI',
      () => signedCatalogue(1, changing('Zyxbot', { tokens: ['Safari'] })),
      'The token "Safari" of Zyxbot occurs in the user agents of people.',
    ],
    ['lacks a client that rules name', () => signedCatalogue(1, without('opencode')), 'It lacks opencode'],
    [
      'does not say since when a client is there',
      () => signedCatalogue(1, changing('Zyxbot', { since: undefined })),
      `"since": ${shippedVersion + 1}`,
    ],
    [
      'leaves out what a client is proved by',
      () => signedCatalogue(1, changing('GPTBot', { ranges: undefined })),
      'by what these clients are proved: GPTBot. If that is meant, list them in "proofsChanged".',
    ],
    [
      'leaves out a client that can be proved',
      () => signedCatalogue(1, without('GPTBot')),
      'proved: GPTBot.',
    ],
    [
      'lets a crawler come from anywhere',
      () => signedCatalogue(1, changing('ClaudeBot', { ranges: undefined, runsOnUserMachine: true })),
      'proved: ClaudeBot.',
    ],
  ];
  test.each(refusals)('a catalogue that %s is refused in words', async (_what, text, says) => {
    const { code, stdout, stderr } = await runAlone(dataDir, ['load', await fileOf(text())]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(says);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('without a key that is believed nothing is loaded', async () => {
    const { code, stderr } = await runAlone(dataDir, ['load', await fileOf(signedCatalogue())], {});
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('No signer is trusted yet: set HEADCOUNT_CATALOGUE_KEY'),
    ]);
  });

  test('what changes proofs on purpose says so when it is signed', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'key.pem'), signer.privateKey);
    const sign = async (text: string, name: string) => {
      await writeFile(join(folder, `${name}.json`), text);
      const args = [
        join(folder, `${name}.json`),
        '--key',
        join(folder, 'key.pem'),
        '--out',
        join(folder, name),
      ];
      return runAlone(dataDir, ['sign', ...args]);
    };
    const change = changing('GPTBot', { ranges: undefined });
    expect(await sign(catalogueText(1, change), 'silent')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The catalogue was not signed: It would change by what'),
    });
    expect(await sign(catalogueText(1, change, { proofsChanged: ['GPTBot'] }), 'told')).toMatchObject({
      code: 0,
    });
  });
});

test('a key is made for its owner alone, is never written over, and its public half is a setting', async () => {
  const dataDir = await newFolder();
  const file = join(dataDir, 'key.pem');
  const { code, stdout } = await run(dataDir, ['key', '--out', file], {});
  expect(code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [, publicKey = ''] = /HEADCOUNT_CATALOGUE_KEY=(\S+)/.exec(stdout) ?? [];
  const signed = signText(catalogueText(), await readFile(file, 'utf8'));
  expect(stdout).not.toContain('PRIVATE');
  expect(await run(dataDir, ['key', '--out', file], {})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is there already'),
  });
  await runHeadcount(['project', 'add', '--name', 'Docs'], { HEADCOUNT_DATA_DIR: dataDir });
  const believed = { HEADCOUNT_CATALOGUE_KEY: `${signer.publicKey},${publicKey}` };
  expect(await run(dataDir, ['load', await fileOf(signed)], believed)).toMatchObject({ code: 0 });
});

test.each([
  [{ HEADCOUNT_CATALOGUE_KEY: 'c2VjcmV0' }, 'HEADCOUNT_CATALOGUE_KEY must be public keys of Ed25519'],
  [
    { HEADCOUNT_CATALOGUE_URL: 'https://example.com/c' },
    'HEADCOUNT_CATALOGUE_URL also needs HEADCOUNT_CATALOGUE_KEY',
  ],
  [
    { ...believing, HEADCOUNT_CATALOGUE_URL: 'http://example.com/c' },
    'HEADCOUNT_CATALOGUE_URL must be an https address',
  ],
])('a setting that cannot be used is refused: %j', async (env, says) => {
  const { code, stderr } = await runAlone(await newFolder(), ['show'], env as Record<string, string>);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});
