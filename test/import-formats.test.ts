import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPage } from '../connect/page.ts';
import type { ProjectClient } from './support/headcount.ts';
import { aiClient, combined, type ImportRun, person, startImport } from './support/import-run.ts';

let run: ImportRun;
let files = 0;

beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

const human = (count: number) => ({ human: count, ai: 0, total: count });
const ai = (count: number) => ({ human: 0, ai: count, total: count });

interface Counted {
  project: ProjectClient;
  people: number;
  notCounted: Record<string, number>;
}

async function take(lines: string[], args: string[] = []): Promise<Counted> {
  const project = await run.addProject({ hosts: ['example.com'] });
  const file = await run.write(`log-${++files}`, `${lines.join('\n')}\n`);
  const { counted, notCounted } = await run.import([file, ...args], { project });
  return { project, people: counted.people, notCounted };
}

const json = (...lines: object[]) => lines.map((line) => JSON.stringify(line));
const encoded = (text: string) => text.replaceAll(' ', '%20').replaceAll('"', '%22');

const cloudfrontNames =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end'.split(
    ' ',
  );

function cloudfront(changes: Record<string, string>): Record<string, string> {
  const usual = {
    date: '2026-03-01',
    time: '10:00:00',
    'c-ip': '198.51.100.1',
    'cs-method': 'GET',
    'cs(Host)': 'd111111abcdef8.cloudfront.net',
    'cs-uri-stem': '/',
    'sc-status': '200',
    'x-host-header': 'example.com',
    'cs-protocol': 'https',
    'cs(User-Agent)': encoded(person),
    'sc-content-type': 'text/html',
  };
  const blank = Object.fromEntries(cloudfrontNames.map((name) => [name, '-']));
  return { ...blank, ...usual, ...changes };
}

const cloudfrontVisits = [
  cloudfront({ 'cs(Referer)': 'https://www.google.com/', 'cs-uri-query': 'utm_source=news' }),
  // As logs of some years were: the percent sign of a space is encoded too.
  cloudfront({ 'cs(User-Agent)': encoded(aiClient).replaceAll('%20', '%2520'), 'cs-uri-stem': '/docs' }),
  cloudfront({ 'cs-uri-stem': '/a.png', 'sc-content-type': 'image/png' }),
  cloudfront({ 'x-host-header': 'other.example' }),
];
const tabbed = cloudfrontVisits.map((line) => cloudfrontNames.map((name) => line[name]).join('\t'));

function cloudflare(changes: object): object {
  return {
    ClientIP: '198.51.100.1',
    ClientRequestHost: 'example.com',
    ClientRequestMethod: 'GET',
    ClientRequestScheme: 'https',
    ClientRequestURI: '/?utm_source=news',
    ClientRequestReferer: '',
    ClientRequestUserAgent: person,
    EdgeResponseStatus: 200,
    EdgeResponseContentType: 'text/html',
    EdgeStartTimestamp: '2026-03-01T10:00:00Z',
    ...changes,
  };
}

function vercel(proxy: object, changes: object = {}): object {
  return {
    id: '1',
    deploymentId: 'dpl_1',
    source: 'lambda',
    host: 'site-1.vercel.app',
    timestamp: Date.parse('2026-03-01T10:00:00Z'),
    projectId: 'p',
    level: 'info',
    requestId: 'r1',
    ...changes,
    proxy: {
      timestamp: Date.parse('2026-03-01T10:00:00Z'),
      method: 'GET',
      scheme: 'https',
      host: 'example.com',
      path: '/?utm_source=news',
      userAgent: [person],
      referer: '',
      statusCode: 200,
      clientIp: '198.51.100.1',
      ...proxy,
    },
  };
}

