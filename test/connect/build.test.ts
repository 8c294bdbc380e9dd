import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test.each(['fetch', 'express'])(
  'connect/%s has less than 2.5 KB, packed with Brotli, and imports nothing',
  async (name) => {
    const source = await readFile(join(root, 'dist', 'connect', `${name}.js`), 'utf8');
    expect(brotliCompressSync(source).length).toBeLessThan(2560);
    expect(source).not.toMatch(/\bimport\b|\brequire\b/);
  },
);

const good = {
  'express.ts': `
    import { createServer } from 'node:http';
    import express from 'express';
    import { connect } from 'headcount/connect/express';
    const headcount = connect({
      server: 'https://count.example.com',
      key: 'hc_ingest_example',
      trustedProxies: 'loopback,10.0.0.0/8',
      filter: (request, response) => request.url !== '/private' && response.statusCode === 200,
    });
    express().use(headcount).listen(0);
    createServer((req, res) => {
      headcount(req, res);
      res.end();
    });
    process.once('SIGTERM', () => headcount.flush());`,
  'hono.ts': `
    import { getConnInfo } from '@hono/node-server/conninfo';
    import { Hono } from 'hono';
    import { connect } from 'headcount/connect/fetch';
    const headcount = connect({ server: 'https://count.example.com', key: 'hc_ingest_example', countPeople: true });
    const app = new Hono();
    app.use(async (c, next) => {
      await next();
      headcount.report(c.req.raw, c.res, { address: getConnInfo(c).remote.address });
      headcount.report(c.req.raw, c.res, c.executionCtx);
    });`,
  'worker.ts': `
    import { connect } from 'headcount/connect/fetch';
    const headcount = connect({ server: 'https://count.example.com', key: 'hc_ingest_example', addressHeader: 'cf-connecting-ip' });
    interface Env { ASSETS: { fetch(request: Request): Promise<Response> } }
    interface ExecutionContext { waitUntil(promise: Promise<any>): void; passThroughOnException(): void }
    export default {
      async fetch(request: Request, env: Env, ctx: ExecutionContext) {
        const response = await env.ASSETS.fetch(request);
        headcount.report(request, response, ctx);
        return response;
      },
    };`,
  'proxy.ts': `
    import { connect } from 'headcount/connect/fetch';
    class NextRequest extends Request { nextUrl = new URL(this.url) }
    interface NextFetchEvent { waitUntil(promise: Promise<any>): void; sourcePage: string }
    const headcount = connect({ server: 'https://count.example.com', key: 'hc_ingest_example', addressHeader: 'x-real-ip' });
    export function proxy(request: NextRequest, event: NextFetchEvent) {
      headcount.report(request, undefined, event);
    }`,
};

const bad = {
  'bad-fetch.ts': `
    import { connect } from 'headcount/connect/fetch';
    connect({ server: 'https://count.example.com' });`,
  'bad-express.ts': `
    import { connect } from 'headcount/connect/express';
    connect({ server: 'https://count.example.com', key: 'hc_ingest_example', trustProxy: true });`,
};

test('both bring types that fit the frameworks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-types-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'node_modules', '@hono'), { recursive: true });
  await symlink(root, join(folder, 'node_modules', 'headcount'));
  for (const name of ['express', '@types', 'hono', '@hono/node-server']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  for (const [name, text] of Object.entries({ ...good, ...bad })) await writeFile(join(folder, name), text);
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--lib',
    'esnext',
    '--types',
    'node',
  ];
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const compile = (files: object) =>
    spawnSync(tsc, [...options, ...Object.keys(files)], { cwd: folder, encoding: 'utf8' }).stdout;
  expect(compile(good)).toBe('');
  const problems = compile(bad);
  expect(problems).toContain("'key' is missing");
  expect(problems).toContain("'trustProxy' does not exist");
});
