import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { projectClient } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  optional?: boolean;
  engines?: object;
  os?: string[];
  libc?: string[];
}

const lock: { packages: Record<string, Locked> } = JSON.parse(
  await readFile(join(root, 'package-lock.json'), 'utf8'),
);

const nodePackage = Object.keys(manifest.optionalDependencies).find((name) =>
  name.endsWith(`${process.platform}-${process.arch}`),
);

const npms = [
  ['9.2.0', '18'],
  ['10.9.4', '18'],
  ['11.3.0', '20'],
  ['11.19.1', '20'],
] as const;

let folder: string;
/** The first checkout. */
let firstCheckout = '';
/** Why the versions of npm and Node are not there. */
let missing: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-npm-'));
  const dependencies = Object.fromEntries(
    npms.flatMap(([npm, node]) => [
      [`npm-${npm}`, `npm:npm@${npm}`],
      [`node-${node}`, `npm:${nodePackage}@${node}`],
    ]),
  );
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...options], { cwd: folder }).catch((error: Error) => {
    missing = `npm and Node of other versions cannot be installed: ${error.message}`;
  });
});
afterAll(() => rm(folder, { recursive: true }));

/** The packages that these need, by their paths in the lock file. */
function neededFor(names: string[], found = new Set<string>()): Set<string> {
  for (const path of names.map((name) => `node_modules/${name}`)) {
    const locked = lock.packages[path];
    if (!locked || found.has(path)) continue;
    found.add(path);
    neededFor(Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), found);
  }
  return found;
}

const notCopied = ['.git', 'data', 'demo', 'dist', 'node_modules', 'test'];

/** A checkout where nothing is installed or built, with no more to install than what npms differ in. */
async function makeCheckout(folderName: string): Promise<string> {
  const checkout = join(folder, folderName);
  const filter = (path: string) => !notCopied.includes(relative(root, path));
  await cp(root, checkout, { recursive: true, filter });
  const { name, version, license, bin, optionalDependencies } = manifest;
  const devDependencies = { rolldown: manifest.devDependencies.rolldown };
  const needs = { devDependencies, optionalDependencies };
  const wanted = neededFor(Object.keys({ ...devDependencies, ...optionalDependencies }));
  const packages = {
    '': { name, version, license, bin, ...needs },
    ...Object.fromEntries([...wanted].map((path) => [path, lock.packages[path]])),
  };
  await writeFile(
    join(checkout, 'package.json'),
    JSON.stringify({ ...manifest, dependencies: {}, ...needs }),
  );
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  return checkout;
}

/** All that npm has not put there comes from this checkout. */
async function linkTheRest(checkout: string): Promise<void> {
  const { packages } = lock;
  for (const path of Object.keys(packages)) {
    const isTop = path.lastIndexOf('node_modules/') === 0;
    if (!isTop || existsSync(join(checkout, path)) || !existsSync(join(root, path))) continue;
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await symlink(join(root, path), join(checkout, path));
  }
}

describe.each(npms)('with npm %s on Node %s', (npm, node) => {
  test('a fresh checkout is installed, starts and counts', async (context) => {
    if (missing) leaveOut(context, missing);
    const bin = join(folder, 'node_modules', `node-${node}`, 'bin');
    const cli = join(folder, 'node_modules', `npm-${npm}`, 'bin', 'npm-cli.js');
    const cwd = await makeCheckout(npm);
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: String(process.env.HOME),
      HEADCOUNT_OFFLINE: '1',
      HEADCOUNT_PORT: '0',
      HEADCOUNT_DATA_DIR: join(cwd, 'data'),
    };
    const call = (...args: string[]) => run(join(bin, 'node'), [cli, ...args], { cwd, env });
    await call('ci', '--no-audit', '--no-fund', '--prefer-offline');
    await linkTheRest(cwd);
    // What the first has built is not built again.
    for (const path of firstCheckout === ''
      ? []
      : ['dist', 'client/operations.d.cts', 'node_modules/.cache']) {
      await cp(join(firstCheckout, path), join(cwd, path), { recursive: true });
    }
    const built =
      firstCheckout === ''
        ? /^Building the types .*\nBuilding the dashboard, .* \(the first time only\) …\n/
        : /^/;
    firstCheckout = cwd;

    const child = spawn(join(bin, 'node'), [cli, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    onTestFinished(() => void child.kill());
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      url = line.replace(/.*listening on .*, port (\d+).*/, 'http://127.0.0.1:$1');
      if (url !== line) break;
    }
    expect(errors).toMatch(built);
    const add = ['run', '-s', 'headcount', '--', 'project', 'add', '--name', 'Site', '--json'];
    const project = projectClient(url, JSON.parse((await call(...add)).stdout));
    expect((await project.hit({ u: 'https://site.example/docs' })).status).toBe(202);
    expect(await project.visitors()).toEqual({ '/docs': { human: 1, ai: 0, total: 1 } });

    // npm hands a signal on, and the server ends in good order.
    child.kill('SIGTERM');
    child.stdout.resume();
    await ended;
    await expect.poll(() => existsSync(join(cwd, 'data', 'server.json'))).toBe(false);
  });
});

test('the lock file leaves it to no npm to skip machine code for the Node that npm runs on', () => {
  const skipped = Object.entries(lock.packages).filter(([, { optional, engines }]) => optional && engines);
  // "engines" of optional packages are to be deleted from package-lock.json: npm checks the machine's Node, not ours.
  expect(skipped.map(([path]) => path)).toEqual([]);
});

test('the lock file brings nothing for musl, on which our Node does not run, whether npm knows C libraries or not', () => {
  const forMusl = Object.entries(lock.packages).filter(([, { libc = [] }]) => libc.includes('musl'));
  expect(forMusl.length).toBeGreaterThan(0);
  // "os" of these packages is to be changed to ["musl"] in package-lock.json: npm up to 9 does not look at "libc".
  expect(forMusl.filter(([, { os }]) => String(os) !== 'musl').map(([path]) => path)).toEqual([]);
});
