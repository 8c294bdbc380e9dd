import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { type Finished, runHeadcount, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-commands-'));
  env = { HEADCOUNT_DATA_DIR: join(folder, 'data'), HEADCOUNT_BASE_URL: 'https://count.example.com/' };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]) => runHere(args, env);

async function json<T>(finished: Promise<Finished>): Promise<T> {
  const { code, stdout, stderr } = await finished;
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

describe('project', () => {
  test('add prints keys, once, and the line for the pages', async () => {
    const added = await json<AddedProject>(
      run('project', 'add', '--name', 'Docs', '--host', 'localhost', '--json'),
    );
    expect(added).toEqual({
      projectId: expect.stringMatching(/^[a-z0-9]{12}$/),
      adminKey: expect.stringMatching(/^hc_admin_[0-9A-Za-z]{34}$/),
      ingestKey: expect.stringMatching(/^hc_ingest_[0-9A-Za-z]{34}$/),
      snippet: `<script defer src="https://count.example.com/hc.js" data-project="${added.projectId}"></script>`,
    });
    const { stdout } = await run('project', 'add', '--name', 'Words');
    expect(stdout).toMatch(/^Project [a-z0-9]{12} was added\. Its keys are shown only this once\.\n/);
  });

  test('set changes what is given and leaves the rest', async () => {
    const { projectId } = await json<AddedProject>(
      run(
        'project',
        'add',
        '--name',
        'Set',
        '--host',
        'a.example,B.example',
        '--host',
        '*.c.example',
        '--json',
      ),
    );
    await json(
      run('project', 'set', projectId, '--time-zone', 'Europe/Berlin', '--exclude-path', '/x/**', '--json'),
    );
    const changed = await json(
      run(
        'project',
        'set',
        projectId,
        '--exclude-ip',
        '192.0.2.0/24,2001:db8::1',
        '--keep-parameter',
        'page',
        '--json',
      ),
    );
    expect(changed).toMatchObject({
      projectId,
      name: 'Set',
      hosts: ['a.example', 'b.example', '*.c.example'],
      timeZone: 'Europe/Berlin',
      excludedPaths: ['/x/**'],
      excludedAddresses: ['192.0.2.0/24', '2001:db8::1'],
      keptParameters: ['page'],
    });
    expect(await json(run('project', 'set', projectId, '--host', '', '--json'))).toMatchObject({ hosts: [] });
  });

  test('list shows all, as a table or as JSON', async () => {
    const listed = await json<{ projectId: string; name: string }[]>(run('project', 'list', '--json'));
    const { stdout } = await run('project', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^PROJECT +NAME +HOSTS +TIME ZONE$/);
    for (const { projectId, name } of listed)
      expect(stdout).toMatch(new RegExp(`^${projectId} +${name}`, 'm'));
  });

  test('remove wants a yes, and says when there is nothing', async () => {
    const { projectId } = await json<AddedProject>(run('project', 'add', '--name', 'Gone', '--json'));
    const refused = await run('project', 'remove', projectId);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    expect((await run('project', 'remove', projectId, '--yes')).stdout).toBe(
      `Project ${projectId} was removed.\n`,
    );
    const again = await run('project', 'remove', projectId, '--yes');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`no project ${projectId}`)]);
  });
});

describe('key', () => {
  test('add, list and revoke', async () => {
    const { projectId } = await json<AddedProject>(run('project', 'add', '--name', 'Keys', '--json'));
    const added = await json<{ keyId: string; key: string }>(
      run('key', 'add', '--project', projectId, '--scope', 'ingest', '--name', 'edge', '--json'),
    );
    expect(added).toMatchObject({
      scope: 'ingest',
      projectId,
      name: 'edge',
      key: expect.stringMatching(/^hc_ingest_/),
    });
    const all = await json<{ key: string }>(run('key', 'add', '--all-projects', '--json'));
    expect(all).toMatchObject({ scope: 'admin', projectId: null });
    const listing = await run('key', 'list', '--project', projectId);
    expect(listing.stdout).toContain(added.keyId);
    expect(listing.stdout + (await run('key', 'list', '--json')).stdout).not.toContain(added.key.slice(11));
    expect((await run('key', 'revoke', added.keyId)).stdout).toBe(`Key ${added.keyId} was revoked.\n`);
    expect((await run('key', 'list')).stdout).not.toContain(added.keyId);
    expect((await run('key', 'revoke', added.keyId)).code).toBe(1);
  });
});