function caddy(request: object, changes: object = {}): object {
  const { headers = { 'User-Agent': [person] }, ...rest } = request as { headers?: object };
  return {
    level: 'info',
    ts: Date.parse('2026-03-01T10:00:00Z') / 1000,
    logger: 'http.log.access',
    msg: 'handled request',
    request: {
      remote_ip: '127.0.0.1',
      client_ip: '198.51.100.1',
      method: 'GET',
      host: 'example.com',
      uri: '/?utm_source=news',
      headers,
      ...rest,
    },
    status: 200,
    resp_headers: { 'Content-Type': ['text/html; charset=utf-8'] },
    ...changes,
  };
}

/** The same four requests: a person, an AI client, an image, another site's page. */
const samples: [string, string[]][] = [
  [
    'apache',
    [
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/?utm_source=news' }).trim()}`,
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/docs', userAgent: aiClient }).trim()}`,
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/a.png' }).trim()}`,
      `other.example:80 ${combined({ at: '2026-03-01T10:00:00Z' }).trim()}`,
    ],
  ],
  ['cloudfront', ['#Version: 1.0', `#Fields: ${cloudfrontNames.join(' ')}`, ...tabbed]],
  ['cloudfront', [cloudfrontNames.join('\t'), ...tabbed]],
  ['cloudfront', json(...cloudfrontVisits)],
  [
    'cloudflare',
    json(
      cloudflare({}),
      cloudflare({
        ClientRequestURI: '/docs',
        ClientRequestUserAgent: aiClient,
        EdgeStartTimestamp: 1_772_359_200_000_000_000,
      }),
      cloudflare({
        ClientRequestURI: '/a.png',
        EdgeResponseContentType: 'image/png',
        EdgeStartTimestamp: 1_772_359_200,
      }),
      cloudflare({ ClientRequestHost: 'other.example' }),
    ),
  ],
  [
    'vercel',
    json(
      vercel({}),
      vercel({ path: '/docs', userAgent: [aiClient] }, { requestId: 'r2' }),
      vercel({ path: '/a.png' }, { requestId: 'r3', source: 'static' }),
      vercel({ host: 'other.example' }, { requestId: 'r4' }),
    ),
  ],
  [
    'caddy',
    json(
      caddy({}),
      caddy({ uri: '/docs', headers: { 'User-Agent': [aiClient] } }, { ts: '2026-03-01T10:00:00.000Z' }),
      caddy({ uri: '/a.png' }, { resp_headers: { 'Content-Type': ['image/png'] } }),
      caddy({ host: 'other.example' }, { ts: '2026/03/01 10:00:00.000' }),
    ),
  ],
  [
    'jsonl',
    json(
      {
        url: 'https://example.com/?utm_source=news',
        ip: '198.51.100.1',
        userAgent: person,
        at: '2026-03-01T10:00:00Z',
      },
      {
        url: 'https://example.com/docs',
        ip: '198.51.100.1',
        userAgent: aiClient,
        at: '2026-03-01T11:00:00+01:00',
      },
      { url: 'https://example.com/a.png', ip: '198.51.100.1', userAgent: person, at: '2026-03-01T10:00:00Z' },
      { url: 'https://other.example/', ip: '198.51.100.1', userAgent: person, at: '2026-03-01T10:00:00Z' },
    ),
  ],
];

describe('the first lines tell the format', () => {
  test.each(samples)('%s', async (format, lines) => {
    for (const args of [[], ['--format', format]]) {
      const { project, notCounted } = await take(lines, args);
      expect(notCounted).toMatchObject({ foreign_host: 1 });
      // What is reported by a server was a page.
      const image = format === 'jsonl' ? { '/a.png': human(1) } : {};
      expect(await project.views('dateFrom=2026-03-01&dateTo=2026-03-02')).toEqual({
        '/': human(1),
        '/docs': ai(1),
        ...image,
      });
      const { sources } = await project.get<{ sources: { source: string }[] }>(
        `/v1/analytics/${project.projectId}/sources`,
      );
      expect(sources.map(({ source }) => source)).toContain('news');
    }
  });

  test('and a few others among them do not matter', async () => {
    const lines = ['{"level":"info","msg":"started"}', 'plain words', ...json(caddy({}), caddy({}))];
    expect((await take(lines)).people).toBe(2);
  });
});

