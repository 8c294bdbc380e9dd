import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportCommand } from '../../server/commands/export.ts';
import type { BatchReply } from '../../shared/hit.ts';
import { gptBot } from '../support/browsers.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { aiClient, bot, combined, type ImportRun, startImport } from '../support/import/import-run.ts';

let run: ImportRun;
beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

const hit = (path: string, more = {}) => ({
  url: `https://example.com${path}`,
  ip: '198.51.100.1',
  userAgent: gptBot,
  ...more,
});

const rowsOf = async (report: string, query = '') => {
  await run.headcount.context.ingest.drain();
  const { hasMore, ...rest } = await run.project.get<Record<string, unknown[]> & { hasMore: boolean }>(
    `/v1/analytics/${run.project.projectId}/${report}?${query}`,
  );
  expect(hasMore).toBe(false);
  return Object.values(rest)[0];
};

test('reports and logs tell what AI could not read, in which form it read, and how much that was', async () => {
  const reply = await run.project.hits([
    hit('/', { status: 200, bytes: 1000 }),
    hit('/guide.md', { status: 200, bytes: 500 }),
    hit('/guide', { status: 200, type: 'text/markdown; charset=utf-8' }),
    hit('/gone', { status: 404, bytes: 90 }),
    hit('/gone', { status: 404 }),
    hit('/users/anna@example.com', { status: 403 }),
    hit('/old', { status: 301 }),
    hit('/logo.png', { status: 404 }),
    hit('/kept', { status: 304 }),
    hit('/robots.txt', { status: 200 }),
    hit('/llms.txt', { status: 404 }),
    hit('/gone', { status: 404, userAgent: chromeUserAgent }),
  ]);
  const { accepted, dropped } = (await reply.json()) as BatchReply;
  expect(accepted).toBe(4);
  expect(dropped.map(({ index, reason }) => [index, reason])).toEqual(
    [3, 4, 5, 6, 7, 9, 10, 11].map((index) => [index, 'no_page']),
  );
  const at = new Date().toISOString();
  const log = [
    combined({ at, path: '/docs', userAgent: aiClient }),
    combined({ at, path: '/docs?x=1', status: 503, userAgent: aiClient }),
    combined({ at, path: '/app.css', status: 404, userAgent: aiClient }),
    combined({ at, path: '/robots.txt', userAgent: aiClient }),
    combined({ at, path: '/robots.txt', userAgent: chromeUserAgent }),
    combined({ at, path: '/docs', status: 404, userAgent: bot }),
    combined({ at, path: '/docs', userAgent: bot }),
  ];
  const file = await run.write('access.log', log.join(''));
  await run.import([file, '--merge', '--people', 'skip']);
  await run.import([file, '--merge', '--people', 'skip']);
  expect(await rowsOf('ai-failures')).toEqual([
    { client: 'GPTBot', status: '404', path: '/gone', requests: 2 },
    { client: 'GPTBot', status: '3xx', path: '/old', requests: 1 },
    { client: 'GPTBot', status: '403', path: '/users/:email', requests: 1 },
    { client: 'PerplexityBot', status: '5xx', path: '/docs', requests: 1 },
  ]);
  expect(await rowsOf('ai-formats')).toEqual([
    { client: 'GPTBot', form: 'html', views: 2 },
    { client: 'GPTBot', form: 'markdown', views: 2 },
    { client: 'PerplexityBot', form: 'html', views: 1 },
  ]);
  expect(await rowsOf('ai-bytes')).toEqual([
    { client: 'GPTBot', requests: 3, bytes: 1590, cost: null },
    { client: 'PerplexityBot', requests: 3, bytes: 1536, cost: null },
  ]);
  expect(await rowsOf('ai-files')).toEqual([
    { client: 'GPTBot', status: '2xx', path: '/robots.txt', requests: 1 },
    { client: 'GPTBot', status: '404', path: '/llms.txt', requests: 1 },
    { client: 'PerplexityBot', status: '2xx', path: '/robots.txt', requests: 1 },
  ]);
});

test('a search finds what stands in any column of names', async () => {
  const project = await run.addProject({});
  await project.hits([
    hit('/gone', { status: 404, bytes: 90 }),
    hit('/old', { status: 301, bytes: 90, userAgent: aiClient }),
  ]);
  await run.headcount.context.ingest.drain();
  const found = async (report: string, search: string) => {
    const reply = await project.get<Record<string, unknown[]>>(
      `/v1/analytics/${project.projectId}/${report}?search=${search}`,
    );
    return Object.values(reply)[0]?.length;
  };
  expect(await found('ai-failures', 'GONE')).toBe(1);
  expect(await found('ai-failures', 'gptb')).toBe(1);
  expect(await found('ai-failures', '3xx')).toBe(1);
  expect(await found('ai-bytes', 'perplexity')).toBe(1);
  expect(await found('ai-bytes', 'bot')).toBe(2);
  expect(await found('ai-bytes', 'nobody')).toBe(0);
});