test('keys of the command line have a scope, an end and networks, and are listed with them', async () => {
  const { projectId } = await json<AddedProject>(run('project', 'add', '--name', 'Limits', '--json'));
  const limits = ['--expires', '90d', '--network', '10.0.0.0/8,::1', '--network', '192.0.2.7'];
  const before = Date.now();
  const added = await json<{ keyId: string; key: string; expiresAt: string }>(
    run('key', 'add', '--project', projectId, '--scope', 'read', '--name', 'report', ...limits, '--json'),
  );
  const networks = ['10.0.0.0/8', '::1', '192.0.2.7'];
  expect(added).toMatchObject({
    scope: 'read',
    networks,
    key: expect.stringMatching(/^hc_read_[0-9A-Za-z]{34}$/),
  });
  const days = (Date.parse(added.expiresAt) - before) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  await run(
    'key',
    'add',
    '--project',
    projectId,
    '--scope',
    'jobs',
    '--expires',
    '2999-03-31',
    '--name',
    'ci',
  );
  const listed = await json<Record<string, unknown>[]>(run('key', 'list', '--project', projectId, '--json'));
  const madeBy = { kind: 'command', id: null, name: null };
  const { keyId, expiresAt } = added;
  // Keys of one moment come in no order of their own.
  const order = ['first admin key', 'first ingest key', 'report', 'ci'];
  const inOrder = listed.toSorted((a, b) => order.indexOf(String(a.name)) - order.indexOf(String(b.name)));
  expect(inOrder).toEqual([
    expect.objectContaining({
      name: 'first admin key',
      scope: 'admin',
      expiresAt: null,
      networks: [],
      madeBy,
    }),
    expect.objectContaining({ name: 'first ingest key', scope: 'ingest' }),
    {
      ...{ keyId, projectId, expiresAt, networks, madeBy },
      scope: 'read',
      name: 'report',
      lastUsedOn: null,
      createdAt: expect.any(String),
    },
    expect.objectContaining({ name: 'ci', scope: 'jobs', expiresAt: '2999-03-31T00:00:00.000Z' }),
  ]);
  const { stdout } = await run('key', 'list', '--project', projectId);
  expect(stdout).toMatch(/^KEY +SCOPE +PROJECT +CREATED +EXPIRES +NETWORKS +MADE BY +LAST USED +NAME$/m);
  expect(stdout).toMatch(
    new RegExp(
      `^${keyId} +read +${projectId} +\\S+ +${expiresAt.slice(0, 16).replace('T', ' ')} +10.0.0.0/8,::1,192.0.2.7 +command +never +report$`,
      'm',
    ),
  );
});

