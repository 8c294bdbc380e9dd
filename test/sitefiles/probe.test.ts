import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProbeCommand } from '../../server/commands/probe.ts';
import type { Terminal } from '../../server/commands/terminal/command.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import type { ProbeResult } from '../../server/sitefiles/probe/probe.ts';
import { imitable, userAgentOf, usualClients } from '../../server/sitefiles/probe/probed-client.ts';
import { runHeadcount } from '../support/child.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { type PublicSite, startPublicSite } from '../support/sites/public-site.ts';

type Edge = (request: IncomingMessage, response: ServerResponse) => void;

const words = 'one two three four five six seven eight nine ten eleven twelve';
const page = `<!doctype html><title>Guide</title><h1>The guide</h1><p>${words}</p>`;
const html = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);

let site: PublicSite;
let headcount: Headcount;
let seen: (string | undefined)[];
let printed: string;

beforeAll(async () => {
  [site, headcount] = await Promise.all([
    startPublicSite(),
    startHeadcount({ project: { hosts: ['*.example.com'] } }),
  ]);
});
afterAll(async () => {
  await headcount.stop();
  await site.close();
});
beforeEach(() => {
  seen = [];
  printed = '';
});

/** Lets people in, and does that to all that names GPTBot. */
function guard(edge: Edge, people: Edge = (_, response) => html(response, 200, page)): void {
  site.answers['/'] = (request, response) => {
    const userAgent = request.headers['user-agent'];
    seen.push(userAgent);
    (userAgent?.includes('GPTBot') ? edge : people)(request, response);
  };
}

async function run(args: string[], given: Partial<Terminal> = {}): Promise<string> {
  const config = { ...headcount.context.config, offline: false };
  const command = createProbeCommand({ get: site.get, pauseMs: 0 });
  const print = (text: string) => {
    printed += text;
  };
  await command.run(args, terminalOf(headcount, { config, print, ...given }));
  return printed;
}

const ask = async (...args: string[]) =>
  JSON.parse(await run([`https://${site.host}/`, '--yes', '--json', ...args])) as ProbeResult;

async function verdictOf(edge: Edge, people?: Edge) {
  guard(edge, people);
  const { clients } = await ask('--client', 'GPTBot');
  return clients[0];
}

const challengePage = '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>';
const gated: [string, Edge][] = [
  ['a refusal', (_, response) => html(response, 403, 'Forbidden')],
  ['a limit', (_, response) => html(response, 429, 'Too many requests', { 'retry-after': '60' })],
  ['a price', (_, response) => html(response, 402, 'Payment required')],
  ['a page that is not there', (_, response) => html(response, 404, 'Not found')],
  ['a closed connection', (request) => request.socket.destroy()],
];

describe('a client is blocked by', () => {
  test.each(gated)('%s', async (_, edge) => {
    expect(await verdictOf(edge)).toMatchObject({ client: 'GPTBot', operator: 'OpenAI', outcome: 'blocked' });
  });
});

describe('a client is challenged by', () => {
  test.each<[string, Edge]>([
    [
      'a field of Cloudflare',
      (_, response) => html(response, 403, challengePage, { 'cf-mitigated': 'challenge' }),
    ],
    ['a page of Cloudflare', (_, response) => html(response, 503, challengePage)],
    ['a page that says that all is well', (_, response) => html(response, 200, challengePage)],
    ['a field of AWS', (_, response) => html(response, 202, '', { 'x-amzn-waf-action': 'challenge' })],
    [
      'a page of DataDome',
      (_, response) => html(response, 403, '<script src="https://ct.captcha-delivery.com/c.js">'),
    ],
    [
      'a checkpoint of Vercel',
      (_, response) => html(response, 429, 'x', { 'x-vercel-mitigated': 'challenge' }),
    ],
    [
      'a page of Anubis',
      (_, response) => html(response, 200, '<script id="anubis_challenge" type="application/json">'),
    ],
    ['a redirect', (_, response) => html(response, 302, '', { location: '/captcha?back=/' })],
    [
      'a captcha that people do not get',
      (_, response) => html(response, 200, '<div class="h-captcha"></div>'),
    ],
  ])('%s', async (_, edge) => {
    expect((await verdictOf(edge))?.outcome).toBe('challenged');
  });
});

