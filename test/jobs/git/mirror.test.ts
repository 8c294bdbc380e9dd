import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sizeOf } from '../../../server/jobs/git/mirror.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import {
  accessTo,
  runTurn,
  startGitClient,
  type TestGitClient,
  token,
} from '../../support/jobs/git-client.ts';

const run = promisify(execFile);
let server: GitServer;

beforeAll(async () => {
  server = await startGitServer({ token });
});

afterAll(async () => {
  await server.close();
});

const names = { prefix: 'headcount/', name: 'job_1' };
const edit = (tree: { root: string }) => appendFile(join(tree.root, 'page.md'), 'more\n');
const hours = (count: number) => count * 3_600_000;

async function withGitClient<T>(
  work: (gitClient: TestGitClient) => Promise<T>,
  options: Parameters<typeof startGitClient>[0] = {},
): Promise<T> {
  const gitClient = await startGitClient(options);
  try {
    return await work(gitClient);
  } finally {
    await gitClient.remove();
  }
}

async function fullTurn(gitClient: TestGitClient, url: string, name?: string): Promise<void> {
  const access = accessTo(url);
  const { plan } = await runTurn(gitClient, access, edit, name ? { name } : {});
  expect(await gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
}

describe('a mirror', () => {
  test('brings the trees only, and the contents of files once', async () => {
    const url = await server.createRepository('ada/partial', {
      'page.md': 'one\n',
      'big.bin': randomBytes(400_000),
    });
    await server.commit('ada/partial', { 'big.bin': randomBytes(400_000) });
    await withGitClient(async (gitClient) => {
      const access = accessTo(url);
      const { commit } = await gitClient.pinBase(access, 'main', names);
      const [mirror = ''] = await gitClient.mirrors();
      expect(await sizeOf(join(mirror, 'objects'))).toBeLessThan(50_000);
      await (await gitClient.openWorkspace(access, commit)).close();
      const bytes = await sizeOf(join(mirror, 'objects'));
      expect(bytes).toBeGreaterThan(400_000);
      expect(bytes).toBeLessThan(500_000);
      const before = server.requests.length;
      await (await gitClient.openWorkspace(access, commit)).close();
      expect(server.requests.length).toBe(before);
    });
  });

  test('is asked again each time, so that a token that was taken back stops working', async () => {
    const url = await server.createRepository('ada/revoked', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      const { commit } = await gitClient.pinBase(accessTo(url), 'main', names);
      for (const ref of ['main', commit]) {
        await expect(gitClient.pinBase(accessTo(url, 'old-token'), ref, names)).rejects.toMatchObject({
          code: 'auth',
        });
      }
    });
  });

  test.for<[string, (mirror: string) => Promise<unknown>]>([
    ['lost its HEAD', (mirror) => rm(join(mirror, 'HEAD'))],
    ['has a broken config', (mirror) => writeFile(join(mirror, 'config'), '[core\n\x00garbage')],
    ['lost its objects', (mirror) => rm(join(mirror, 'objects'), { recursive: true })],
    ['lost its packs', (mirror) => rm(join(mirror, 'objects', 'pack'), { recursive: true })],
    ['has cut packs', (mirror) => onPacks(mirror, (pack) => truncate(pack, 40))],
    ['has garbage in its packs', (mirror) => onPacks(mirror, (pack) => writeFile(pack, randomBytes(2000)))],
    ['has empty refs', (mirror) => onPins(mirror, (pin) => truncate(pin, 0))],
  ])('that %s is made again in the same call', async ([, damage]) => {
    const url = await server.createRepository(`ada/damage-${randomBytes(4).toString('hex')}`, {
      'page.md': 'one\n',
    });
    await withGitClient(async (gitClient) => {
      await fullTurn(gitClient, url);
      const [mirror = ''] = await gitClient.mirrors();
      await damage(mirror);
      await fullTurn(gitClient, url);
      expect(await gitClient.mirrors()).toEqual([mirror]);
    });
  });

  test('that is damaged while a turn is open fails the turn as passing', async () => {
    const url = await server.createRepository('ada/open-damage', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      const access = accessTo(url);
      const [plan] = await Promise.allSettled([
        runTurn(gitClient, access, async (tree) => {
          await edit(tree);
          const [mirror = ''] = await gitClient.mirrors();
          await rm(mirror, { recursive: true });
        }),
      ]);
      expect(plan).toMatchObject({ status: 'rejected', reason: { code: 'mirror_damaged', passing: true } });
      await fullTurn(gitClient, url);
    });
  });

  test('in which a killed process left a lock goes on working', async () => {
    const url = await server.createRepository('ada/locked', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      await fullTurn(gitClient, url);
      const [mirror = ''] = await gitClient.mirrors();
      const next = await server.commit('ada/locked', { 'page.md': 'two\n' });
      await writeFile(join(mirror, 'refs', 'pins', `${next}.lock`), '');
      await fullTurn(gitClient, url);
      expect(await gitClient.mirrors()).toEqual([mirror]);
    });
  });

  test('serves many turns at once, from two processes that share a data folder', async () => {
    const url = await server.createRepository('ada/shared', { 'page.md': 'one\n' });
    const root = await mkdtemp(join(tmpdir(), 'headcount-git-'));
    const one = await startGitClient({ root });
    const two = await startGitClient({ root });
    try {
      const turns = Array.from({ length: 8 }, (_unused, index) =>
        fullTurn(index % 2 ? one : two, url, `job_${index}`),
      );
      await Promise.all(turns);
      expect(await one.mirrors()).toHaveLength(1);
      const refs = Object.keys(await server.refs('ada/shared'));
      expect(refs.filter((ref) => ref.startsWith('refs/heads/headcount/'))).toHaveLength(8);
    } finally {
      await two.close();
      await one.remove();
    }
  });

  test('that is worn from many fetches is packed anew and goes on working', async () => {
    const url = await server.createRepository('ada/worn', { 'page.md': 'one\n' });
    let now = Date.now();
    const options = { now: () => now };
    await withGitClient(async (gitClient) => {
      await fullTurn(gitClient, url);
      const [mirror = ''] = await gitClient.mirrors();
      const more = 'echo $i | git hash-object -w --stdin | git pack-objects -q objects/pack/pack';
      await run('sh', ['-c', `for i in $(seq 60); do ${more}; done`], { cwd: mirror });
      const packs = async () => (await readdir(join(mirror, 'objects', 'pack'))).filter(isPack);
      expect((await packs()).length).toBeGreaterThan(60);
      now += hours(1);
      await gitClient.tidy();
      expect((await packs()).length).toBeLessThan(5);
      await fullTurn(gitClient, url);
    }, options);
  });
});