describe('wrong usage ends with 2 and says what to do', () => {
  test.each([
    [['nonsense'], 'the commands are serve, project, whois, job, automation, key'],
    [['project'], 'one of add, preview, sections, list, set, remove'],
    [['project', 'destroy'], 'not "destroy"'],
    [['project', 'add'], 'give it with --name'],
    [['project', 'add', '--name', ''], '--name must not be empty'],
    [['project', 'add', '--name', 'x', '--colour', 'red'], '--colour'],
    [['project', 'add', '--name', 'x', '--host', 'https://x.example'], '--host must be a host name'],
    [['project', 'add', '--name', 'x', '--time-zone', 'Mars/Base'], 'Europe/Berlin'],
    [['project', 'add', '--name', 'x', '--exclude-ip', '300.1.1.1'], '192.0.2.0/24'],
    [['project', 'add', '--name', 'x', '--exclude-path', 'admin'], 'begins with a slash'],
    [['project', 'set'], 'Expected <project>'],
    [['project', 'set', 'x'], 'Nothing to change'],
    [['key', 'add'], 'either --project <project> or --all-projects'],
    [['key', 'add', '--all-projects', '--scope', 'root'], 'read, jobs, admin or ingest'],
    [['key', 'add', '--all-projects', '--expires', 'soon'], '--expires must be like 90d, 12h, 2027-03-31'],
    [['key', 'add', '--all-projects', '--expires', '2020-01-01'], 'must lie in the future'],
    [['key', 'add', '--all-projects', '--expires', '0d'], 'must lie in the future'],
    [
      ['key', 'add', '--all-projects', '--network', '300.1.1.1'],
      '--network must be an IP address or a range',
    ],
    [['key', 'revoke', 'hc_admin_x'], 'not the key itself'],
    [['serve', 'now'], 'Expected no operand'],
    [['project', 'set', 'x', '--keep-counts', '-1'], `begins with a dash is joined to it with "=". "--help"`],
    [['admin'], 'must be followed by "password".'],
  ])('%s', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    ['HEADCOUNT_PORT', 'eighty'],
    ['HEADCOUNT_PORT', '70000'],
    ['HEADCOUNT_BASE_URL', 'count.example.com'],
    ['HEADCOUNT_BASE_URL', 'https://example.com/v1/analytics'],
    ['HEADCOUNT_BASE_URL', 'https://example.com/a;b'],
    ['HEADCOUNT_TRUSTED_PROXIES', 'loopback,nonsense'],
    ['HEADCOUNT_COUNTRY_DATABASE', '/nowhere/country.mmdb'],
    ['HEADCOUNT_HOST', '203.0.113.1'],
    ['HEADCOUNT_OFFLINE', 'maybe'],
  ])('the setting %s=%s', async (name, value) => {
    const { code, stderr } = await runHeadcount(['serve'], { ...env, HEADCOUNT_PORT: '0', [name]: value });
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('unknown projects and keys end with 1', async () => {
    for (const args of [
      ['project', 'set', 'nosuch', '--name', 'x'],
      ['key', 'add', '--project', 'nosuch'],
    ]) {
      // How it is typed is told by the process.
      const { code, stderr } = await runHeadcount(args, env);
      expect([code, stderr]).toEqual([1, expect.stringContaining('"node headcount.js project list" shows')]);
    }
  });
});

test.each([
  [['check']],
  [['check', '--repair']],
  [['project', 'list']],
  [['project', 'set', 'x', '--name', 'y']],
  [['project', 'remove', 'x', '--yes']],
  [['project', 'fold-paths', 'x']],
  [['project', 'forget-paths', 'x', '/y']],
  [['key', 'list']],
  [['catalogue', 'unlisted']],
  [['key', 'add', '--project', 'x']],
  [['key', 'revoke', 'key_x']],
  [['import', '-', '--project', 'x']],
])('%s says where it found no database, and makes none', async (args) => {
  const dataDir = join(folder, 'empty');
  const { code, stdout, stderr } = await runHere(args, { HEADCOUNT_DATA_DIR: dataDir });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`no database in the folder ${dataDir}`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(existsSync(dataDir)).toBe(false);
});

test.each([
  [['--help']],
  [['help']],
  [['help', 'key']],
  [['serve', '--help']],
  [['project', '--help']],
  [['project', 'add', '--help']],
  [['key', '-h']],
  [['catalogue', '--help']],
])('%s prints help', async (args) => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: headcount/);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
});