test('bytes have a price where the project says it', async () => {
  const project = await run.addProject({ trafficPrice: 0.09 });
  await project.hits([hit('/', { status: 200, bytes: 2_500_000_000 })]);
  const { clients } = await project.get<{ clients: unknown[] }>(
    `/v1/analytics/${project.projectId}/ai-bytes`,
  );
  // One answer counts for no more than 2 GiB.
  expect(clients).toEqual([{ client: 'GPTBot', requests: 1, bytes: 2_147_483_647, cost: 0.193274 }]);
});

test('texts that are longer than a client takes are told', async () => {
  const project = await run.addProject({});
  const read = (
    path: string,
    bytes: number,
    userAgent = 'Claude-User (claude-code/2.1.86; +https://x.example)',
  ) => ({
    ...hit(path, { status: 200, bytes, userAgent }),
  });
  await project.hits([
    read('/long.md', 150_000),
    read('/long.md', 150_000),
    read('/short.md', 90_000),
    read('/llms-full.txt', 900_000),
    read('/page', 900_000),
    read('/long.md', 150_000, gptBot),
  ]);
  const { pages } = await project.get<{ pages: unknown[] }>(`/v1/analytics/${project.projectId}/ai-cut-off`);
  expect(pages).toEqual([
    { client: 'Claude Code', path: '/long.md', views: 2, bytes: 300_000 },
    { client: 'Claude Code', path: '/llms-full.txt', views: 1, bytes: 900_000 },
  ]);
});

test.each([
  [':~:text=Two%20cups', 'Two cups'],
  [':~:text=Pour,%20the%20%20tea&text=more', 'Pour … the tea'],
  [':~:text=before%20it-,caf%C3%A9,-after', 'café'],
  [':~:selector(x)&text=write to anna%40example.com today', 'write to :email today'],
  [`:~:text=${'long '.repeat(100)}`, 'long '.repeat(40).trim()],
  [':~:text=%', null],
  [':~:text=only-,-these', null],
  [':~:foo=text', null],
])('%s is the passage %j', async (directive, passage) => {
  const project = await run.addProject({});
  const land = (visitor: number, r: string) =>
    project.hit(
      { u: 'https://example.com/tea', r },
      { 'User-Agent': chromeUserAgent, 'X-Forwarded-For': `198.51.100.${visitor}` },
    );
  for (const visitor of [1, 2, 2]) await land(visitor, `https://www.google.com/${directive}`);
  // Who goes on inside the site has not landed, and another source is another row.
  await land(3, `https://example.com/${directive}`);
  await land(4, directive);
  const quoted = () => project.get(`/v1/analytics/${project.projectId}/text-fragments`);
  expect(await quoted()).toMatchObject({ passages: [], hasMore: false });
  await land(5, `https://www.google.com/${directive}`);
  const row = { source: 'google.com', passage, path: '/tea', visitors: 3 };
  expect(await quoted()).toMatchObject({ passages: passage === null ? [] : [row], hasMore: false });
});

test('an export takes the quoted passages along that enough visitors share, and nothing of visitors', async () => {
  const project = await run.addProject({});
  const land = (visitor: number, path: string) =>
    project.hit(
      { u: `https://example.com${path}`, r: 'https://www.google.com/:~:text=Two%20cups' },
      { 'User-Agent': chromeUserAgent, 'X-Forwarded-For': `198.51.100.${visitor}` },
    );
  for (const visitor of [1, 2, 3]) await land(visitor, '/tea');
  for (const visitor of [1, 2]) await land(visitor, '/rare');
  const file = join(run.folder, 'project.jsonl');
  await exportCommand.run(['--project', project.projectId, file], terminalOf(run.headcount, {}));
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const counters = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'tally');
  expect(counters.filter(({ group }) => group.includes('Two cups'))).toEqual([
    expect.objectContaining({
      tally: 'text-fragments',
      group: 'google.com\tTwo cups',
      name: '/tea',
      hits: 3,
      amount: 0,
    }),
  ]);
  expect(counters.map(({ tally }) => tally)).not.toContain('text-fragment-visitors');
});

