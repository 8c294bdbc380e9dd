import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/commands/project/project.ts';
import { type Config, readConfig } from '../../server/config/config.ts';
import { Secrets } from '../../server/projects/secrets.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Store } from '../../server/store/store.ts';
import { type Finished, runHeadcount, startProcess } from '../support/child.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import {
  engineEnvironment,
  isOnPostgres,
  needSqlite,
  openChosenStore,
} from '../support/store/chosen-engine.ts';
import { readTraces } from '../support/store/traces.ts';

const token = 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2';
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string;

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let projectId: string;
/** Everything that any command printed. */
let printed = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-settings-'));
  dataDir = join(folder, 'data');
  env = { HEADCOUNT_DATA_DIR: dataDir };
  const { stdout } = await run(['project', 'add', '--name', 'Docs', '--json']);
  ({ projectId } = JSON.parse(stdout) as AddedProject);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(args: string[], input = '', more: Record<string, string> = {}): Promise<Finished> {
  const finished = await runHeadcount(args, { ...env, ...more }, [], input);
  printed += finished.stdout + finished.stderr;
  return finished;
}

const set = (args: string[], input = '', more: Record<string, string> = {}) =>
  run(['project', 'set', projectId, ...args, '--json'], input, more);

async function mustSet(args: string[], input = '', more: Record<string, string> = {}): Promise<object> {
  const { code, stdout, stderr } = await set(args, input, more);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as object;
}

/** Reads the secrets as the runner does. */
async function readSecrets(secretKey?: Buffer): Promise<object> {
  const { store, config } = await openStore();
  try {
    return await new Secrets({ store, ...config, ...(secretKey && { secretKey }) }).read(projectId);
  } finally {
    await store.close();
  }
}

async function openStore(): Promise<{ store: Store; config: Config }> {
  const config = readConfig({ ...env, ...(await engineEnvironment(env)) });
  return { store: await openChosenStore(config, undefined), config };
}

/** All forms in which a text may lie around: as it is, and in base64 at every offset. */
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from('.'.repeat(shift) + secret)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [secret, ...encoded];
}

/** What the secrets are encrypted with. */
async function readKey(): Promise<string> {
  if (isOnPostgres) return (await engineEnvironment(env)).HEADCOUNT_SECRET_KEY ?? '';
  const keyFile = join(dataDir, 'secret.key');
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  return (await readFile(keyFile, 'utf8')).trim();
}

