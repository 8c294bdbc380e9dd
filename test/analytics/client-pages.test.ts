import { expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { ClientPathsReply } from '../../shared/reports/analytics.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { chromeUserAgent, errorOf, type ProjectClient } from '../support/headcount.ts';
import { call, mcpRun } from '../support/mcp.ts';
import { agents } from '../support/sites/counted-site.ts';

const clock = createClock('2026-11-18T10:00:00Z');
const mcp = mcpRun({ now: clock.now });

const person = { ip: '198.51.100.7', userAgent: chromeUserAgent };
const gptBot = { ip: '203.0.113.9', userAgent: agents.GPTBot };

async function view(project: ProjectClient, by: typeof person, paths: readonly string[]): Promise<void> {
  for (let first = 0; first < paths.length; first += 1000) {
    const hits = paths.slice(first, first + 1000).map((path) => ({ url: `https://a.example${path}`, ...by }));
    expect(await (await project.hits(hits)).json()).toEqual({ accepted: hits.length, dropped: [] });
  }
}

const read = (project: ProjectClient, query = '') =>
  project.get<ClientPathsReply>(`/v1/analytics/${project.projectId}/ai-clients/GPTBot/paths${query}`);

/** Of a file, without its end. */
async function fileOf({ projectId, adminKey }: ProjectClient, query: string): Promise<string[]> {
  const address = `${mcp.headcount.url}/v1/analytics/${projectId}/ai-clients/GPTBot/paths?format=csv${query}`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${adminKey}` } });
  return (await response.text()).trimEnd().split('\r\n');
}

const peopleOf = ({ paths }: ClientPathsReply) => paths.map(({ path, humanViews }) => [path, humanViews]);

test('pages of an AI client have the views of people beside its own, and can be those that people do not read', async () => {
  const { headcount } = mcp;
  await view(headcount, person, ['/docs', '/docs', '/people']);
  await view(headcount, gptBot, ['/docs', '/api', '/api', '/api/old']);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  await view(headcount, person, ['/api/old']);
  await view(headcount, gptBot, ['/only', '/api/old']);

  const all = await read(headcount);
  expect(all.paths).toEqual([
    { path: '/api/old', visitors: 2, views: 2, humanViews: 1 },
    { path: '/api', visitors: 1, views: 2, humanViews: 0 },
    { path: '/docs', visitors: 1, views: 1, humanViews: 2 },
    { path: '/only', visitors: 1, views: 1, humanViews: 0 },
  ]);
  const unread = await read(headcount, '?people=none&limit=1');
  expect(unread).toMatchObject({ paths: [{ path: '/api', humanViews: 0 }], hasMore: true });
  expect(peopleOf(await read(headcount, '?people=none&limit=1&offset=1'))).toEqual([['/only', 0]]);
  expect(peopleOf(await read(headcount, '?people=none&search=API'))).toEqual([['/api', 0]]);
  // Before the last day no person had read it.
  expect(peopleOf(await read(headcount, '?people=none&dateTo=2026-11-20'))).toEqual([
    ['/api', 0],
    ['/api/old', 0],
  ]);

  expect(await fileOf(headcount, '&people=none')).toEqual([
    '"path","visitors","views","humanViews"',
    '"/api",1,2,0',
    '"/only",1,1,0',
  ]);
  const client = await mcp.connect(headcount.adminKey);
  const answered = await call(client, 'read_ai_client_pages', { client: 'GPTBot', people: 'none' });
  expect(answered).toMatchObject({ paths: [{ path: '/api' }, { path: '/only' }] });
  const wrong = await fetch(
    `${headcount.url}/v1/analytics/${headcount.projectId}/ai-clients/GPTBot/paths?people=0`,
    { headers: { authorization: `Bearer ${headcount.adminKey}` } },
  );
  expect([wrong.status, (await errorOf(wrong)).error]).toEqual([
    400,
    expect.stringContaining('must be one of any, none'),
  ]);
});

test('where nobody measured people, their views are not known, and no page is one that they do not read', async () => {
  const project = await mcp.headcount.addProject();
  await view(project, gptBot, ['/docs']);
  expect(peopleOf(await read(project))).toEqual([['/docs', null]]);
  expect(await read(project, '?people=none')).toEqual({
    ...{ paths: [], hasMore: false, measured: { people: false, ai: true, ways: ['report'] } },
  });
  expect(await fileOf(project, '')).toEqual(['"path","visitors","views","humanViews"', '"/docs",1,1,']);
});

test('where people were not measured on some days, that is said of pages that they do not read', async () => {
  const project = await mcp.headcount.addProject();
  const date = () => new Date(clock.now()).toISOString().slice(0, 10);
  await view(project, gptBot, ['/docs', '/api']);
  const unmeasured = date();
  clock.advance(dayMs);
  await view(project, gptBot, ['/docs']);
  const measured = date();
  await view(project, person, ['/docs', '/people']);
  const lacksPeople = `People were not measured on ${unmeasured}: views by them may be missing.`;
  expect(await read(project, '?people=none')).toMatchObject({
    ...{ paths: [{ path: '/api', humanViews: 0 }], lacksPeople },
  });
  expect(await fileOf(project, '&people=none')).toEqual([
    '"path","visitors","views","humanViews","lacksPeople"',
    '"/api",1,1,0,"yes"',
  ]);
  const client = await mcp.connect(project.adminKey);
  expect(await call(client, 'read_ai_client_pages', { client: 'GPTBot', people: 'none' })).toMatchObject({
    lacksPeople,
  });
  expect(await read(project, `?dateFrom=${measured}`)).not.toHaveProperty('lacksPeople');
});

test('a page may have been read by people under (other): its views have bounds', async () => {
  const project = await mcp.headcount.addProject();
  const pages = Array.from({ length: 2000 }, (_, i) => `/page/${i}`);
  await view(project, person, [...pages, '/late', '/late']);
  await view(project, gptBot, ['/late', '/page/1']);
  const only = (count: number) => ({ from: count, to: count });
  expect((await read(project)).paths).toEqual([
    {
      ...{ path: '/late', visitors: 1, views: 1, humanViews: 0 },
      bounds: { visitors: only(1), views: only(1), humanViews: { from: 0, to: 2 } },
    },
    {
      ...{ path: '/page/1', visitors: 1, views: 1, humanViews: 1 },
      bounds: { visitors: only(1), views: only(1), humanViews: { from: 1, to: 3 } },
    },
  ]);
  expect(await fileOf(project, '&people=none')).toEqual([
    '"path","visitors","views","humanViews","visitorsAtMost","viewsAtMost","humanViewsAtMost"',
    '"/late",1,1,0,1,1,2',
  ]);
});

test('views of people under (other) are not added to those of the row (other)', async () => {
  const project = await mcp.headcount.addProject();
  const pages = Array.from({ length: 2001 }, (_, i) => `/page/${i}`);
  await view(project, person, [...pages, '/late']);
  await view(project, gptBot, pages);
  expect((await read(project, '?search=(other)')).paths).toEqual([
    { path: '(other)', visitors: 1, views: 1, humanViews: 2 },
  ]);
  expect((await fileOf(project, '&search=(other)')).slice(1)).toEqual(['"(other)",1,1,2,1,1,2']);
});

test('a page with a new path has the views that people had under the former one', async () => {
  const project = await mcp.headcount.addProject();
  await view(project, person, ['/former']);
  await view(project, gptBot, ['/former', '/new', '/other']);
  const renamedPaths = ['/former /new'];
  await project.ask('PATCH /v1/projects/{projectId}', {
    ...{ path: { projectId: project.projectId }, body: { renamedPaths } },
  });
  expect(peopleOf(await read(project))).toEqual([
    ['/new', 1],
    ['/other', 0],
  ]);
  expect(peopleOf(await read(project, '?people=none'))).toEqual([['/other', 0]]);
});

test('where nobody measured people, visitors of a renamed page have bounds', async () => {
  const project = await mcp.headcount.addProject();
  for (const ip of ['203.0.113.9', '203.0.113.10'])
    await view(project, { ...gptBot, ip }, ['/former', '/new']);
  for (const ip of ['203.0.113.11', '203.0.113.12']) await view(project, { ...gptBot, ip }, ['/other']);
  clock.advance(3 * dayMs);
  await sealDueDays(mcp.headcount.context);
  await project.ask('PATCH /v1/projects/{projectId}', {
    ...{ path: { projectId: project.projectId }, body: { renamedPaths: ['/former /new'] } },
  });
  expect((await read(project)).paths).toEqual([
    {
      ...{ path: '/new', visitors: 2, views: 4, humanViews: null },
      bounds: { visitors: { from: 2, to: 4 }, views: { from: 4, to: 4 } },
    },
    { path: '/other', visitors: 2, views: 2, humanViews: null },
  ]);
  expect(await fileOf(project, '')).toEqual([
    '"path","visitors","views","humanViews","visitorsAtMost","viewsAtMost","humanViewsAtMost"',
    '"/new",2,4,,4,4,',
    '"/other",2,2,,2,2,',
  ]);
});
