import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseTarGzip } from 'nanotar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

let headcount: Headcount;
let folder: string;
/** A site that has installed the package from its Headcount. */
let site: string;

beforeAll(async () => {
  headcount = await startHeadcount();
  folder = await mkdtemp(join(tmpdir(), 'headcount-connect-'));
  site = join(folder, 'site');
  await mkdir(site);
  await writeFile(join(site, 'package.json'), '{"private": true}');
  await install();
});
afterAll(async () => {
  await headcount.stop();
  await rm(folder, { recursive: true });
});

/** With a cache of its own and no way to a registry. */
function install(command = ['install', `${headcount.url}/connect.tgz`]) {
  const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', join(folder, 'cache')];
  return run('npm', [...command, ...options, '--registry', 'http://127.0.0.1:9'], { cwd: site });
}

const tarball = async () => {
  const response = await fetch(`${headcount.url}/connect.tgz`);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe('the package that the server serves', () => {
  test('is installed by npm from its address, and depends on nothing', async () => {
    const { dependencies } = JSON.parse(await readFile(join(site, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({ '@headcount/connect': `${headcount.url}/connect.tgz` });
    const installed = JSON.parse(await readFile(join(site, 'node_modules', '.package-lock.json'), 'utf8'));
    expect(Object.keys(installed.packages)).toEqual(['node_modules/@headcount/connect']);
    await install(['ci']);
  });

  test('has less than 12 KB, and nothing but what it needs', async () => {
    const { response, bytes } = await tarball();
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(bytes.length).toBeLessThan(12_000);
    const names = (await parseTarGzip(bytes)).map(({ name }) => name.replace('package/', ''));
    const code = (name: string) => [`${name}.cjs`, `${name}.d.cts`, `${name}.d.ts`, `${name}.js`];
    expect(names.sort()).toEqual(
      [
        ...['LICENSE', 'README.md', 'options.d.cts', 'options.d.ts', 'package.json'],
        ...['express', 'fetch', 'tracker'].flatMap(code),
      ].sort(),
    );
  });

  test('is asked for again by whoever has it, and not sent again', async () => {
    const { response } = await tarball();
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const etag = response.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await fetch(`${headcount.url}/connect.tgz`, { headers })).status).toBe(304);
  });

  test('keeps its checksum when only the version of Headcount changes', async () => {
    const { version } = JSON.parse(
      await readFile(join(site, 'node_modules', '@headcount', 'connect', 'package.json'), 'utf8'),
    );
    expect(version).toMatch(/^0\.0\.0-sha256-[0-9a-f]{12}$/);
    const copy = join(folder, 'later');
    await mkdir(copy);
    const sources = [
      'client',
      'connect',
      'shared',
      'tracker',
      'LICENSE',
      'rollup.connect.mjs',
      'rollup.plugins.mjs',
    ];
    for (const name of sources) await cp(join(root, name), join(copy, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(
      join(copy, 'package.json'),
      '{"name": "headcount", "version": "99.0.0", "type": "module"}',
    );
    await writeFile(join(copy, 'config.mjs'), "export { connect as default } from './rollup.connect.mjs';");
    const rollup = join(root, 'node_modules', 'rollup', 'dist', 'bin', 'rollup');
    await run(process.execPath, [rollup, '--config', 'config.mjs', '--silent'], { cwd: copy });
    expect(await readFile(join(copy, 'dist', 'connect.tgz'))).toEqual((await tarball()).bytes);
  });
});

const script = (load: string) => `
  ${load}
  const app = connect({ server: 'http://127.0.0.1:9', key: 'hc_ingest_example' });
  const edge = connectFetch({ server: 'http://127.0.0.1:9', key: 'hc_ingest_example' });
  const tracker = start({ project: 'abc', server: 'http://127.0.0.1:9' });
  tracker.view();
  console.log(typeof app, typeof app.flush, typeof edge.report);`;

const esm = script(`
  import { connect } from '@headcount/connect/express';
  import { connect as connectFetch } from '@headcount/connect/fetch';
  import { start } from '@headcount/connect/tracker';`);

const commonJs = script(`
  const { connect } = require('@headcount/connect/express');
  const { connect: connectFetch } = require('@headcount/connect/fetch');
  const { start } = require('@headcount/connect/tracker');`);

describe('a site that has it', () => {
  test.each([
    ['imports', 'site.mjs', esm],
    ['requires', 'site.cjs', commonJs],
  ])('%s it', async (_how, name, text) => {
    await writeFile(join(site, name), text);
    expect((await run(process.execPath, [name], { cwd: site })).stdout).toBe('function function function\n');
  });

  test.each([
    ['nodenext', 'module', 'nodenext', esm],
    ['nodenext', 'commonjs', 'nodenext', esm],
    ['esnext', 'module', 'bundler', esm],
  ])('has types for module %s, package type %s, resolution %s', async (module, type, resolution, text) => {
    const typed = join(folder, `${type}-${resolution}`);
    await cp(join(site, 'node_modules'), join(typed, 'node_modules'), { recursive: true });
    await symlink(join(root, 'node_modules', '@types'), join(typed, 'node_modules', '@types'));
    await writeFile(join(typed, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(typed, 'site.ts'), text.replace("'hc_ingest_example'", 'process.env.HEADCOUNT_KEY'));
    await writeFile(join(typed, 'wrong.ts'), text.replace("'hc_ingest_example'", '1'));
    const compile = (file: string) => {
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', 'node'];
      const kinds = ['--module', module, '--moduleResolution', resolution];
      return run(join(root, 'node_modules', '.bin', 'tsc'), [...options, ...kinds, file], {
        cwd: typed,
      }).then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout as string,
      );
    };
    expect(await compile('site.ts')).toBe('');
    expect(await compile('wrong.ts')).toContain("Type 'number' is not assignable to type 'string'");
  });
});
