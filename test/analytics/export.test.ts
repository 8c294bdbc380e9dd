import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-11-28T10:00:00Z');
const days = 'dateFrom=2026-11-01&dateTo=2026-11-29';
let headcount: Headcount;
let shared: string;

beforeAll(async () => {
  const project = { name: 'docs.example', timeZone: 'UTC' };
  headcount = await startHeadcount({ now: clock.now, project });
  await headcount.hit({ u: 'https://example.com/a', r: 'https://news.example/x' });
  await headcount.hit({ u: 'https://example.com/b?x=1' });
  const client = await openDashboard(headcount);
  const links = `/v1/admin/projects/${headcount.projectId}/links`;
  shared = `/v1${new URL((await client.must<LinkReply>('POST', links, { kind: 'page' })).url).pathname}`;
});
afterAll(() => headcount.stop());

const ask = (path: string) =>
  fetch(headcount.url + path, {
    headers: path.startsWith('/v1/share') ? {} : { authorization: `Bearer ${headcount.adminKey}` },
  });
const own = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;

async function unpack(response: Response): Promise<Record<string, string>> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
  );
}

const fileOf = (report: string) => `docs.example_${report}_2026-11-01_2026-11-28.csv`;

test('the archive has each report as its own file sends it', async () => {
  const response = await ask(own(`export?${days}`));
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="docs.example_reports_2026-11-01_2026-11-28.zip"',
  );
  const files = await unpack(response);
  const named = Object.entries<Report>(reports)
    .filter(
      ([path, { columns, panels }]) => columns && !path.includes(':') && !panels?.some(({ query }) => query),
    )
    .map(([path]) => path)
    // Of no range, or among the changes.
    .filter((path) => !['freshness', 'ai-rules', 'worklist', 'silent-clients', 'annotations'].includes(path));
  expect(Object.keys(files)).toEqual(expect.arrayContaining(named.map(fileOf)));
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['search-query', 'search-page'].map(fileOf)));
  for (const report of ['visitors', 'sources', 'dropped', 'series', 'operators'])
    expect(files[fileOf(report)], report).toBe(await (await ask(own(`${report}?${days}&format=csv`))).text());
  expect(files[fileOf('visitors')]).toContain('"/b",1,0,1');
});

test('reports of a goal are of all goals, each as the file of one goal', async () => {
  const ways = ['entry-pages', 'sources', 'countries', 'devices', 'channels', 'sections'];
  const without = await unpack(await ask(own(`export?${days}`)));
  expect(Object.keys(without)).not.toEqual(expect.arrayContaining([fileOf('goals-sources')]));
  const goals = ['/a', '/b*', 'Sign up'];
  const project = await headcount.addProject({ name: 'docs.example', timeZone: 'UTC', goals });
  await project.hit({ u: 'https://example.com/a', r: 'https://news.example/x' });
  await project.hit({ u: 'https://example.com/b' });
  const get = (report: string) =>
    fetch(`${headcount.url}/v1/analytics/${project.projectId}/${report}`, {
      headers: { authorization: `Bearer ${project.adminKey}` },
    });
  const files = await unpack(await get(`export?${days}`));
  for (const way of ways) {
    const [head, ...rows] = (files[fileOf(`goals-${way}`)] ?? '').trim().split('\r\n');
    const expected: string[] = [];
    for (const goal of goals) {
      const text = await (await get(`goals/${encodeURIComponent(goal)}/${way}?${days}&format=csv`)).text();
      const [first, ...lines] = text.trim().split('\r\n');
      expect(head, way).toBe(`"goal",${first}`);
      expected.push(...lines.map((line) => `"${goal}",${line}`));
    }
    expect(rows, way).toEqual(expected);
  }
  expect(files[fileOf('goals-sources')]).toContain('"/a","news.example",1,1');
  expect(files[fileOf('goals-entry-pages')]).toContain('"/b*","/a",1,1');
});