test('a request of which Vercel tells in several lines counts once, and what nobody asked for not at all', async () => {
  const { project, notCounted } = await take(
    json(
      vercel({}, { type: 'stdout', message: 'rendering' }),
      vercel({}, { type: 'delimiter' }),
      {
        id: '2',
        deploymentId: 'dpl_1',
        source: 'build',
        host: 'x',
        timestamp: 1,
        level: 'info',
        message: 'building',
      },
      vercel({ statusCode: -1 }, { requestId: 'r2' }),
      vercel({}, { requestId: 'r3' }),
    ),
  );
  expect(notCounted).toEqual({ repeated: 1, status: 1 });
  expect(await project.views()).toEqual({ '/': human(2) });
});

test('a page in a log is what a page is to the reporting server', async () => {
  const cases = [
    '/',
    '/docs',
    '/a.css',
    '/docs.md',
    '/robots.txt',
    '/notes.txt',
    '/healthz',
    '/v1.2',
    '/x.json',
  ].flatMap((path) =>
    ['text/html', 'text/plain', 'text/markdown', 'application/json', 'image/png'].flatMap((type) =>
      ['GET', 'HEAD', 'POST'].flatMap((method) =>
        [200, 206, 304, 301, 404].flatMap((status) =>
          [
            {},
            { 'Sec-Purpose': 'prefetch' },
            { 'Sec-Fetch-Dest': 'empty' },
            { 'Sec-Fetch-Dest': 'document' },
            { RSC: '1' },
          ].map((headers) => ({ path, type, method, status, headers })),
        ),
      ),
    ),
  );
  const lines = cases.map(({ path, type, method, status, headers }) =>
    caddy(
      {
        uri: `${path}?x=1`,
        method,
        headers: {
          'User-Agent': [person],
          ...Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]])),
        },
      },
      { status, resp_headers: { 'Content-Type': [type] } },
    ),
  );
  const pages = cases.filter(({ path, type, method, status, headers }) =>
    isPage({
      peer: undefined,
      method,
      url: `https://example.com${path}?x=1`,
      headers: new Map(Object.entries(headers).map(([k, v]) => [k.toLowerCase(), v as string])),
      status,
      type,
    }),
  );
  expect(pages.length).toBeGreaterThan(50);
  const project = await run.addProject({ countTwinsAs: 'file' });
  await run.import([await run.write('pages.log', `${json(...lines).join('\n')}\n`)], { project });
  const counted = Object.entries(await project.views()).map(([path, { human }]) => [path, human]);
  const expected = Map.groupBy(pages, ({ path }) => path);
  expect(Object.fromEntries(counted)).toEqual(
    Object.fromEntries([...expected].map(([path, list]) => [path, list.length])),
  );
});

test('request headers in a log tell who asks, as they do when a server reports', async () => {
  const headers = { 'User-Agent': [person], Accept: ['text/markdown, text/html;q=0.9'] };
  const { project } = await take(json(caddy({ headers }), caddy({})));
  expect(await project.views()).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
});

test('of a proxy that is trusted, the log tells whom it speaks for', async () => {
  const line = (peer: string, forwarded: string) =>
    `${peer}|2026-03-01T10:00:00+00:00|/|${person}|${forwarded}`;
  const { project } = await take(
    [
      line('127.0.0.1', '192.0.2.1'),
      line('127.0.0.1', '192.0.2.66, 192.0.2.2'),
      line('127.0.0.1', '192.0.2.2:4711'),
      line('198.51.100.1', '192.0.2.3'),
      line('198.51.100.1', '-'),
    ],
    ['--log-format', '$remote_addr|$time_iso8601|$uri|$http_user_agent|$http_x_forwarded_for'],
  );
  // Without a status in the format, all of them went well.
  expect(await project.views()).toEqual({ '/': human(5) });
  expect(await project.visitors()).toEqual({ '/': human(3) });
});

