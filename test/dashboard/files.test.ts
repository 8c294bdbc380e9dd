import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

const html =
  '<!doctype html><title>Headcount</title><script type="module" src="/assets/app-1a2b3c.js"></script>';
const script = `// ${'a'.repeat(5000)}\n`;
const image = randomBytes(3000);

let folder: string;
let headcount: Headcount;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-pages-'));
  await mkdir(join(folder, 'built', 'assets', 'below'), { recursive: true });
  await writeFile(join(folder, 'built', 'index.html'), html);
  await writeFile(join(folder, 'built', 'assets', 'app-1a2b3c.js'), script);
  await writeFile(join(folder, 'built', 'assets', 'logo.png'), image);
  await writeFile(join(folder, 'secret.txt'), 'secret');
  headcount = await startHeadcount({ dashboardFolder: join(folder, 'built') });
});
afterAll(async () => {
  await headcount.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(headcount.url + path, { headers });

interface RawResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** As it travels: `fetch` would resolve dots in the path, undo the compression, and ask for no 304. */
function getRaw(path: string, headers: Record<string, string> = {}): Promise<RawResponse> {
  const port = new URL(headcount.url).port;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, async (res) => {
      resolve({ status: res.statusCode, headers: res.headers, body: await buffer(res) });
    })
      .on('error', reject)
      .end();
  });
}

describe('the page', () => {
  test.each([
    '/',
    '/?range=7d',
    '/sign-in',
    '/sign-on',
    '/setup',
    '/installation',
    '/p/abc',
    '/p/abc/keys',
    '/share/xyz',
    '/share/xyz/clients',
  ])('stands at %s, and nothing else may be loaded into it', async (path) => {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([200, html]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test('is not sent again while it is the same', async () => {
    const { headers } = await getRaw('/');
    expect((await getRaw('/p/abc', { 'if-none-match': headers.etag as string })).status).toBe(304);
  });

  test.each(['/nothing', '/p', '/index.html', '/v1/nothing'])(
    'shows a person who opens %s the way to the start',
    async (path) => {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const { status, headers, body } = await getRaw(path, { accept });
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(String(body)).toContain('<a href="/">Go to the dashboard</a>');
      expect((await getRaw(path, { accept: 'application/json' })).headers['content-type']).toMatch(/json/);
    },
  );

  test.each(['/nothing', '/p', '/v1', '/v1/nothing', '/index.html', '/setup/x'])(
    'does not hide that %s is nothing',
    async (path) => {
      const response = await get(path);
      expect([response.status, (await errorOf(response)).error]).toEqual([
        404,
        'There is nothing at this address.',
      ]);
    },
  );

  test('takes no other methods', async () => {
    const response = await fetch(`${headcount.url}/`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('that was not built is answered by what to do', async () => {
    const bare = await startHeadcount({ dashboardFolder: join(folder, 'none') });
    const response = await fetch(`${bare.url}/sign-in`);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).error).toContain('run "npm run build" first');
    await bare.stop();
  });
});

describe('what the page loads', () => {
  test('is kept by browsers for good, as another content has another name', async () => {
    const response = await get('/assets/app-1a2b3c.js');
    expect(await response.text()).toBe(script);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(Buffer.from(await (await get('/assets/logo.png')).arrayBuffer())).toEqual(image);
  });

  test('comes in the best encoding that the browser takes', async () => {
    const path = '/assets/app-1a2b3c.js';
    const read = async (accepted: string) => {
      const { headers, body } = await getRaw(path, { 'accept-encoding': accepted });
      return { encoding: headers['content-encoding'], body };
    };
    const brotli = await read('gzip, deflate, br, zstd');
    expect([brotli.encoding, String(brotliDecompressSync(brotli.body))]).toEqual(['br', script]);
    const gzip = await read('gzip, br;q=0');
    expect([gzip.encoding, String(gunzipSync(gzip.body))]).toEqual(['gzip', script]);
    const plain = await read('identity');
    expect([plain.encoding, String(plain.body)]).toEqual([undefined, script]);
  });

  test.each([
    '/assets/none.js',
    '/assets/below',
    '/assets/',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/__proto__',
  ])('is nothing but what was built: %s', async (path) => {
    const { status, body } = await getRaw(path);
    expect([status, String(body)]).toEqual([
      404,
      expect.stringContaining('There is nothing at this address.'),
    ]);
  });
});