test('they are told of one client, one page or one source, and of both', async () => {
  expect(await rowsOf('ai-failures', 'client=GPTBot&path=/gone')).toEqual([
    { client: 'GPTBot', status: '404', path: '/gone', requests: 2 },
  ]);
  const failures = (await rowsOf('ai-failures')) as { client: string; path: string }[];
  const ofBot = failures.filter(({ client }) => client === 'GPTBot');
  expect(ofBot.length).toBeLessThan(failures.length);
  expect(await rowsOf('ai-failures', 'client=GPTBot')).toEqual(ofBot);
  // The beginning of a name is not the name.
  expect(await rowsOf('ai-failures', 'client=GPT')).toEqual([]);
  expect(await rowsOf('ai-failures', 'path=/gone')).toEqual(failures.filter(({ path }) => path === '/gone'));
  for (const report of ['ai-formats', 'ai-bytes', 'ai-files']) {
    const rows = (await rowsOf(report)) as { client: string }[];
    const own = rows.filter(({ client }) => client === 'GPTBot');
    expect([report, await rowsOf(report, 'client=GPTBot')]).toEqual([report, own]);
  }
  const project = await run.addProject({});
  for (const [n, source] of ['google.com', 'bing.com'].entries()) {
    for (const visitor of [1, 2, 3]) {
      await project.hit(
        { u: 'https://example.com/tea', r: `https://${source}/:~:text=Two%20cups` },
        { 'User-Agent': chromeUserAgent, 'X-Forwarded-For': `198.51.100.${10 * n + visitor}` },
      );
    }
  }
  const passage = { source: 'bing.com', passage: 'Two cups', path: '/tea', visitors: 3 };
  const quoted = (query: string) => project.get(`/v1/analytics/${project.projectId}/text-fragments?${query}`);
  expect(await quoted('source=bing.com')).toMatchObject({ passages: [passage] });
  expect(await quoted('source=bing.com&path=/tea')).toMatchObject({ passages: [passage] });
  expect(await quoted('source=bing.com&path=/te')).toMatchObject({ passages: [] });
});

test('the ways in are told, with what came by them', async () => {
  await run.project.hit({ u: 'https://example.com/' }, { 'User-Agent': chromeUserAgent });
  await run.project.hit({ u: 'https://example.com/' }, { 'User-Agent': bot });
  expect(await rowsOf('data-sources')).toEqual([
    { way: 'report', kind: 'dropped', hits: 8 },
    { way: 'report', kind: 'ai', hits: 4 },
    { way: 'log', kind: 'dropped', hits: 3 },
    { way: 'log', kind: 'ai', hits: 1 },
    { way: 'script', kind: 'dropped', hits: 1 },
    { way: 'script', kind: 'people', hits: 1 },
  ]);
});

test('they come as a file, and only to the owner', async () => {
  const { projectId, adminKey } = run.project;
  const response = await fetch(
    `${run.headcount.url}/v1/analytics/${projectId}/ai-failures?format=csv&search=OLD`,
    {
      headers: { authorization: `Bearer ${adminKey}` },
    },
  );
  expect(await response.text()).toBe('"client","status","path","requests"\r\n"GPTBot","3xx","/old",1\r\n');
  const token = 'a-token-of-a-shared-page';
  const link = { id: 'link', projectId, kind: 'page', token, createdAt: new Date().toISOString() } as const;
  await run.headcount.context.store.addLink(link);
  await run.headcount.context.registry.refresh();
  expect((await fetch(`${run.headcount.url}/v1/share/${token}/visitors`)).status).toBe(200);
  for (const report of ['ai-failures', 'data-sources', 'signatures']) {
    expect((await fetch(`${run.headcount.url}/v1/share/${token}/${report}`)).status).toBe(404);
  }
});

test('what nobody measured is told apart from zero', async () => {
  const project = await run.addProject({});
  const read = async (report: string) =>
    await project.get<{ measured: unknown; coverage?: unknown }>(
      `/v1/analytics/${project.projectId}/${report}`,
    );
  const nothing = { people: null, ai: null, ways: [] };
  expect((await read('sources')).measured).toEqual(nothing);
  await project.hit({ u: 'https://example.com/' }, { 'User-Agent': chromeUserAgent });
  const byScript = { people: true, ai: false, ways: ['script'] };
  for (const report of [
    ...[
      'sources',
      'countries',
      'ai-clients',
      'series',
      'operators',
      'gaps',
      'assistant-landings',
      'text-fragments',
    ],
    ...['freshness', 'silent-clients', 'ai-networks', 'entry-pages', 'exit-pages'],
    ...['ai-failures', 'ai-formats', 'ai-bytes', 'ai-files', 'ai-disallowed', 'ai-cut-off', 'signatures'],
  ]) {
    expect([report, (await read(report)).measured]).toEqual([report, byScript]);
  }
  const today = new Date().toISOString().slice(0, 10);
  expect((await read('series')).coverage).toEqual([{ way: 'script', from: today, to: today }]);
  expect((await read('devices?dateTo=2020-01-01')).measured).toEqual(nothing);
  // A server that reports nobody but bots still measures.
  await project.hits([{ url: 'https://example.com/', ip: '198.51.100.1', userAgent: bot }]);
  await run.headcount.context.ingest.drain();
  expect((await read('browsers')).measured).toEqual({ people: true, ai: true, ways: ['script', 'report'] });
});