describe('a client is let in with', () => {
  test.each<[string, Edge]>([
    ['the same page', (_, response) => html(response, 200, page)],
    [
      'nearly the same page',
      (_, response) => html(response, 200, `${page}<script>x()</script><p>13 readers</p>`),
    ],
    [
      'the page as Markdown',
      (_, response) => html(response, 200, '# Guide', { 'content-type': 'text/markdown' }),
    ],
    [
      'a redirect on the same site',
      (request, response) =>
        request.url === '/' ? html(response, 301, '', { location: '/guide' }) : html(response, 200, page),
    ],
  ])('%s', async (_, edge) => {
    site.answers['/guide'] = page;
    expect((await verdictOf(edge))?.outcome).toBe('open');
  });

  test('a captcha that people get, too', async () => {
    const withCaptcha: Edge = (_, response) => html(response, 200, `${page}<div class="g-recaptcha"></div>`);
    expect((await verdictOf(withCaptcha, withCaptcha))?.outcome).toBe('open');
  });
});

describe('nothing is known of a client that', () => {
  test.each<[string, Edge]>([
    ['gets another page', (_, response) => html(response, 200, '<h1>Hello bot</h1>')],
    ['meets a failure', (_, response) => html(response, 500, 'Oops')],
    [
      'is sent to another site',
      (_, response) => html(response, 302, '', { location: 'https://elsewhere.test/' }),
    ],
  ])('%s', async (_, edge) => {
    expect((await verdictOf(edge))?.outcome).toBe('inconclusive');
  });

  test.each(gated)('meets %s as people do', async (_, edge) => {
    const verdict = await verdictOf(edge, edge);
    expect([verdict?.outcome, verdict?.why]).toEqual([
      'inconclusive',
      expect.stringContaining('not let in either'),
    ]);
  });
});

test('every client says a name by which it is known, and the usual ones are few', () => {
  const wrong = imitable().filter((client) => {
    const identity = identifyUserAgent(userAgentOf(client) ?? '');
    return identity.kind !== 'ai' || identity.client !== client.client;
  });
  expect(wrong).toEqual([]);
  expect(usualClients().length).toBeLessThan(50);
});

test('a table tells people, with what an edge may know that the probe cannot', async () => {
  guard((_, response) => html(response, 403, ''));
  const text = await run([`${site.host}`, '--yes', '--client', 'GPTBot,ClaudeBot']);
  expect(text).toContain('A browser: open.');
  expect(text).toMatch(/^GPTBot +training +blocked +It is refused \(403\)\.$/m);
  expect(text).toMatch(/^ClaudeBot +training +open +It gets the same page as a browser\.$/m);
  expect(text).toContain('1 open, 1 blocked.');
  expect(text).toContain('may let the real ones in');
  expect(seen).toHaveLength(3);
  expect(seen[0]).toContain('Chrome/');
});

test('without a choice the usual clients are asked for, once each', async () => {
  guard((_, response) => html(response, 200, page));
  const { clients, counts } = await ask();
  expect(clients.map(({ client }) => client)).toEqual(usualClients().map(({ client }) => client));
  expect(counts.open).toBe(usualClients().length);
  expect(new Set(seen).size).toBe(usualClients().length + 1);
});

describe('nothing is sent', () => {
  test.each([
    ['to a host that no project names', ['https://elsewhere.test/', '--yes'], 'is not a host of any project'],
    ['to a private address', ['https://127.0.0.1/', '--yes'], 'is not a host of any project'],
    ['without encryption', ['http://docs.example.com/', '--yes'], 'must be that of a page'],
    ['without a word of its owner', ['https://docs.example.com/'], 'add --yes if the site is yours'],
    [
      'as a client that nobody knows',
      ['https://docs.example.com/', '--client', 'Nobody'],
      'is not an AI client',
    ],
    [
      'as one without a name',
      ['https://docs.example.com/', '--client', 'Claude in Chrome'],
      'cannot be imitated',
    ],
  ])('%s', async (_, args, reason) => {
    guard((_, response) => html(response, 200, page));
    await expect(run(args)).rejects.toThrow(reason);
    expect(seen).toEqual([]);
  });

  test('by a server that is told to ask nobody, which the real program says', async () => {
    const { code, stderr } = await runHeadcount(['probe', 'https://docs.example.com/', '--yes'], {
      HEADCOUNT_DATA_DIR: headcount.dataDir,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('HEADCOUNT_OFFLINE')]);
    expect((await runHeadcount(['probe', '--help'])).stdout).toContain('inconclusive');
  });
});
