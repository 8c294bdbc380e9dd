import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPage } from '../../connect/page.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { aiClient, combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';
import { bunny, caddy, cloudfront, json, samples, vercel } from '../support/import/log-samples.ts';
import { keepRecentRanges } from '../support/proof/recent-ranges.ts';

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

describe('the first lines tell the format', () => {
  test.each(samples)('%s', async (format, lines) => {
    for (const args of [[], ['--format', format]]) {
      const { project, notCounted } = await take(lines, args);
      expect(notCounted).toMatchObject({ foreign_host: 1 });
      // What is reported by a server was a page.
      const image = format === 'jsonl' ? { '/a.png': human(1) } : {};
      expect(await project.views({ dateFrom: '2026-03-01', dateTo: '2026-03-02' })).toEqual({
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

describe.each(['', 'example.com ', 'example.com:443 '])('the common format with "%s" in front', (host) => {
  const lines = ['/', '/a.png', '/docs'].map((path) =>
    combined({ at: '2026-03-01T10:00:00Z', path })
      .replace(/ "-" ".*/s, '')
      .replace(/^/, host),
  );

  test('counts people where it is said that all of it is people', async () => {
    const { project, notCounted } = await take(lines, ['--people', 'count']);
    expect(notCounted).toEqual({ asset: 1 });
    expect(await project.views()).toEqual({ '/': human(1), '/docs': human(1) });
    expect(await project.visitors()).toEqual({ '/': human(1), '/docs': human(1) });
  });

  test('is refused else, as people cannot be told from programs', async () => {
    for (const args of [[], ['--format', 'common'], ['--people', 'skip']]) {
      await expect(take(lines, args)).rejects.toThrow('have your server log the combined format');
    }
  });
});

test('a virtual host without a port tells the site', async () => {
  const line = combined({ at: '2026-03-01T10:00:00Z' }).trim();
  const { people, notCounted } = await take([`example.com ${line}`, `other.example ${line}`]);
  expect([people, notCounted]).toEqual([1, { foreign_host: 1 }]);
});

test('a bar in an address or a user agent is no border between the fields of Bunny', async () => {
  const { project, notCounted } = await take([
    bunny({
      url: 'https://example.com/a|b?c=d|e',
      referrer: 'https://www.google.com/search?q=a|b',
      userAgent: `${aiClient} a|DE|b`,
    }),
    bunny({ url: 'https://example.com/part', status: '206' }),
    'HIT|200|1772359200000|412|390|198.51.100.1|-|no address|WA|agent|id|DE',
  ]);
  expect(notCounted).toEqual({ status: 1, unreadable: 1 });
  expect(await project.views()).toEqual({ '/a|b': ai(1) });
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
      bytes: Number.NaN,
      method,
      url: `https://example.com${path}?x=1`,
      headers: new Map(Object.entries(headers).map(([k, v]) => [k.toLowerCase(), v as string])),
      status,
      type,
    }),
  );
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.map(({ status }) => status)).not.toContain(206);
  const project = await run.addProject({ countTwinsAs: 'file' });
  await run.import([await run.write('pages.log', `${json(...lines).join('\n')}\n`)], { project });
  const counted = Object.entries(await project.views()).map(([path, { human }]) => [path, human]);
  const expected = Map.groupBy(pages, ({ path }) => path);
  expect(Object.fromEntries(counted)).toEqual(
    Object.fromEntries([...expected].map(([path, list]) => [path, list.length])),
  );
});

test('what one log tells of a request is not taken for what the next one tells', async () => {
  const project = await run.addProject({ hosts: ['example.com'] });
  const headers = { 'User-Agent': [person], Accept: ['text/markdown, text/html;q=0.9'] };
  const first = await run.write('first.log', `${json(caddy({ headers }))[0]}\n`);
  const second = ['/', '/a.png'].map((path) => combined({ at: '2026-03-01T11:00:00Z', path }));
  const { notCounted } = await run.import([first, await run.write('second.log', second.join(''))], {
    project,
  });
  expect(notCounted).toEqual({ asset: 1 });
  expect(await project.views()).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
});

test('request headers in a log tell who asks, as they do when a server reports', async () => {
  const headers = { 'User-Agent': [person], Accept: ['text/markdown, text/html;q=0.9'] };
  const { project } = await take(json(caddy({ headers }), caddy({})));
  expect(await project.views()).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
});

test.each([
  [
    'Caddy',
    (languages: string) => caddy({ headers: { 'User-Agent': [person], 'Accept-Language': [languages] } }),
  ],
  [
    'nginx',
    (languages: string) => ({
      time: '2026-03-01T10:00:00+00:00',
      ...{ remote_addr: '198.51.100.1', host: 'example.com', scheme: 'https', status: '200' },
      ...{ request: 'GET / HTTP/1.1', http_user_agent: person, http_accept_language: languages },
    }),
  ],
])('the language of whoever asks is counted where the log tells it: %s', async (_name, line) => {
  const { project } = await take(json(line('de-AT,de;q=0.9,en;q=0.5'), line('fr'), line('*')));
  const { languages } = await project.get<{ languages: object[] }>(
    `/v1/analytics/${project.projectId}/languages`,
  );
  expect(languages).toEqual([
    { language: 'de-AT', ...human(1) },
    { language: 'fr', ...human(1) },
  ]);
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

test('a line is judged by a list of about its own day, however old the list is today', async () => {
  const gptBot =
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)';
  const line = (at: string) => combined({ at, ip: '8.8.8.8', userAgent: gptBot }).trim();
  const asOf = Date.now() - 35 * 86_400_000;
  keepRecentRanges(run.headcount.dataDir, asOf);
  const dayOf = (days: number) => new Date(asOf + days * 86_400_000).toISOString();
  const { notCounted } = await take([line(dayOf(-40)), line(dayOf(15)), line(dayOf(34))]);
  expect(notCounted).toEqual({ spoofed: 1 });
});

test('a client of long ago is not called a liar by the addresses of today, nor is one without a list', async () => {
  const gptBot =
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)';
  const line = (at: string) => combined({ at, ip: '8.8.8.8', userAgent: gptBot }).trim();
  const recent = new Date(Date.now() - 5 * 86_400_000).toISOString();
  keepRecentRanges(run.headcount.dataDir, Date.now());
  const { project, notCounted } = await take([line('2024-03-01T10:00:00Z'), line(recent)]);
  expect(notCounted).toEqual({ spoofed: 1 });
  expect(await project.views()).toEqual({ '/': ai(1) });
});