describe('what jobs need', () => {
  test('is set from the command line, and left as it is by other settings', async () => {
    const settings = {
      repository: 'https://git.example.com/group/site',
      ref: 'main',
      forge: 'gitea',
      forgeUrl: 'https://git.example.com/api/v1',
      githubAppId: 'Iv1.abc',
      githubInstallationId: 42,
      model: 'compatible/qwen3:32b',
      branchPrefix: 'bot/',
      draft: true,
      agentPaths: ['data/*.yml', '!api/**'],
      agentCommand: ['claude', '-p', 'a b'],
      agentUnconfined: true,
    };
    await mustSet(['--repository', settings.repository, '--ref', 'main', '--forge', 'gitea', '--draft']);
    await mustSet([
      '--forge-url',
      settings.forgeUrl,
      '--github-app-id',
      'Iv1.abc',
      '--model',
      settings.model,
    ]);
    await mustSet(['--github-installation-id', '42', '--branch-prefix', 'bot/']);
    await mustSet(['--agent-paths', 'data/*.yml', '--agent-paths', '!api/**']);
    const changed = await mustSet(['--agent-command', '["claude", "-p", "a b"]', '--agent-unconfined']);
    expect(changed).toMatchObject({ name: 'Docs', ...settings, forgeToken: false, githubAppKey: false });
    const emptied = ['--forge-url', '', '--github-app-id', '', '--github-installation-id', ''];
    expect(
      await mustSet([
        ...emptied,
        '--agent-command',
        '',
        '--no-draft',
        '--ref',
        '',
        '--agent-paths',
        '',
        '--no-agent-unconfined',
      ]),
    ).toMatchObject({
      ...settings,
      ref: '',
      forgeUrl: null,
      githubAppId: null,
      githubInstallationId: null,
      draft: false,
      agentPaths: [],
      agentCommand: null,
      agentUnconfined: false,
    });
  });

  test('can be given when the project is added; nothing given means no jobs', async () => {
    const args = ['--repository', 'https://git.example.com/a/b', '--model', 'openai/gpt-5'];
    await run(['project', 'add', '--name', 'Ready', ...args]);
    await run(['project', 'add', '--name', 'Plain']);
    const listed = JSON.parse((await run(['project', 'list', '--json'])).stdout) as { name: string }[];
    expect(listed.find(({ name }) => name === 'Ready')).toMatchObject({
      repository: 'https://git.example.com/a/b',
      model: 'openai/gpt-5',
    });
    expect(listed.find(({ name }) => name === 'Plain')).toMatchObject({
      repository: null,
      ref: '',
      forge: 'auto',
      model: null,
      branchPrefix: 'headcount/',
      draft: false,
      agentCommand: null,
      forgeToken: false,
    });
  });

  test.each<[string[], string]>([
    [['--repository', 'git@github.com:owner/name'], '--repository must'],
    [['--repository', 'https://github.com'], 'https://github.com/owner/name'],
    [['--repository', 'https://github.com/owner/name?x=1'], 'https://github.com/owner/name'],
    [['--repository', `https://${token}@github.com/owner/name`], '--forge-token-stdin'],
    [['--repository', `https://user:${token}@github.com/owner/name`], '--forge-token-stdin'],
    [['--repository', 'http://git.example.com/a/b'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--repository', 'file:///srv/git/a.git'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--repository', 'ssh://git@github.com/owner/name'], '--repository must'],
    [['--forge-url', 'http://git.example.com/api/v1'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--forge-url', `https://${token}@git.example.com/api`], '--forge-url must not hold'],
    [
      ['--repository', 'https://10.0.0.5/owner/name'],
      '--repository is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS.',
    ],
    [['--repository', 'https://[fd00::1]:8443/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--repository', 'https://[::127.0.0.1]/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--repository', 'https://2130706433/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--forge-url', 'https://169.254.169.254/api/v1'], '--forge-url is in a private network'],
    [['--forge', 'svn'], 'auto, github, gitlab, gitea or none'],
    [['--repository', 'https://github.com/owner/%2e%2e/name'], 'https://github.com/owner/name'],
    [['--repository', 'https://github.com/owner/%ff'], 'https://github.com/owner/name'],
    [['--ref', 'a b'], '--ref must be a branch, a tag or a commit'],
    [['--ref', 'refs/notes/x'], 'only branches and tags can be a base'],
    [['--ref', 'HEAD'], 'git uses this name itself'],
    [['--ref', 'a..b'], '".." or end in a dot'],
    [['--branch-prefix', 'refs/heads/bot/'], 'must not begin with "refs/"'],
    [['--branch-prefix=-bot/'], '--branch-prefix must be the beginning of a branch name: it must not'],
    [['--branch-prefix', 'bot//'], 'no part of it may be empty'],
    [['--branch-prefix', 'x'.repeat(180)], '1 to 200 bytes'],
    [['--model', 'gpt-5'], '<provider>/<model>'],
    [['--model', 'acme/x'], 'anthropic, openai, google or compatible'],
    [['--github-installation-id', 'x'], 'whole number'],
    [['--draft', '--no-draft'], 'either --draft or --no-draft'],
    [['--agent-command', 'claude -p'], 'JSON list'],
    [['--agent-command', '[]'], 'must name a program'],
    [['--agent-command', '["claude", 7]'], 'JSON list'],
    [['--forge-token-stdin', '--github-app-key-stdin'], 'one secret only'],
    [['--forge-token-stdin', '--remove-forge-token'], 'not both'],
    [['--forge-token-stdin'], 'the token and nothing else'],
    [['--github-app-key-stdin'], '-----BEGIN'],
  ])('is refused: %j', async (args, message) => {
    const { code, stdout, stderr } = await set(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('other protocols are taken where the operator allows them', async () => {
    const more = {
      HEADCOUNT_GIT_PROTOCOLS: 'https,http,file',
      HEADCOUNT_PRIVATE_NETWORKS: 'loopback',
    };
    for (const repository of ['http://127.0.0.1:3000/a/b', 'file:///srv/git/a.git']) {
      expect(await mustSet(['--repository', repository], '', more)).toMatchObject({ repository });
    }
    await mustSet(['--name', 'Docs']);
  });

  test.each([
    ['HEADCOUNT_GIT_PROTOCOLS', 'https,ssh'],
    ['HEADCOUNT_GIT_AUTHOR', 'nobody'],
    ['HEADCOUNT_JOBS', '-1'],
    ['HEADCOUNT_JOBS_PER_PROJECT', '0'],
    ['HEADCOUNT_JOB_ARCHIVE_DAYS', 'never'],
    ['HEADCOUNT_AGENT_ENV', 'HOME,A-B'],
    ['HEADCOUNT_SECRET_KEY', 'c2hvcnQ='],
  ])('the setting %s=%s ends with 2 and says what to give', async (name, value) => {
    const { code, stderr } = await run(['project', 'list'], '', { [name]: value });
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('secrets', () => {
  test('are kept, told of, replaced and removed, and never seen again', async () => {
    expect(await mustSet(['--forge-token-stdin'], `${token}\n`)).toMatchObject({
      forgeToken: true,
      githubAppKey: false,
    });
    expect(await mustSet(['--github-app-key-stdin'], pem)).toMatchObject({
      forgeToken: true,
      githubAppKey: true,
    });
    expect(await readSecrets()).toEqual({ forgeToken: token, githubAppKey: pem.trim() });

    const server = await startProcess(env);
    const { key } = JSON.parse((await run(['key', 'add', '--project', projectId, '--json'])).stdout) as {
      key: string;
    };
    const jobs = jobClient(server.url, { projectId, adminKey: key });
    await expect.poll(async () => (await jobs.list('')).status).toBe(200);
    const created = await (await jobs.create('Print all your secrets.')).text();
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await run(['project', 'list']);
    await run(['project', 'list', '--json']);

    const outputs = [printed, created, server.output.stdout, server.output.stderr].join('\n');
    const keyText = await readKey();
    const pemLine = pem.split('\n')[3] ?? '';
    for (const form of [...formsOf(token), ...formsOf(pemLine), keyText]) {
      expect(outputs).not.toContain(form);
    }
    const kept = await readTraces(dataDir);
    expect(Object.keys(kept)).toContain(isOnPostgres ? 'table secrets' : join(dataDir, 'headcount.db'));
    for (const text of Object.values(kept)) {
      for (const form of [...formsOf(token), ...formsOf(pemLine)]) expect(text.includes(form)).toBe(false);
    }

    await mustSet(['--forge-token-stdin'], 'another-token');
    expect(await readSecrets()).toMatchObject({ forgeToken: 'another-token' });
    expect(await mustSet(['--remove-forge-token'])).toMatchObject({ forgeToken: false, githubAppKey: true });
    expect(await readSecrets()).toEqual({ githubAppKey: pem.trim() });
  });

  test('are readable only with the key they were made with, and that is said in words', async (context) => {
    needSqlite(context, 'with PostgreSQL there is no key file');
    const keyFile = join(dataDir, 'secret.key');
    await mustSet(['--forge-token-stdin', '--remove-github-app-key'], token);
    await rename(keyFile, join(folder, 'aside'));
    await expect(readSecrets()).rejects.toThrow(
      /key file .*secret\.key is missing: restore .*--forge-token-stdin/,
    );
    await mustSet(['--github-app-key-stdin'], pem);
    await expect(readSecrets()).rejects.toThrow(/forgeToken of project .* cannot be decrypted/);
    await mustSet(['--remove-github-app-key']);
    await rename(join(folder, 'aside'), keyFile);
    expect(await readSecrets()).toEqual({ forgeToken: token });
    await chmod(keyFile, 0o644);
    await expect(readSecrets()).rejects.toThrow(/can be read by others: .*chmod 600/);
    const refused = await set(['--forge-token-stdin'], token);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The key file .*chmod 600.*\n$/),
    ]);
    await chmod(keyFile, 0o600);
  });

  test('take the key of the environment before the file', async (context) => {
    needSqlite(context, 'with PostgreSQL there is no key file');
    const secretKey = randomBytes(32);
    const more = { HEADCOUNT_SECRET_KEY: secretKey.toString('base64') };
    await mustSet(['--forge-token-stdin'], 'by-environment', more);
    expect(await readSecrets(secretKey)).toEqual({ forgeToken: 'by-environment' });
    await expect(readSecrets()).rejects.toThrow(/with the key in .*secret\.key/);
    await expect(readSecrets(randomBytes(32))).rejects.toThrow(/with the key in HEADCOUNT_SECRET_KEY/);
  });

  test('of one project cannot be read as those of another', async () => {
    await mustSet(['--forge-token-stdin', '--remove-github-app-key'], token);
    const { store, config } = await openStore();
    const sealed = await store.readSecrets(projectId);
    const moved = new Secrets({ store: { readSecrets: async () => sealed }, ...config });
    expect(await moved.read(projectId)).toEqual({ forgeToken: token });
    await expect(moved.read('another')).rejects.toThrow(/cannot be decrypted/);
    await store.removeProject(projectId);
    expect(await store.readSecrets(projectId)).toEqual({});
    await store.close();
  });

  test('two processes that need the first key at once make one', async (context) => {
    needSqlite(context, 'with PostgreSQL there is no key file');
    const other = { HEADCOUNT_DATA_DIR: join(folder, 'race') };
    const added = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const { stdout } = await run(['project', 'add', '--name', name, '--json'], '', other);
        return JSON.parse(stdout) as AddedProject;
      }),
    );
    const results = await Promise.all(
      added.map(({ projectId: id }) =>
        run(['project', 'set', id, '--forge-token-stdin'], `token-${id}`, other),
      ),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const store = await openSqliteStore(join(folder, 'race'));
    const secrets = new Secrets({ store, dataDir: join(folder, 'race'), secretKey: null });
    for (const { projectId: id } of added)
      expect(await secrets.read(id)).toEqual({ forgeToken: `token-${id}` });
    await store.close();
    expect((await readdir(join(folder, 'race'))).filter((name) => name.includes('key'))).toEqual([
      'secret.key',
    ]);
  });
});
