import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { marked, type Tokens } from 'marked';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { freePort } from '../support/machine/free-port.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { configureNginx, startCaddyWith } from '../support/sites/configured-server.ts';
import { startProgram, stopProgram } from '../support/sites/web-server.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'own-domain.md');

let headcount: Headcount;
let folder: string;
/** In front of Headcount: what a site hands on comes here first. */
let gate: Server;
let port: number;
/** What was handed on, in order: a path, and the cookies that came with it. */
const handedOn: [path: string | undefined, cookie: string | undefined][] = [];

beforeAll(async () => {
  // Visitors of these tests come from other addresses of loopback than the site's server.
  headcount = await startHeadcount({ env: { HEADCOUNT_TRUSTED_PROXIES: '127.0.0.1' } });
  folder = await mkdtemp(join(tmpdir(), 'headcount-own-domain-'));
  gate = createServer((req, res) => {
    const { url: path, method, headers } = req;
    handedOn.push([path, headers.cookie || undefined]);
    const { port } = new URL(headcount.url);
    const onward = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  port = (gate.address() as AddressInfo).port;
});
afterAll(async () => {
  gate.close();
  gate.closeAllConnections();
  await headcount.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the page tells to write under a heading, for this Headcount. */
async function settingsFor(heading: string): Promise<string> {
  const tokens = marked.lexer(await readFile(page, 'utf8'));
  const start = tokens.findIndex((token) => token.type === 'heading' && token.text === heading);
  const code = tokens.slice(start).find((token): token is Tokens.Code => token.type === 'code');
  return String(code?.text)
    .replaceAll('https://count.example.com', `http://127.0.0.1:${port}`)
    .replaceAll('count.example.com', new URL(headcount.url).host)
    .replaceAll(/(127\.0\.0\.1|localhost):8787/g, `127.0.0.1:${port}`);
}

interface Asked {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  /** Where the visitor is. */
  from?: string;
}

type Ask = (path: string, asked?: Asked) => Promise<{ status: number; body: string }>;

/** Of a server on this port. */
function asking(port: number): Ask {
  return (path, { method = 'GET', body, headers = {}, from = '127.0.0.2' } = {}) =>
    new Promise((resolve, reject) => {
      const agent = new Agent({ localAddress: from });
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          agent,
          headers: { 'user-agent': chromeUserAgent, ...headers },
        },
        async (response) => {
          resolve({ status: response.statusCode ?? 0, body: await text(response) });
          agent.destroy();
        },
      );
      sent.on('error', reject).end(body);
    });
}

/** The script, hits of two visitors with their addresses, and nothing else. */
async function expectCounting(ask: Ask): Promise<void> {
  const { projectId, visitors } = await headcount.addProject();
  handedOn.length = 0;
  const script = await ask('/count/hc.js', { headers: { cookie: 'session=secret' } });
  expect(script).toEqual({ status: 200, body: await (await fetch(`${headcount.url}/hc.js`)).text() });
  const body = JSON.stringify({ p: projectId, u: 'https://www.example.com/page' });
  for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.2']) {
    const hit = { method: 'POST', body, from, headers: { 'content-type': 'text/plain', cookie: 'a=b' } };
    expect((await ask('/count/v1/hit', hit)).status).toBe(202);
  }
  expect(await visitors()).toEqual({ '/page': { human: 2, ai: 0, total: 2 } });
  for (const path of ['/count/', '/count/v1/projects', '/count/hc.js/../v1/projects', '/v1/hit']) {
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  }
  const hit: (typeof handedOn)[number] = ['/v1/hit', undefined];
  expect(handedOn).toEqual([['/hc.js', undefined], hit, hit, hit]);
}

test('nginx hands on the script and its hits', async (context) => {
  needProgram(context, 'nginx');
  const ownPort = await freePort();
  const server = `${await settingsFor('nginx')}\nlocation / { return 404; }`;
  const args = await configureNginx(folder, ownPort, { server });
  const child = await startProgram('nginx', args, {}, `http://127.0.0.1:${ownPort}`);
  onTestFinished(() => stopProgram(child));
  await expectCounting(asking(ownPort));
  expect(headcount.log).toEqual([]);
});

test('Caddy does', async (context) => {
  needProgram(context, 'caddy');
  const ownPort = await freePort();
  const child = await startCaddyWith(folder, ownPort, `${await settingsFor('Caddy')}\nrespond 404`);
  onTestFinished(() => stopProgram(child));
  await expectCounting(asking(ownPort));
  expect(headcount.log).toEqual([]);
});

test('a Worker does', async () => {
  const file = join(folder, 'worker.mjs');
  await writeFile(file, await settingsFor('Cloudflare Workers'));
  const { default: worker } = (await import(file)) as {
    default: { fetch(request: Request): Promise<Response> };
  };
  await expectCounting(async (path, { method = 'GET', body, headers = {}, from = '127.0.0.2' } = {}) => {
    const request = new Request(`https://www.example.com${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: { 'user-agent': chromeUserAgent, ...headers, 'cf-connecting-ip': from },
    });
    const response = await worker.fetch(request);
    return { status: response.status, body: await response.text() };
  });
});
