import { chmodSync, chownSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../../support/child.ts';
import { runHere } from '../../support/commands/command.ts';
import { dashboardClient, password, signIn } from '../../support/dashboard/dashboard.ts';
import { codeAt, enter, turnOn } from '../../support/dashboard/second-factor.ts';
import { makeProject, temporaryFolders, visit } from '../../support/data-folders.ts';
import { errorOf } from '../../support/headcount.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { mountSmallDisk } from '../../support/machine/small-disk.ts';
import { writeOldDatabase } from '../../support/releases/old-database.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let server: ServerProcess;
let project: AddedProject;

beforeAll(async () => {
  dataDir = await newFolder();
  project = await makeProject(dataDir);
  server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_MAX_JOBS: '0' });
  await visit(server, project, [1, 2]);
});
afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
});

interface Checked {
  code: number | null;
  problems: string[];
  advice: string[];
}

/** What the command finds, as kinds with their messages. */
async function check(env: Record<string, string>): Promise<Checked> {
  const { code, stdout } = await runHere(['check', '--json'], { HEADCOUNT_DATA_DIR: dataDir, ...env });
  const found = JSON.parse(stdout) as Record<'problems' | 'advice', { kind: string; message: string }[]>;
  const inWords = (name: 'problems' | 'advice') =>
    found[name].map(({ kind, message }) => `${kind}: ${message}`);
  return { code, problems: inWords('problems'), advice: inWords('advice') };
}

const fine = { code: 0, problems: [], advice: [] };

