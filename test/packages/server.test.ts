import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { parseTarGzip } from 'nanotar';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { projectClient } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase } from '../support/store/shared-postgres.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

let folder: string;
/** Of the packed files, without `package/`. */
let names: string[];
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const [{ filename }] = JSON.parse(stdout);
  await unpack(join(folder, filename));
  await linkDependencies();
  program = join(folder, 'node_modules', 'headcount', 'headcount.js');
});
afterAll(() => rm(folder, { recursive: true }));

async function unpack(tarball: string): Promise<void> {
  const files = (await parseTarGzip(await readFile(tarball))).map(({ name, data }) => ({
    name: name.replace('package/', ''),
    data,
  }));
  names = files.map(({ name }) => name);
  for (const { name, data } of files) {
    const path = join(folder, 'node_modules', 'headcount', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, data ?? '');
  }
}

/** Those that `npm ci --omit=dev` installs, and no others. */
async function linkDependencies(): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { dev, os }] of Object.entries<{ dev?: boolean; os?: string[] }>(packages)) {
    const isTop = path.lastIndexOf('node_modules/') === 0;
    if (!isTop || dev || os) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(root, path), join(folder, path));
  }
}

/** As a process without the environment of the tests. */
function start(args: string[], dataDir: string, settings: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    HEADCOUNT_OFFLINE: '1',
    HEADCOUNT_PORT: '0',
    HEADCOUNT_DATA_DIR: dataDir,
    ...settings,
  };
  return { cwd: folder, env, command: [program, ...args] };
}

async function serve(dataDir: string, settings?: Record<string, string>): Promise<string> {
  const { command, ...options } = start([], dataDir, settings);
  const child = spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await new Promise((resolve) => child.once('close', resolve));
  });
  for await (const line of createInterface(child.stdout)) {
    const port = /port (\d+)/.exec(line)?.[1];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error('The server did not start.');
}

async function expectToCount(url: string, dataDir: string, settings?: Record<string, string>): Promise<void> {
  const { command, ...options } = start(['project', 'add', '--name', 'Site', '--json'], dataDir, settings);
  const added = JSON.parse((await run(process.execPath, command, options)).stdout);
  const project = projectClient(url, added);
  expect((await project.hit({ u: 'https://site.example/docs' })).status).toBe(202);
  expect(await project.visitors()).toEqual({ '/docs': { human: 1, ai: 0, total: 1 } });
}

describe('the package of the server', () => {
  test('has what was built, and neither sources nor tests', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'headcount.js',
        'dist/hc.js',
        'dist/hc-events.js',
        'dist/hc-debug.js',
        'dist/connect.tgz',
        'LICENSE',
      ]),
    );
    expect(names.filter((name) => /(?<!\.d)\.tsx?$/.test(name))).toEqual([]);
    expect(names.filter((name) => /^(test|bench|demo|docs|deploy)\//.test(name))).toEqual([]);
  });

  test('serves and counts with what is installed for running alone', async () => {
    const dataDir = join(folder, 'data');
    const url = await serve(dataDir);
    for (const path of ['/hc.js', '/', '/connect.tgz', '/client.tgz', '/help/api.html']) {
      expect((await fetch(url + path)).status, path).toBe(200);
    }
    await expectToCount(url, dataDir);
  });

  test('does so in a PostgreSQL too', async (context) => {
    if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
    const database = await makeEmptyDatabase();
    onTestFinished(() => dropDatabase(database));
    const dataDir = join(folder, 'nodes');
    const settings = {
      HEADCOUNT_DATABASE_URL: database,
      HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    await expectToCount(await serve(dataDir, settings), dataDir, settings);
    expect(await readdir(dataDir)).not.toContain('headcount.db');
  });

  test('runs on the Node that npm installed beside it, whatever other there is', async () => {
    const own = Object.keys(manifest.optionalDependencies).find((name) =>
      name.endsWith(`${process.platform}-${process.arch}`),
    );
    await symlink(join(root, 'node_modules', String(own)), join(folder, 'node_modules', String(own)));
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'node'), '#!/bin/sh\necho v20.20.2\n');
    await chmod(join(bin, 'node'), 0o755);
    // As npm does it, by a link.
    const link = join(bin, 'headcount');
    await symlink(program, link);
    await chmod(program, 0o755);
    const options = { cwd: folder, env: { PATH: `${bin}:/usr/bin:/bin` } };
    expect((await run(link, ['version'], options)).stdout).toBe(`headcount ${manifest.version}\n`);
  });

  test('cannot be packed before anything is built, as npm runs no scripts here', async () => {
    const fresh = join(folder, 'fresh');
    await mkdir(fresh);
    for (const name of ['.npmrc', 'headcount.js', 'package.json'])
      await copyFile(join(root, name), join(fresh, name));
    const packing = run('npm', ['pack'], { cwd: fresh });
    await expect(packing).rejects.toThrow(/no such file or directory.*made-by-npm-run-build/);
    expect(await readdir(join(root, 'dist'))).toContain('made-by-npm-run-build');
  });

  test('says what is missing when it was packed before anything was built', async () => {
    const unbuilt = join(folder, 'unbuilt');
    await mkdir(unbuilt);
    await copyFile(join(root, 'headcount.js'), join(unbuilt, 'headcount.js'));
    await writeFile(join(unbuilt, 'package.json'), '{"type":"module"}');
    const started = run(process.execPath, [join(unbuilt, 'headcount.js')]);
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^This package .* was packed before .*: run "npm run build && npm pack"/),
    });
  });

  test('reports the licences of what is in the pages of the dashboard', async () => {
    const { command, ...options } = start(['licenses'], join(folder, 'none'));
    const { stdout } = await run(process.execPath, command, options);
    const packages = ['preact ', 'uplot ', 'Leon Sorokin', 'circle-flags ', 'HatScripts'];
    for (const text of ['The Headcount authors', ...packages]) expect(stdout).toContain(text);
  });

  test.each(['whois', 'import', 'check', 'key', 'admin'])('has the command %s', async (name) => {
    const { command, ...options } = start([name, '--help'], join(folder, 'none'));
    expect((await run(process.execPath, command, options)).stdout).toContain(`Usage: headcount ${name}`);
  });
});
