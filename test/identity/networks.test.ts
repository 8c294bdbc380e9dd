import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHeadcount } from '../support/child.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { makeMmdb } from '../support/places/mmdb.ts';

const newFolder = temporaryFolders();
let file: string;
let headcount: Headcount;

beforeAll(async () => {
  file = join(await newFolder(), 'networks.mmdb');
  const networks = makeMmdb(
    {
      '160.79.104.0/23': { asn: 'AS399358', as_name: 'ANTHROPIC' },
      '199.47.142.0/23': { asn: 'AS401518', as_name: 'OPENAI' },
      '52.0.0.0/11': { asn: 'AS14618', as_name: 'AMAZON-AES' },
      '79.192.0.0/10': { asn: 'AS3320', as_name: 'DTAG\u2028Network: forged' },
      '2607:6bc0::/48': { asn: 'AS399358', as_name: 'ANTHROPIC' },
      '81.0.0.0/8': { country: 'no network' },
    },
    24,
  );
  await writeFile(file, networks);
  headcount = await startHeadcount({ env: { HEADCOUNT_ASN_DATABASE: file } });
});
afterAll(() => headcount.stop());

const userAgents = {
  LinerBot: 'Mozilla/5.0 (compatible; LinerBot/1.0)',
  'Claude-User': 'Claude-User/1.0',
  Aider: 'Aider/0.86',
  person:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};

const networks = async () => {
  const reply = await headcount.get<{ networks: { client: string; network: string; views: number }[] }>(
    `/v1/analytics/${headcount.projectId}/ai-networks`,
  );
  return reply.networks.map(({ client, network, views }) => `${client} ${network} ${views}`).sort();
};

test('views of clients that nothing proved are counted by whose network they came from, and others are not', async () => {
  const came: [name: keyof typeof userAgents, ip: string][] = [
    ['Claude-User', '160.79.104.9'],
    ['Claude-User', '2607:6bc0::9'],
    ['Claude-User', '199.47.142.9'],
    ['LinerBot', '52.1.2.3'],
    ['LinerBot', '79.200.1.1'],
    ['LinerBot', '81.1.1.1'],
    ['LinerBot', '203.0.113.7'],
    ['Aider', '79.200.1.2'],
    ['person', '79.200.1.3'],
  ];
  const hits = came.map(([name, ip], i) => ({
    url: `https://example.com/${i}`,
    ip,
    userAgent: userAgents[name],
  }));
  expect(await (await headcount.hits(hits)).json()).toMatchObject({ accepted: hits.length });
  expect(await networks()).toEqual([
    'Claude-User other 1',
    'Claude-User own 2',
    'LinerBot other 1',
    'LinerBot rented 1',
    'LinerBot unknown 2',
  ]);
  const { clients } = await headcount.get<{ clients: { client: string; proof: string }[] }>(
    `/v1/analytics/${headcount.projectId}/ai-clients`,
  );
  // The own network proves nothing, and another one refutes nothing.
  expect(new Set(clients.map(({ proof }) => proof))).toEqual(new Set(['claimed']));
});

test('whois tells the network of one request in a line, whatever the network calls itself', async () => {
  const whois = async (name: keyof typeof userAgents, ip: string, ...more: string[]) => {
    const args = ['whois', '--user-agent', userAgents[name], '--ip', ip, ...more];
    const env = { HEADCOUNT_ASN_DATABASE: file, HEADCOUNT_DATA_DIR: headcount.dataDir };
    return (await runHeadcount(args, env)).stdout;
  };
  expect(await whois('Claude-User', '160.79.104.9')).toContain(
    '\nNetwork: AS399358 (ANTHROPIC), the operator’s own, which makes the claim likely and does not prove it.\n',
  );
  expect(await whois('LinerBot', '79.200.1.1')).toContain(
    '\nNetwork: AS3320 (DTAG Network: forged), not known to be the operator’s.\n',
  );
  expect(await whois('LinerBot', '203.0.113.7')).toContain('\nNetwork: the database does not know it.\n');
  expect(await whois('person', '79.200.1.1')).not.toContain('Network');
  expect(JSON.parse(await whois('LinerBot', '52.1.2.3', '--json'))).toMatchObject({
    proof: 'claimed',
    network: { hint: 'rented', asn: 14618, name: 'AMAZON-AES' },
  });
});

test('a database in the form of GeoLite2 ASN, which has numbers, says the same', async () => {
  const folder = await newFolder();
  const geoLite = join(folder, 'GeoLite2-ASN.mmdb');
  const network = (asn: number, name: string) => ({
    autonomous_system_number: asn,
    autonomous_system_organization: name,
  });
  const networks = {
    '160.79.104.0/23': network(399358, 'ANTHROPIC'),
    '52.0.0.0/11': network(14618, 'AMAZON-AES'),
    '79.192.0.0/10': { autonomous_system_number: 3320 },
    '81.0.0.0/8': network(4_200_000_000, 'Private, of 32 bits'),
    '82.0.0.0/8': { autonomous_system_organization: 'no number' },
    '2607:6bc0::/48': network(399358, 'ANTHROPIC'),
  };
  await writeFile(geoLite, makeMmdb(networks, 24, 'GeoLite2-ASN'));
  const env = { HEADCOUNT_ASN_DATABASE: geoLite, HEADCOUNT_DATA_DIR: folder };
  const lines = async (name: keyof typeof userAgents, ip: string) => {
    const args = ['whois', '--user-agent', userAgents[name], '--ip', ip];
    return (await runHeadcount(args, env)).stdout.split('\n').filter((line) => line.startsWith('Network'));
  };
  const own =
    'Network: AS399358 (ANTHROPIC), the operator’s own, which makes the claim likely and does not prove it.';
  const found = await Promise.all([
    lines('Claude-User', '160.79.104.9'),
    lines('Claude-User', '2607:6bc0::9'),
    lines('LinerBot', '52.1.2.3'),
    lines('LinerBot', '79.200.1.1'),
    lines('LinerBot', '81.1.1.1'),
    lines('LinerBot', '82.1.1.1'),
  ]);
  expect(found.flat()).toEqual([
    own,
    own,
    'Network: AS14618 (AMAZON-AES), where anybody may rent machines.',
    'Network: AS3320, not known to be the operator’s.',
    'Network: AS4200000000 (Private, of 32 bits), not known to be the operator’s.',
    'Network: the database does not know it.',
  ]);
});

test('a file that is no database ends the start with a sentence', async () => {
  const broken = join(await newFolder(), 'broken.mmdb');
  await writeFile(broken, 'nothing');
  const env = { HEADCOUNT_ASN_DATABASE: broken, HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_PORT: '0' };
  const { code, stderr } = await runHeadcount(['serve'], env);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('HEADCOUNT_ASN_DATABASE must be a MaxMind DB file'),
  ]);
});
