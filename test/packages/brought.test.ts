import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Pin } from '../support/machine/brought.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', 'support', 'machine', 'brought.ts');
const name = '@example/tool';

let folder: string;
let home: string;
let registry: Server;
let pin: Pin;
let asked: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-brought-'));
  const source = join(folder, 'package');
  await mkdir(source);
  await writeFile(join(source, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  await writeFile(join(source, 'tool'), 'It works.');
  const tarball = join(folder, 'tool.tgz');
  await run('tar', ['-czf', tarball, '-C', folder, 'package']);
  const packed = await readFile(tarball);
  pin = { name, version: '1.0.0', integrity: `sha512-${hash('sha512', packed, 'base64')}` };
  registry = createServer((request, response) => {
    asked.push(String(request.url));
    if (request.url?.endsWith('.tgz')) return response.end(packed);
    const dist = { tarball: `${urlOf()}tool.tgz` };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name, versions: { '1.0.0': { name, version: '1.0.0', dist } } }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  asked = [];
  home = await mkdtemp(join(folder, 'home-'));
});
afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true });
});

function urlOf(): string {
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
}

/** In a process of its own, whose npm has kept nothing. */
function bring(to: Pin, url = urlOf()) {
  const bringing = { reason: 'a test needs it', instead: 'Install it.' };
  const script = `
    const { bringTo } = await import(${JSON.stringify(program)});
    console.log(await bringTo(...${JSON.stringify([home, to, bringing])}).catch(({ message }) => message));
  `;
  const cache = join(home, 'npm');
  const env = {
    ...process.env,
    npm_config_registry: url,
    npm_config_cache: cache,
    npm_config_fetch_retries: '0',
  };
  return run(process.execPath, ['--input-type=module', '--eval', script], { env });
}

test('a package that only tests need is brought once, however many processes need it, and then offline', async () => {
  const all = await Promise.all([bring(pin), bring(pin), bring(pin)]);
  const [path = ''] = all.map(({ stdout }) => stdout.trim());
  expect(await readFile(join(path, 'tool'), 'utf8')).toBe('It works.');
  expect(all.map(({ stdout }) => stdout.trim())).toEqual([path, path, path]);
  expect(asked.filter((one) => one.endsWith('.tgz'))).toHaveLength(1);
  expect(all.map(({ stderr }) => stderr).join('')).toBe(
    '@example/tool 1.0.0 is downloaded from the npm registry, once, as a test needs it.\n',
  );
  expect(await bring(pin, 'http://127.0.0.1:1/')).toMatchObject({ stdout: `${path}\n`, stderr: '' });
});

test('a package with another content than the pinned one is not unpacked', async () => {
  const other = { ...pin, integrity: `sha512-${hash('sha512', 'other', 'base64')}` };
  const { stdout } = await bring(other);
  expect(stdout).toContain(
    `@example/tool 1.0.0 could not be downloaded: its hash is ${pin.integrity} in place of ${other.integrity}. Install it.`,
  );
  expect(existsSync(join(home, '@example+tool@1.0.0'))).toBe(false);
});

test('a registry that cannot be reached is named with what to do instead', async () => {
  expect((await bring(pin, 'http://127.0.0.1:1/')).stdout).toBe(
    '@example/tool 1.0.0 could not be downloaded: npm did not get it from its registry. Install it.\n',
  );
});