test('reports that a filter cannot limit are listed, and not in it unlimited', async () => {
  const files = await unpack(await ask(own(`export?${days}&source=news.example`)));
  expect(files[fileOf('visitors')]).toContain('"/a",1,0,1');
  expect(files[fileOf('visitors')]).not.toContain('"/b"');
  expect(files[fileOf('operators')]).toBeUndefined();
  const left = files[fileOf('left-out')] as string;
  expect(left).toContain('"operators","The report has no filter ""source""."');
  for (const line of left.trim().split('\r\n').slice(1)) expect(line).toMatch(/^"[\w-]+","/);
});

test('a share link has no private report in it', async () => {
  const files = await unpack(await ask(`${shared}/export?${days}`));
  const secret = Object.entries<Report>(reports).filter(([, { isPrivate }]) => isPrivate);
  expect(files[fileOf('visitors')]).toContain('"/a",1,0,1');
  expect(Object.keys(files)).not.toEqual(expect.arrayContaining([fileOf('goals')]));
  for (const [path] of secret) expect(files[fileOf(path)], path).toBeUndefined();
  expect(files[fileOf('operators')]).toBeUndefined();
});

test.each([
  ['dateFrom=2026-12-01&dateTo=2026-11-01', 'dateFrom must not be later than dateTo'],
  ['dateFrom=yesterday', 'must be a date such as'],
  ['colour=red', 'has no parameter "colour"'],
])('bad query %s', async (query, message) => {
  const response = await ask(own(`export?${query}`));
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toContain(message);
});

test('more archives at once than a project may have are refused for the moment, for each audience by itself', async () => {
  for (const [audience, path] of [
    ['project', own('export')],
    ['page_link', `${shared}/export`],
  ] as const) {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { csv } = headcount.context.reportLimits[audience];
    const running = Array.from({ length: 4 }, () => csv.run(headcount.projectId, () => mayEnd));
    const refused = await ask(`${path}?${days}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    end();
    await Promise.all(running);
    await unpack(await ask(`${path}?${days}`));
  }
});

test('reports of many goals have one file of at most 50,000 rows, which its name says', async () => {
  const parts = [
    'p',
    'a',
    'g',
    'e',
    '-',
    'pa',
    'ag',
    'ge',
    'e-',
    'pag',
    'age',
    'ge-',
    'page',
    'age-',
    'page-',
  ];
  const goals = ['/p*', '/pa*', '/pag*', '/page*', '/page-*', ...parts.map((part) => `/*${part}*`)];
  const project = await headcount.addProject({ name: 'docs.example', timeZone: 'UTC', goals });
  const sent = Array.from({ length: 2600 }, (_, i) => ({
    ...{ url: `https://example.com/page-${i}`, ip: `198.51.${i >> 8}.${i & 255}` },
    userAgent: chromeUserAgent,
  }));
  while (sent.length > 0) expect((await project.hits(sent.splice(0, 1000))).status).toBe(202);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  const response = await fetch(`${headcount.url}/v1/analytics/${project.projectId}/export?${days}`, {
    headers: { authorization: `Bearer ${project.adminKey}` },
  });
  const files = await unpack(response);
  const pages = files[fileOf('goals-entry-pages').replace('.csv', '-first-50000-rows.csv')];
  expect(pages?.trim().split('\r\n')).toHaveLength(50_001);
  expect(files[fileOf('goals-sources')]?.trim().split('\r\n')).toHaveLength(21);
  const left = files[fileOf('left-out')];
  expect(left).toMatch(/"goals-entry-pages","A file has at most 50,000 rows: .*""\/\*page-\*"".* missing/);
  expect(left).not.toContain('""/page*""');
  expect(left).not.toContain('goals-sources');
});

test('rows say that the details of days are deleted, in JSON, files and the archive alike', async () => {
  const project = await headcount.addProject({ name: 'docs.example', timeZone: 'UTC' });
  const start = clock.now();
  for (let day = 0; day < 3; day++) {
    clock.advance(dayMs);
    await project.hit({ u: `https://example.com/day-${day}` });
  }
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  const dateOf = (day: number) => new Date(start + day * dayMs).toISOString().slice(0, 10);
  const { retention } = headcount.context.store;
  const cutoffs = { details: Math.floor(start / dayMs) + 3, counts: null };
  for (let isFirst = true; await retention.forgetSome(project.projectId, cutoffs, isFirst); ) isFirst = false;
  const range = (first: number) => `dateFrom=${dateOf(first)}&dateTo=${dateOf(4)}`;
  const get = (report: string) =>
    fetch(`${headcount.url}/v1/analytics/${project.projectId}/${report}`, {
      headers: { authorization: `Bearer ${project.adminKey}` },
    });
  const lacksDetails = `Of 2 days from ${dateOf(1)} to ${dateOf(2)} only totals are kept: rows leave them out.`;
  expect(await (await get(`visitors?${range(1)}`)).json()).toMatchObject({
    ...{ totals: { human: 3 }, visitors: [{ path: '/day-2', human: 1 }], lacksDetails },
  });
  expect(await (await get(`visitors?${range(3)}`)).json()).not.toHaveProperty('lacksDetails');
  const only = `dateFrom=${dateOf(1)}&dateTo=${dateOf(3)}`;
  for (const report of ['sources', 'ai-clients', 'goals', 'operators', 'views', 'time-on-page', 'changes']) {
    expect([report, await (await get(`${report}?${only}`)).json()]).toMatchObject([report, { lacksDetails }]);
    const head = (await (await get(`${report}?${only}&format=csv`)).text()).split('\r\n')[0];
    expect([report, head]).toEqual([report, expect.stringContaining(',"lacksDetails"')]);
  }
  const csv = '"path","human","ai","total","lacksDetails"\r\n"/day-2",1,0,1,"yes"\r\n';
  expect(await (await get(`visitors?${range(1)}&format=csv`)).text()).toBe(csv);
  const files = await unpack(await get(`export?${range(1)}`));
  expect(files[`docs.example_visitors_${dateOf(1)}_${dateOf(3)}.csv`]).toBe(csv);
  // They are kept as long as totals are, and filters together have bounds.
  for (const report of ['data-sources', 'dropped', 'cardinality-limits', 'sources?browser=Chrome'])
    expect(
      await (await get(`${report}${report.includes('?') ? '&' : '?'}${only}`)).json(),
    ).not.toHaveProperty('lacksDetails');
  expect(await (await get('silent-clients')).json()).toMatchObject({ lacksDetails });

  clock.advance(8 * dayMs);
  const made = await fetch(`${headcount.url}/v1/analytics/${project.projectId}/annotations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Guide', date: dateOf(5), paths: ['/day-2'] }),
  });
  const { id } = (await made.json()) as { id: string };
  expect(await (await get(`changes/${id}/effect`)).json()).toMatchObject({
    ...{ days: 7, affectedPages: 0, measures: [], lacksDetails },
    says: 'Of days before or after it only totals are kept: nothing can be said of its effect.',
  });
  expect(await (await get(`changes/${id}/effect?format=csv`)).text()).toContain(',"lacksDetails"');
});