test.each([
  ['history', 'import-stats'],
  ['searches', 'import-search'],
  ['unknown', 'catalogue unlisted'],
])('%s says that it is called %s now', async (former, now) => {
  const { code, stderr } = await run(former, '--json');
  expect([code, stderr]).toEqual([2, `"${former}" is called "${now}" now. "--help" shows how it is used.\n`]);
});

describe('under an older Node', () => {
  let old: string[];
  beforeAll(async () => {
    const file = join(folder, 'old.mjs');
    await writeFile(file, `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`);
    old = ['--import', file];
  });

  test('goes on with the Node that npm installed, before anything native is loaded', async () => {
    const { code, stdout, stderr } = await runHeadcount(['project', 'list', '--json'], env, old);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^\[/), '']);
  });

  test('is reported in one sentence where there is none', async () => {
    const none = { ...env, HEADCOUNT_NODE: '/nowhere/node' };
    const { code, stdout, stderr } = await runHeadcount(['serve'], none, old);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^HEADCOUNT_NODE names \/nowhere\/node, and there is no such program: .*\n$/);
  });
});

describe('serve', () => {
  test('makes a project at the first start and prints how to use it, only then', async () => {
    const dataDir = join(folder, 'first');
    const first = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    await expect.poll(() => first.output.stdout).toContain('curl');
    const [snippet] =
      /<script defer src="http:\/\/localhost:\d+\/hc\.js" data-project="([a-z0-9]+)"><\/script>/.exec(
        first.output.stdout,
      ) ?? [];
    const [, header, address] =
      /curl -H "Authorization: (Bearer \S+)" http:\/\/localhost:\d+(\S+)/.exec(first.output.stdout) ?? [];
    const projectId = /data-project="([a-z0-9]+)"/.exec(snippet ?? '')?.[1];
    // Once is enough, as a journal may keep it.
    expect(first.output.stdout.match(/hc_admin_\w+/g)).toHaveLength(1);
    const hit = await fetch(`${first.url}/v1/hit`, {
      method: 'POST',
      body: JSON.stringify({ p: projectId, u: 'https://example.com/' }),
      headers: { 'user-agent': chromeUserAgent },
    });
    expect(hit.status).toBe(202);
    const report = await fetch(first.url + address, { headers: { authorization: header ?? '' } });
    expect(await report.json()).toMatchObject({ totals: { human: 1, ai: 0, total: 1 } });
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);

    const second = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    second.signal('SIGINT');
    expect(await second.ended).toBe(0);
    expect(second.output.stdout).toContain('Headcount runs at http://localhost:');
    expect(second.output.stdout).not.toContain('hc_admin_');
  });

  test('knows projects, keys and revocations of the command line within a second', async () => {
    const server = await startProcess(env);
    const { projectId, adminKey } = await json<AddedProject>(
      run('project', 'add', '--name', 'Live', '--json'),
    );
    const status = async (key: string) => {
      const url = `${server.url}/v1/analytics/${projectId}/visitors`;
      return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
    };
    // With a margin for other work on the machine.
    const withinASecond = { timeout: timeoutAtThisLoad(5_000), interval: 20 };
    await expect.poll(() => status(adminKey), withinASecond).toBe(200);
    const { keyId, key } = await json<{ keyId: string; key: string }>(
      run('key', 'add', '--project', projectId, '--json'),
    );
    await expect.poll(() => status(key), withinASecond).toBe(200);
    await run('key', 'revoke', keyId);
    await expect.poll(() => status(key), withinASecond).toBe(401);
    await run('project', 'remove', projectId, '--yes');
    await expect.poll(() => status(adminKey), withinASecond).toBe(401);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('says when the port is taken', async () => {
    const server = await startProcess(env);
    const port = new URL(server.url).port;
    const { code, stderr } = await runHeadcount(['serve'], { ...env, HEADCOUNT_PORT: port });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Port ${port} is in use`)]);
    server.signal('SIGTERM');
    await server.ended;
  });
});
