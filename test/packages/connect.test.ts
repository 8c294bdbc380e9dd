import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { makePackageUser, type PackageUser, resolutions } from '../support/packages/package-user.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

let headcount: Headcount;
/** A site that has installed the package from its Headcount. */
let site: PackageUser;

beforeAll(async () => {
  headcount = await startHeadcount();
  site = await makePackageUser(`${headcount.url}/connect.tgz`);
  await site.install();
});
afterAll(async () => {
  await headcount.stop();
  await site.remove();
});

describe('the package that the server serves', () => {
  test('is installed by npm from its address, and depends on nothing', async () => {
    expect(await site.dependencies()).toEqual({ '@headcount/connect': `${headcount.url}/connect.tgz` });
    expect(await site.installed()).toEqual(['node_modules/@headcount/connect']);
    await site.installAgain();
  });

  test('has less than 12 KB, and nothing but what it needs', async () => {
    const { response, bytes, names } = await site.tarball();
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(bytes.length).toBeLessThan(12_000);
    const code = (name: string) => [`${name}.cjs`, `${name}.d.cts`, `${name}.d.ts`, `${name}.js`];
    expect(names).toEqual(
      [
        ...['LICENSE', 'README.md', 'options.d.cts', 'options.d.ts', 'package.json'],
        ...['express', 'fetch', 'tracker'].flatMap(code),
      ].sort(),
    );
  });

  test('is asked for again by whoever has it, and not sent again', async () => {
    const { response } = await site.tarball();
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const etag = response.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await fetch(`${headcount.url}/connect.tgz`, { headers })).status).toBe(304);
  });

  test('keeps its checksum when only the version of Headcount changes', async () => {
    expect((await site.manifestOf('@headcount/connect')).version).toMatch(/^0\.0\.0-sha256-[0-9a-f]{12}$/);
    const copy = await mkdtemp(join(tmpdir(), 'headcount-later-'));
    onTestFinished(() => rm(copy, { recursive: true }));
    const sources = ['client', 'connect', 'shared', 'tracker', 'LICENSE', 'rollup.config.mjs'];
    for (const name of sources) await cp(join(root, name), join(copy, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(
      join(copy, 'package.json'),
      '{"name": "headcount", "version": "99.0.0", "type": "module"}',
    );
    await writeFile(join(copy, 'config.mjs'), "export { connect as default } from './rollup.config.mjs';");
    const rollup = join(root, 'node_modules', 'rollup', 'dist', 'bin', 'rollup');
    await run(process.execPath, [rollup, '--config', 'config.mjs', '--silent'], { cwd: copy });
    expect(await readFile(join(copy, 'dist', 'connect.tgz'))).toEqual((await site.tarball()).bytes);
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
    expect(await site.runScript(name, text)).toBe('function function function\n');
  });

  test.each(resolutions)('has types for module %s, package type %s, resolution %s', async (...resolution) => {
    const keyed = (key: string) => esm.replace("'hc_ingest_example'", key);
    const said = await site.compile([keyed('process.env.HEADCOUNT_KEY'), keyed('1')], resolution);
    expect(said).not.toMatch(/^(?!1\.ts)\S/m);
    expect(said).toMatch(/^1\.ts.*Type 'number' is not assignable to type 'string'/m);
  });
});