test('the same visitor is one, whatever the format writes of the user agent', async () => {
  const odd = 'Mozilla/5.0 (X11; "caf\u00e9\\"; rv:140.0) Gecko/20100101 Firefox/140.0';
  const bytes = Buffer.from(odd, 'utf8').toString('latin1');
  const escaped = [...bytes]
    .map((c) => (/[ -!#-[\]-~]/.test(c) ? c : `\\x${c.charCodeAt(0).toString(16)}`))
    .join('');
  const project = await run.addProject({});
  const first = combined({ at: '2026-03-01T10:00:00Z' });
  const lines = {
    'nginx.log': first.replace(person, escaped),
    'apache.log': first.replace(person, odd.replace(/["\\]/g, '\\$&')),
    'caddy.log': JSON.stringify(caddy({ headers: { 'User-Agent': [odd] } })),
    'hits.jsonl': json({
      url: 'http://localhost/',
      ip: '198.51.100.1',
      userAgent: odd,
      at: '2026-03-01T10:00:00Z',
    })[0],
    'cloudfront.log': json(cloudfront({ 'cs(User-Agent)': encodeURIComponent(odd) }))[0],
  };
  const written = await Promise.all(
    Object.entries(lines).map(([name, line]) => run.write(name, `${line}\n`)),
  );
  await run.import(written, { project });
  expect(await project.views()).toEqual({ '/': human(5) });
  expect(await project.visitors()).toEqual({ '/': human(1) });
});

test('texts for machines count under their page, unless the project says otherwise', async () => {
  const lines = ['/docs.md', '/llms.txt', '/robots.txt', '/sitemap.xml', '/healthz'].map((path) =>
    combined({ at: '2026-03-01T10:00:00Z', path, userAgent: aiClient }).trim(),
  );
  const { project, notCounted } = await take(lines);
  expect(notCounted).toEqual({ asset: 3 });
  expect(await project.views()).toEqual({ '/': ai(1), '/docs': ai(1) });
  const files = await run.addProject({ countTwinsAs: 'file' });
  await run.import([await run.write('twins.log', `${lines.join('\n')}\n`)], { project: files });
  expect(await files.views()).toEqual({ '/docs.md': ai(1), '/llms.txt': ai(1) });
});

test('a client of long ago is not called a liar by the addresses of today, nor is one without a list', async () => {
  const gptBot =
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)';
  const line = (at: string) => combined({ at, ip: '8.8.8.8', userAgent: gptBot }).trim();
  const recent = new Date(Date.now() - 5 * 86_400_000).toISOString();
  const { project, notCounted } = await take([line('2024-03-01T10:00:00Z'), line(recent)]);
  expect(notCounted).toEqual({ spoofed: 1 });
  expect(await project.views()).toEqual({ '/': ai(1) });
});

describe('wrong usage says what to do', () => {
  test.each([
    [['x.log', '--format', 'iis'], '--format must be one of auto, combined, apache, nginx-json'],
    [
      ['x.log', '--log-format', '$remote_addr$time_local "$request" "$http_user_agent"'],
      'nothing between them',
    ],
    [
      ['x.log', '--log-format', '$remote_addr [$time_local] "$request"'],
      'lacks the user agent: it needs $http_user_agent',
    ],
    [['x.log', '--log-format', '$time_local|$request|$http_user_agent'], 'lacks the address'],
    [['x.log', '--people', 'some'], '--people must be count or skip'],
    [['x.log', '--follow', '--dry-run'], 'cannot follow'],
    [['-', '--follow'], 'leave --follow out'],
    [['-', '-'], 'can be given once'],
    [[], 'Give the log files'],
    [['x.log', '--colour'], '--colour'],
    [['nosuch.log'], 'There is no file nosuch.log'],
  ])('%s', async (args, message) => {
    await expect(run.import(args)).rejects.toThrow(message);
  });
});
