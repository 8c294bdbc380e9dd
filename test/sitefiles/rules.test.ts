import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allows, parseRobots, rulesFor } from '../../server/sitefiles/robots/robots-file.ts';
import type { AiRulesReply } from '../../shared/reports/sites.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { freePort } from '../support/machine/free-port.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { findProgram } from '../support/machine/program.ts';
import { configureNginx, startCaddyWith } from '../support/sites/configured-server.ts';
import { agents } from '../support/sites/counted-site.ts';
import { startProgram, stopProgram } from '../support/sites/web-server.ts';

let headcount: Headcount;
let folder: string;

beforeAll(async () => {
  headcount = await startHeadcount();
  folder = await mkdtemp(join(tmpdir(), 'headcount-rules-'));
});
afterAll(async () => {
  await headcount.stop();
  await rm(folder, { recursive: true, force: true });
});

const path = (query: string) => `/v1/analytics/${headcount.projectId}/ai-rules?${query}`;
const read = (query: string) => headcount.get<AiRulesReply>(path(query));

/** Refuses training, lets one of its clients in, slows another down, and has a third pay. */
const choice = 'training=refuse&clients=ClaudeBot:allow,CCBot:slow,Amazonbot:pay,Diffbot-User:slow';

const named = (name: string) => `Mozilla/5.0 (compatible; ${name}; +https://bots.example/)`;

/** What each client is answered by rules with that choice; slow ones are let in at first. */
const expected: [userAgent: string, status: number][] = [
  [agents.human, 200],
  [agents.GPTBot, 403],
  [agents.ClaudeBot, 200],
  [named('gptbot/9.9'), 403],
  [named('NotGPTBot/1.0'), 200],
  [named('GPTBotany/1.0'), 200],
  [named('Diffbot/2.0'), 403],
  [named('Amazonbot/0.1'), 402],
  [named('PerplexityBot/1.0'), 200],
  ['', 200],
];

const statusOf = (url: string, userAgent: string) =>
  fetch(url, { headers: { 'user-agent': userAgent } }).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });

async function check(url: string): Promise<void> {
  for (const [userAgent, status] of expected) {
    expect([userAgent, await statusOf(`${url}/page`, userAgent)]).toEqual([userAgent, status]);
  }
  expect(await statusOf(`${url}/robots.txt`, agents.GPTBot)).toBe(200);
}

/** Asked again and again, a slow client is let in now and then. */
async function checkSlow(url: string, name: string): Promise<void> {
  const statuses = new Set<number>();
  await expect
    .poll(async () => [...statuses.add(await statusOf(`${url}/page`, named(name)))].sort())
    .toEqual([200, 429]);
}

describe('rules for robots.txt', () => {
  test('disallow what is refused, by the parser that judges obedience', async () => {
    const { text, notes } = await read(`target=robots&${choice}`);
    const file = parseRobots(text);
    const isLetIn = (token: string) => allows(rulesFor(file, [token]), '/page');
    expect(['gptbot', 'claudebot', 'ccbot', 'amazonbot', 'perplexitybot', 'googlebot'].map(isLetIn)).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(text).toContain('User-agent: CCBot\nUser-agent: Diffbot-User\nCrawl-delay: 10\n');
    expect(notes.join(' ')).toContain('cannot ask for payment');
  });

  test('are none where all are welcome', async () => {
    const { text, clients } = await read('');
    expect(text).toBe('# All AI clients are welcome.\n');
    expect(clients.every(({ action }) => action === 'allow')).toBe(true);
  });
});

test('rules for nginx are accepted and kept by it', async (context) => {
  needProgram(context, 'nginx');
  const { text } = await read(`target=nginx&${choice}`);
  const [http = '', server = ''] = text.split('# 2. Inside the "server" of your site:\n');
  const port = await freePort();
  const args = await configureNginx(folder, port, { http, server: `${server}\nlocation / { empty_gif; }` });
  const tested = await promisify(execFile)(findProgram('nginx') ?? 'nginx', [...args, '-t', '-q']);
  expect(tested).toEqual({ stdout: '', stderr: '' });
  const url = `http://127.0.0.1:${port}`;
  const child = await startProgram('nginx', args, {}, url);
  try {
    await check(url);
    await checkSlow(url, 'CCBot/2.0');
    await checkSlow(url, 'Diffbot-User/1.0');
    expect(await statusOf(`${url}/robots.txt`, named('CCBot/2.0'))).toBe(200);
  } finally {
    await stopProgram(child);
  }
});

test('rules for Caddy are accepted and kept by it', async (context) => {
  needProgram(context, 'caddy');
  const { text } = await read(`target=caddy&${choice}`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startCaddyWith(folder, port, `${text}\nrespond "a page"`);
  try {
    await check(url);
    await checkSlow(url, 'CCBot/2.0');
    expect(await statusOf(`${url}/robots.txt`, named('CCBot/2.0'))).toBe(200);
  } finally {
    await stopProgram(child);
  }
});

test('rules for a Worker run as one, and hand on what they let in', async () => {
  const { text } = await read(`target=worker&${choice}`);
  const file = join(folder, 'worker.mjs');
  await writeFile(file, text.replace('return fetch(request);', "return new Response('a page');"));
  expect(text).toContain('return fetch(request);');
  const { default: worker } = (await import(file)) as {
    default: { fetch(request: Request): Promise<Response> };
  };
  const answer = (userAgent: string, at = '/page') =>
    worker.fetch(new Request(`https://docs.example.com${at}`, { headers: { 'user-agent': userAgent } }));
  for (const [userAgent, status] of expected) {
    expect([userAgent, (await answer(userAgent)).status]).toEqual([userAgent, status]);
  }
  const slow = [named('CCBot/2.0'), named('Diffbot-User/1.0'), named('CCBot/3.0')];
  const statuses = [];
  for (const userAgent of slow) statuses.push((await answer(userAgent)).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await answer(slow[0] as string)).headers.get('retry-after')).toBe('6');
  expect((await answer(agents.GPTBot, '/robots.txt')).status).toBe(200);
});

test('every client is told with what is done, and whether the rules can name it', async () => {
  const { clients } = await read(`target=worker&browser=refuse&${choice}`);
  const byName = Object.fromEntries(clients.map(({ client, ...rest }) => [client, rest]));
  expect(byName.GPTBot).toEqual({
    operator: 'OpenAI',
    purpose: 'training',
    action: 'refuse',
    isReachable: true,
  });
  expect(byName.CCBot?.action).toBe('slow');
  expect(byName['Claude in Chrome']).toMatchObject({ action: 'refuse', isReachable: false });
});

test.each([
  ['target=apache', 'target'],
  ['training=burn', 'training'],
  ['clients=GPTBot', 'clients'],
  ['clients=Nobody:refuse', 'clients'],
  ['training=allow&training=refuse', 'training'],
])('%s is refused', async (query, field) => {
  const response = await fetch(headcount.url + path(query), {
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).details?.[0]?.path).toBe(field);
});