describe('the limit for all mirrors', () => {
  const urls: string[] = [];

  beforeAll(async () => {
    for (const name of ['x', 'y', 'z']) {
      const files = { 'page.md': 'one\n', 'photo.bin': randomBytes(200_000) };
      urls.push(await server.createRepository(`ada/large-${name}`, files));
    }
  });

  test('removes those that were not used for longest, and none in use', async () => {
    let now = Date.now();
    const options = { maxMirrorBytes: 500_000, now: () => now };
    await withGitClient(async (gitClient) => {
      const open = async (url: string) => {
        const access = accessTo(url);
        const { commit } = await gitClient.pinBase(access, 'main', names);
        const before = await gitClient.mirrors();
        return { workspace: await gitClient.openWorkspace(access, commit), before };
      };
      const first = await open(urls[0] ?? '');
      const [held = ''] = await gitClient.mirrors();
      const second = await open(urls[1] ?? '');
      const old = (await gitClient.mirrors()).find((mirror) => mirror !== held) ?? '';
      await second.workspace.close();
      await sleep(20);
      const third = await open(urls[2] ?? '');
      await third.workspace.close();
      expect(await gitClient.mirrors()).toHaveLength(3);

      await gitClient.tidy();
      expect(await gitClient.mirrors(), 'they were made a moment ago').toHaveLength(3);

      now += hours(1);
      await beat(gitClient.root, now);
      await gitClient.tidy();
      const left = await gitClient.mirrors();
      expect(left).toHaveLength(2);
      expect(left).toContain(held);
      expect(left).not.toContain(old);
      expect(await readFile(join(first.workspace.root, 'page.md'), 'utf8')).toBe('one\n');
      await first.workspace.close();
    }, options);
  });

  test('refuses a repository that is larger than all of it', async () => {
    await withGitClient(
      async (gitClient) => {
        const access = accessTo(urls[0] ?? '');
        const { commit } = await gitClient.pinBase(access, 'main', names);
        await expect(gitClient.openWorkspace(access, commit)).rejects.toMatchObject({
          code: 'too_large',
          passing: false,
          message: expect.stringContaining('0.1 MB'),
        });
      },
      { maxMirrorBytes: 100_000 },
    );
  });

  /** What the heartbeat does every half minute, for the holds that are there. */
  async function beat(root: string, now: number): Promise<void> {
    for (const folder of ['mirrors', 'worktrees']) {
      for (const name of await readdir(join(root, folder))) {
        const holds = join(root, folder, name, 'holds');
        for (const hold of await readdir(holds)) await utimes(join(holds, hold), now / 1000, now / 1000);
      }
    }
  }
});