describe('beside a running server', () => {
  test('all is well where the base address leads to it', async () => {
    expect(await check({ HEADCOUNT_BASE_URL: server.url })).toEqual(fine);
    const { stdout } = await runHeadcount(['check'], { HEADCOUNT_DATA_DIR: dataDir });
    expect(stdout).toMatch(/^Nothing is wrong\.\n/);
    // For information alone.
    expect(stdout).toMatch(/\nADDRESSES OF AI CLIENTS +CONFIRMED +AGE/);
    expect(stdout).toMatch(/\nopenai-gptbot +\d{4}-\d\d-\d\d +\d+ days/);
  });

  test('a base address that leads elsewhere is told, or nowhere', async () => {
    const other = createServer((_, res) => res.end('another site')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    expect((await check({ HEADCOUNT_BASE_URL: `http://127.0.0.1:${port}` })).problems).toEqual([
      expect.stringMatching(
        /^base_url: .*\/hc\.js does not answer with the script of Headcount \(200, nothing\)/,
      ),
    ]);
    await new Promise((resolve) => other.close(resolve));
    expect(await check({ HEADCOUNT_BASE_URL: `http://127.0.0.1:${port}` })).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/^base_url: .* cannot be reached from here: connect ECONNREFUSED/)],
    });
  });

  test('a base address that leads to another Headcount is reported', async () => {
    const folder = await newFolder();
    await makeProject(folder);
    const other = await startProcess({ HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' });
    expect((await check({ HEADCOUNT_BASE_URL: other.url })).problems).toEqual([
      `base_url: ${other.url} leads to a Headcount, but not to this one, with the key of ${dataDir}: look at HEADCOUNT_BASE_URL and at the proxy, give this command the settings of the server, and restart a server that is older than this command.`,
    ]);
    other.signal('SIGKILL');
    await other.ended;
  });

  test('a proxy whose clock shows another time is told', async () => {
    const late = createServer(({ url }, res) => {
      res.writeHead(url === '/hc.js' ? 200 : 204, {
        'content-type': 'text/javascript',
        date: new Date(Date.now() - 600_000).toUTCString(),
      });
      res.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => late.once('listening', resolve));
    const { port } = late.address() as AddressInfo;
    expect((await check({ HEADCOUNT_BASE_URL: `http://127.0.0.1:${port}` })).problems).toEqual([
      expect.stringMatching(
        /^clock: By the clock of this machine it is .*: synchronise the clock with a time server/,
      ),
    ]);
    late.close();
  });

  test.each([
    [
      { HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
      /^key: The current key cannot decrypt the salts/,
    ],
    [
      { HEADCOUNT_TRUSTED_PROXIES: 'none', HEADCOUNT_BASE_URL: 'https://127.0.0.1:9' },
      /^trusted_proxies: .* all visitors count as one\. Add "loopback"/,
    ],
    [
      { HEADCOUNT_COUNTRY_DATABASE: '/nowhere/countries.mmdb' },
      /^file: HEADCOUNT_COUNTRY_DATABASE must be a MaxMind DB file/,
    ],
    [
      { HEADCOUNT_ASN_DATABASE: '/nowhere/networks.mmdb' },
      /^file: HEADCOUNT_ASN_DATABASE must be a MaxMind DB file/,
    ],
  ])('settings that do not fit are reported: %j', async (env, message) => {
    const { code, problems } = await check(env);
    expect([code, problems[0]]).toEqual([1, expect.stringMatching(message)]);
  });
});

describe('without a server', () => {
  test('git that is missing is told where a project has jobs', async () => {
    const folder = await newFolder();
    const { projectId } = await makeProject(folder);
    expect(await check({ HEADCOUNT_DATA_DIR: folder, PATH: '/nowhere' })).toEqual(fine);
    await runHere(['project', 'set', projectId, '--repository', 'https://github.com/a/b'], {
      HEADCOUNT_DATA_DIR: folder,
    });
    expect(await check({ HEADCOUNT_DATA_DIR: folder })).toEqual(fine);
    expect((await check({ HEADCOUNT_DATA_DIR: folder, PATH: '/nowhere' })).problems).toEqual([
      'git: Jobs need git, which is not installed: install git 2.39 or later.',
    ]);
  });

  test('a folder that others can look into is reported as advice', async () => {
    const folder = await newFolder();
    await makeProject(folder);
    chmodSync(folder, 0o755);
    expect(await check({ HEADCOUNT_DATA_DIR: folder })).toMatchObject({
      code: 0,
      problems: [],
      advice: [expect.stringMatching(/^rights: Others can look into/)],
    });
  });

  test('a file of somebody else is reported as a problem', async (context) => {
    if (process.getuid?.() !== 0) leaveOut(context, 'giving files away takes an administrator');
    const folder = await newFolder();
    await makeProject(folder);
    chownSync(join(folder, 'headcount.db'), 12_345, 12_345);
    expect((await check({ HEADCOUNT_DATA_DIR: folder })).problems).toContainEqual(
      expect.stringMatching(/^rights: .*headcount\.db belongs to user 12345, and its folder to user 0: /),
    );
  });

  test('a lost key is told where days are open', async () => {
    const folder = await newFolder();
    const made = await makeProject(folder);
    const short = await startProcess({ HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' });
    await visit(short, made, [1]);
    short.signal('SIGTERM');
    await short.ended;
    rmSync(join(folder, 'secret.key'));
    expect((await check({ HEADCOUNT_DATA_DIR: folder })).problems).toEqual([
      expect.stringMatching(/^key: There is no secret\.key in /),
    ]);
    expect(readdirSync(folder)).not.toContain('secret.key');
  });

  test('tokens of projects that no key at hand reads are reported, with the project', async () => {
    const folder = await newFolder();
    const { projectId } = await makeProject(folder);
    const env = { HEADCOUNT_DATA_DIR: folder };
    const command = [
      'project',
      'set',
      projectId,
      '--repository',
      'https://github.com/a/b',
      '--forge-token-stdin',
    ];
    await runHere(command, env, 'ghp_secretsecretsecretsecretsecretsecret');
    expect((await check(env)).problems).toEqual([]);
    const foreign = { ...env, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    expect(await check(foreign)).toMatchObject({
      code: 1,
      problems: [
        expect.stringMatching(/^key: The forgeToken of project \w+ cannot be decrypted with the key in H/),
      ],
    });
    rmSync(join(folder, 'secret.key'));
    expect((await check(env)).problems).toEqual([
      expect.stringMatching(/^key: The key file .*secret\.key is missing: .* --forge-token-stdin"\.$/),
    ]);
    const { stdout } = await runHere(['check'], env);
    expect(stdout).toContain(`Project ${projectId}: The key file`);
  });

  test('a second factor that no key at hand reads is told, and who has it signs in by a recovery code', async () => {
    const folder = await newFolder();
    const env = { HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' };
    await runHere(['admin', 'password', '--stdin'], env, password);
    const before = await startProcess(env);
    const { secret, recoveryCodes } = await turnOn(await signIn(before.url), Date.now());
    before.signal('SIGTERM');
    await before.ended;
    const foreign = { ...env, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    const remark = 'key: The second factor of administrator cannot be decrypted with the current key';
    expect((await check(foreign)).problems).toContainEqual(expect.stringContaining(remark));
    expect((await check(env)).problems).toEqual([]);
    const after = await startProcess(foreign);
    const code = codeAt(secret, Date.now() + 30_000);
    const refused = await enter(dashboardClient(after.url), { code });
    expect([refused.status, (await errorOf(refused)).error]).toEqual([
      401,
      'The server cannot check codes of apps, as its secret key has changed. Type a recovery code.',
    ]);
    const recovered = await enter(dashboardClient(after.url), { code: recoveryCodes[0] as string });
    expect(recovered.status).toBe(204);
    after.signal('SIGTERM');
    await after.ended;
  });

  test('a backup without visitors that was restored is fine, with the key that it was made with and without', async () => {
    const [folder, target] = await Promise.all([newFolder(), newFolder()]);
    const made = await makeProject(folder);
    const short = await startProcess({ HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' });
    await visit(short, made, [1]);
    short.signal('SIGTERM');
    await short.ended;
    const file = join(await newFolder(), 'backup.db');
    await runHere(['backup', file], { HEADCOUNT_DATA_DIR: folder });
    await runHere(['restore', file], { HEADCOUNT_DATA_DIR: target });
    expect((await check({ HEADCOUNT_DATA_DIR: target })).problems).toEqual([]);
    copyFileSync(join(folder, 'secret.key'), join(target, 'secret.key'));
    expect((await check({ HEADCOUNT_DATA_DIR: target })).problems).toEqual([]);
  });

  test('too little room on the disk is told', async (context) => {
    const disk = mountSmallDisk(context, 20_000_000);
    await makeProject(disk);
    expect((await check({ HEADCOUNT_DATA_DIR: disk })).problems).toEqual([
      expect.stringMatching(/^disk: \d+ MB are free in .*: make room/),
    ]);
  });

  test('an older database is reported, and not brought up to date', async () => {
    const folder = await newFolder();
    writeOldDatabase(folder, 6);
    expect(await check({ HEADCOUNT_DATA_DIR: folder })).toMatchObject({
      code: 1,
      problems: [
        expect.stringMatching(/^schema: It was written by an older Headcount \(schema 6, this one has \d+\)/),
      ],
    });
    expect(readdirSync(folder).some((name) => name.includes('before'))).toBe(false);
    expect(readdirSync(folder)).toContain('headcount.db');
  });
});
