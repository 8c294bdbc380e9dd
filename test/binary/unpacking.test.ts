import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { needSandbox } from '../support/machine/sandbox.ts';
import { mountSmallDisk } from '../support/machine/small-disk.ts';
import { buildBinary, type EmptyRoot, makeEmptyRoot } from '../support/releases/empty-root.ts';

let binary: string;
/** What is `/home` in the empty root. */
let home: string;
let root: EmptyRoot;

beforeAll(async () => {
  binary = await buildBinary();
});
beforeEach(needSandbox);
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'headcount-home-'));
  root = await makeEmptyRoot(binary, { env: { HOME: '/home' }, mounts: { '+/home': home } });
  onTestFinished(async () => {
    await rm(home, { recursive: true });
    await root.remove();
  });
});

const cache = () => join(home, '.cache', 'headcount');
const list = () => root.mustRun(['project', 'list']);
const add = () => root.mustRun(['project', 'add', '--name', 'Docs']);

function onlyCopy(folder = cache()): string {
  const [name = '', ...others] = readdirSync(folder);
  expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.node$/), []]);
  return join(folder, name);
}

describe('SQLite, which the one file has to unpack,', () => {
  test('lies in a folder of its owner alone, and is used again', async () => {
    await add();
    const { ino, mode } = statSync(onlyCopy());
    expect([statSync(cache()).mode & 0o777, mode & 0o777]).toEqual([0o700, 0o500]);
    await list();
    expect(statSync(onlyCopy()).ino).toBe(ino);
  });

  test('is not needed by a command that opens no database', async () => {
    await root.mustRun(['whois', '--user-agent', 'GPTBot']);
    expect(readdirSync(home)).toEqual([]);
  });

  test('is replaced where it is not what was unpacked, and earlier versions of it go', async () => {
    await add();
    const copy = onlyCopy();
    const content = readFileSync(copy);
    chmodSync(copy, 0o700);
    writeFileSync(copy, 'something else');
    writeFileSync(join(cache(), `${'0'.repeat(64)}.node`), 'an earlier version');
    await list();
    expect(readFileSync(onlyCopy()).equals(content)).toBe(true);
  });

  test('is replaced where others can write to it', async () => {
    await add();
    chmodSync(onlyCopy(), 0o777);
    await list();
    expect(statSync(onlyCopy()).mode & 0o777).toBe(0o500);
  });

  test.each([
    [
      'the folder',
      () => {
        mkdirSync(cache(), { recursive: true });
        chmodSync(cache(), 0o777);
      },
    ],
    ['a folder above', () => chmodSync(home, 0o777)],
    [
      'the folder that a link leads to',
      () => {
        mkdirSync(join(home, 'open'));
        chmodSync(join(home, 'open'), 0o777);
        mkdirSync(join(home, '.cache'));
        symlinkSync('/home/open', cache());
      },
    ],
  ])('goes elsewhere where others can write to %s', async (_what, open) => {
    open();
    await add();
    const found = readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith('.node'));
    expect(found).toEqual([]);
  });

  /** A machine on which nothing in the home may be run. */
  async function withoutPrograms(context: TestContext, mounts: Record<string, string>) {
    const disk = mountSmallDisk(context, 20_000_000, 'noexec');
    const strict = await makeEmptyRoot(binary, {
      env: { HOME: '/home' },
      mounts: { '+/home': disk, ...mounts },
    });
    onTestFinished(() => strict.remove());
    return strict;
  }

  test('is loaded from elsewhere where the cache is mounted with noexec', async (context) => {
    const strict = await withoutPrograms(context, { '+/tmp': home });
    expect(await strict.mustRun(['project', 'add', '--name', 'Docs'])).toContain('data-project=');
    onlyCopy(join(home, `headcount-${process.getuid?.()}`));
    expect(await strict.mustRun(['project', 'list'])).toContain('Docs');
  });

  test('is refused in words where all folders are mounted with noexec', async (context) => {
    const strict = await withoutPrograms(context, { '/tmp': home });
    chmodSync(strict.dataDir, 0o777);
    const { code, stderr } = await strict.run(['project', 'add', '--name', 'Docs']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('that programs may be run from')]);
    expect(stderr).toMatch(/\/home\/\.cache\/headcount: .*failed to map segment/);
  });

  test('goes into the data folder where there is no other', async () => {
    const bare = await makeEmptyRoot(binary, { mounts: { '/tmp': home } });
    onTestFinished(() => bare.remove());
    await bare.mustRun(['project', 'add', '--name', 'Docs']);
    onlyCopy(join(bare.dataDir, 'sqlite'));
  });

  test('is refused in words where every folder is open to others', async () => {
    const bare = await makeEmptyRoot(binary, { mounts: { '/tmp': home } });
    onTestFinished(() => bare.remove());
    chmodSync(bare.dataDir, 0o777);
    const { code, stderr } = await bare.run(['project', 'add', '--name', 'Docs']);
    expect(code).toBe(1);
    expect(stderr).toContain('name one with XDG_CACHE_HOME that only you can write to');
    expect(stderr).toContain('/data/sqlite: others own /data, or can write to it');
  });
});