describe('a process that is paused', () => {
  test('and whose workspace was removed meanwhile does not take all files for deleted', async () => {
    const url = await server.createRepository('ada/paused', { 'page.md': 'one\n', 'other.md': 'x\n' });
    await withGitClient(async (gitClient) => {
      const access = accessTo(url);
      const paused = runTurn(gitClient, access, async (tree) => {
        await edit(tree);
        await rename(join(tree.root, '..'), join(gitClient.root, 'elsewhere'));
      });
      await expect(paused).rejects.toMatchObject({ passing: true });
    });
  });
});

describe('a process that is killed', () => {
  test('leaves workspaces that are removed once nobody can be using them', async () => {
    const url = await server.createRepository('ada/left', { 'page.md': 'one\n' });
    let now = Date.now();
    await withGitClient(
      async (gitClient) => {
        const access = accessTo(url);
        const { commit } = await gitClient.pinBase(access, 'main', names);
        const workspaces = join(gitClient.root, 'worktrees');
        // Never closed, as if its process had died.
        const other = await startGitClient({ root: gitClient.root });
        await other.openWorkspace(access, commit);
        await other.close();
        await mkdir(join(gitClient.root, 'scratch', 'index-left'));
        await gitClient.tidy();
        expect(await readdir(workspaces)).toHaveLength(1);
        now += hours(2);
        await gitClient.tidy();
        expect(await readdir(workspaces)).toEqual([]);
        expect(await readdir(join(gitClient.root, 'scratch'))).toEqual([]);
      },
      { now: () => now },
    );
  });

  test.for([
    ['asks for the base', /GET .*upload-pack/],
    ['fetches', /POST .*upload-pack/],
    ['opens the push', /GET .*receive-pack/],
    ['pushes', /POST .*receive-pack/],
  ] as const)('while it %s leaves nothing that stops the next one', async ([, on]) => {
    const url = await server.createRepository(`ada/killed-${randomBytes(4).toString('hex')}`, {
      'page.md': 'one\n',
    });
    await withGitClient(async (gitClient) => {
      const child = runElsewhere(gitClient, url, 'job_killed');
      server.faults.push({ on, before: () => kill(child) });
      await exitOf(child);
      expect(child.signalCode).toBe('SIGKILL');
      await fullTurn(gitClient, url);
      expect(await gitClient.mirrors()).toHaveLength(1);

      // Its own git may have gone on without it: the turn itself comes out the same either way.
      const access = accessTo(url);
      const { plan } = await runTurn(gitClient, access, edit, { name: 'job_killed' });
      const result = await gitClient.push(access, { ...plan, expected: null });
      expect(['pushed', 'already']).toContain(result.kind);
      const { slug } = access.repository;
      expect((await server.refs(slug))['refs/heads/headcount/job_killed']).toBe(plan.commit);
    });
  });

  test('while git works on its disk leaves nothing that stops the next one', async () => {
    const url = await server.createRepository('ada/killed', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      for (const delayMs of [20, 60, 120]) {
        const child = runElsewhere(gitClient, url, `job_${delayMs}`);
        server.faults.push({
          on: /GET .*upload-pack/,
          before: async () => void setTimeout(() => kill(child), delayMs),
        });
        await exitOf(child);
        await fullTurn(gitClient, url);
      }
    });
  });

  function runElsewhere(gitClient: TestGitClient, url: string, name: string): ChildProcess {
    const script = join(import.meta.dirname, '../../support/jobs/turn-process.ts');
    return spawn(process.execPath, [script, gitClient.root, url, name], { stdio: 'ignore' });
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await exitOf(child);
  }

  async function exitOf(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

function isPack(name: string): boolean {
  return name.endsWith('.pack');
}

async function onPacks(mirror: string, damage: (pack: string) => Promise<unknown>): Promise<void> {
  const folder = join(mirror, 'objects', 'pack');
  const packs = (await readdir(folder)).filter(isPack);
  expect(packs.length).toBeGreaterThan(0);
  for (const pack of packs)
    await rm(join(folder, pack)).then(() => writeFile(join(folder, pack), randomBytes(4000)));
  for (const pack of packs) await damage(join(folder, pack));
}

async function onPins(mirror: string, damage: (pin: string) => Promise<unknown>): Promise<void> {
  const folder = join(mirror, 'refs', 'pins');
  for (const pin of await readdir(folder)) await damage(join(folder, pin));
}
