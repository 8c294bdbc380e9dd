import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GlanceReply, SeriesReply } from '../../shared/reports/analytics.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, type ProjectClient } from '../support/headcount.ts';
import { type CountedSite, count, startCountedSite } from '../support/sites/counted-site.ts';

let headcount: Headcount;
let { read } = {} as CountedSite;
let quiet: ProjectClient;

const ask = (query = '', key = headcount.rootKey) =>
  fetch(`${headcount.url}/v1/analytics?${query}`, { headers: { authorization: `Bearer ${key}` } });
const look = async (query = '', key?: string) => (await (await ask(query, key)).json()) as GlanceReply;
const names = ({ projects }: GlanceReply) => projects.map(({ name }) => name);

beforeAll(async () => {
  ({ headcount, read } = await startCountedSite());
  quiet = await headcount.addProject({ name: 'Quiet', timeZone: 'Pacific/Kiritimati' });
  await headcount.addProject({ name: 'A blog' });
});
afterAll(() => headcount.stop());

describe('all projects at a glance', () => {
  test('have the visitors of their last 30 days, day by day, by name', async () => {
    const { projects, hasMore } = await look();
    const { totals, days, measured } = await read<SeriesReply>('series');
    expect(projects.map(({ name }) => name)).toEqual(['A blog', 'Quiet', 'Test']);
    expect(hasMore).toBe(false);
    const counted = projects[2];
    expect(counted).toMatchObject({ id: headcount.projectId, timeZone: 'UTC', totals, measured });
    expect(counted?.firstDay).toBe('2026-10-22');
    for (const kind of ['human', 'ai', 'total'] as const) {
      expect(counted?.daily[kind]).toEqual([
        ...Array(27).fill(0),
        ...days.map(({ visitors }) => visitors[kind]),
      ]);
    }
  });

  test('end each with today in its own time zone, and say what nobody measured', async () => {
    const project = (await look()).projects.find(({ id }) => id === quiet.projectId);
    expect(project).toMatchObject({
      firstDay: '2026-10-23',
      daily: { human: Array(30).fill(0) },
      totals: { visitors: count(0, 0), views: count(0, 0) },
      measured: { people: null, ai: null, ways: [] },
    });
  });

  test('are of the days that were asked for', async () => {
    const { projects } = await look('dateFrom=2026-11-18&dateTo=2026-11-19');
    expect(projects[2]).toMatchObject({
      totals: { visitors: count(5, 4), views: count(11, 6) },
      firstDay: '2026-11-18',
      daily: { human: [5], ai: [4], total: [9] },
    });
    expect((await look('dateFrom=2030-01-01')).projects[2]?.daily.human).toEqual([]);
    const refused = await ask('dateFrom=2020-01-01');
    expect([refused.status, (await errorOf(refused)).error]).toEqual([
      400,
      'The range must have at most 366 days: give a later dateFrom.',
    ]);
    expect((await ask('dateFrom=2026-02-30')).status).toBe(400);
  });

  test('come in pages', async () => {
    const first = await look('limit=2');
    expect([names(first), first.hasMore]).toEqual([['A blog', 'Quiet'], true]);
    const second = await look('limit=2&offset=2');
    expect([names(second), second.hasMore]).toEqual([['Test'], false]);
    expect((await ask('limit=1001')).status).toBe(400);
  });

  test('are those that the key covers, or the dashboard shows', async () => {
    expect(names(await look('', quiet.adminKey))).toEqual(['Quiet']);
    expect((await ask('', quiet.ingestKey)).status).toBe(403);
    expect((await ask('', 'none')).status).toBe(401);
    expect((await fetch(`${headcount.url}/v1/analytics`)).status).toBe(401);
    const dashboard = await openDashboard(headcount);
    expect(names(await dashboard.must('GET', '/v1/analytics'))).toEqual(['A blog', 'Quiet', 'Test']);
  });

  test('are a file too', async () => {
    const response = await ask('format=csv&limit=1');
    const nameOf = ({ headers }: Response) => headers.get('content-disposition')?.split('"')[1];
    expect(nameOf(response)).toBe('headcount_projects_2026-10-22_2026-11-20.csv');
    const asked = await ask('format=csv&dateFrom=2026-11-19&dateTo=2026-11-20');
    expect(nameOf(asked)).toBe('headcount_projects_2026-11-19_2026-11-19.csv');
    const lines = (await response.text()).trimEnd().split('\r\n');
    expect(lines).toEqual([
      '"id","name","humanVisitors","aiVisitors","visitors","humanViews","aiViews","views"',
      expect.stringMatching(/^"\w+","A blog",0,0,0,0,0,0$/),
      `"${quiet.projectId}","Quiet",0,0,0,0,0,0`,
      `"${headcount.projectId}","Test",8,6,14,18,10,28`,
    ]);
  });
});
