import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sizeOf } from '../../../server/jobs/git/mirror.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { accessTo, runTurn, startGitClient, token } from '../../support/jobs/git-client.ts';
import { edit, fullTurn, hours, names, withGitClient } from '../../support/jobs/mirror-turn.ts';

const run = promisify(execFile);
let server: GitServer;

beforeAll(async () => {
  server = await startGitServer({ token });
});

afterAll(async () => {
  await server.close();
});

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

  const damages: Record<string, (mirror: string) => Promise<unknown>> = {
    'lost its HEAD': (mirror) => rm(join(mirror, 'HEAD')),
    'has a broken config': (mirror) => writeFile(join(mirror, 'config'), '[core\n\x00garbage'),
    'lost its objects': (mirror) => rm(join(mirror, 'objects'), { recursive: true }),
    'lost its packs': (mirror) => rm(join(mirror, 'objects', 'pack'), { recursive: true }),
    'has cut packs': (mirror) => onPacks(mirror, (pack) => truncate(pack, 40)),
    'has garbage in its packs': (mirror) => onPacks(mirror, (pack) => writeFile(pack, randomBytes(2000))),
    'has empty refs': (mirror) => onPins(mirror, (pin) => truncate(pin, 0)),
  };

  test(`that ${Object.keys(damages).join(', or ')} is made again in the same call`, async () => {
    const url = await server.createRepository('ada/damage', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      await fullTurn(gitClient, url);
      const [mirror = ''] = await gitClient.mirrors();
      for (const damage of Object.values(damages)) {
        await damage(mirror);
        await fullTurn(gitClient, url);
        expect(await gitClient.mirrors()).toEqual([mirror]);
      }
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
