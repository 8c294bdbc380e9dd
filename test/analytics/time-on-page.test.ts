import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TimeReply } from '../../shared/reports/analytics.ts';
import { gptBot } from '../support/browsers.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let project: ProjectClient;
beforeAll(async () => {
  headcount = await startHeadcount();
  project = await headcount.addProject({
    hosts: ['docs.example'],
    excludedPaths: ['/private/*'],
  });
});
afterAll(() => headcount.stop());

const seen = (path: string, t: number, headers?: Record<string, string>) =>
  project.hit({ u: `https://docs.example${path}`, t }, headers);

const ask = (path: string) =>
  fetch(headcount.url + path, { headers: { authorization: `Bearer ${project.adminKey}` } });

const read = (query = '') =>
  project.get<TimeReply>(`/v1/analytics/${project.projectId}/time-on-page?${query}`);

const rowsOf = async (query = '') =>
  (await read(query)).pages.map((page) => [
    page.path,
    ...[page.seen10, page.seen30, page.seen60, page.seen180, page.seen600],
  ]);

describe('the time that people see pages', () => {
  test('is told by page, as views that reached so many seconds, and counts no view', async () => {
    for (const t of [10, 30, 60]) expect((await seen('/guide?page=2', t)).status).toBe(202);
    expect((await seen('/guide', 10)).status).toBe(202);
    for (const t of [10, 30, 60, 180, 600]) expect((await seen('/start', t)).status).toBe(202);
    expect(await rowsOf()).toEqual([
      ['/guide', 2, 1, 1, 0, 0],
      ['/start', 1, 1, 1, 1, 1],
    ]);
    const { totals } = await project.get<{ totals: object }>(`/v1/analytics/${project.projectId}/views`);
    expect(totals).toEqual({ human: 0, ai: 0, total: 0 });
    const ways = await project.get(`/v1/analytics/${project.projectId}/data-sources`);
    expect(ways).toMatchObject({ dataSources: [] });
  });

  test('is that of one page, or of those that are searched for, page by page and as a file', async () => {
    expect(await rowsOf('path=/start')).toEqual([['/start', 1, 1, 1, 1, 1]]);
    expect(await rowsOf('path=/none')).toEqual([]);
    expect(await rowsOf('search=GUI')).toEqual([['/guide', 2, 1, 1, 0, 0]]);
    expect((await read('limit=1')).hasMore).toBe(true);
    expect(await rowsOf('limit=1&offset=1')).toEqual([['/start', 1, 1, 1, 1, 1]]);
    expect(await rowsOf('dateTo=2020-01-01')).toEqual([]);
    const refused = await ask(`/v1/analytics/${project.projectId}/time-on-page?source=google.com`);
    expect(refused.status).toBe(400);
    const file = await ask(`/v1/analytics/${project.projectId}/time-on-page?format=csv`);
    expect((await file.text()).split('\r\n')).toEqual([
      '"path","seen10","seen30","seen60","seen180","seen600"',
      '"/guide",2,1,1,0,0',
      '"/start",1,1,1,1,1',
      '',
    ]);
  });

  test('leaves out programs, what the owner excludes, and pages of other hosts', async () => {
    const before = await rowsOf();
    const byProgram = await seen('/guide', 10, { 'user-agent': gptBot });
    expect([byProgram.status, byProgram.headers.get('x-headcount-dropped')]).toEqual([202, 'not_a_person']);
    expect((await seen('/private/x', 10)).headers.get('x-headcount-dropped')).toBe('excluded_path');
    const elsewhere = await project.hit({ u: 'https://else.example/guide', t: 10 });
    expect(elsewhere.headers.get('x-headcount-dropped')).toBe('foreign_host');
    expect(await rowsOf()).toEqual(before);
  });

  test.each([20, 0, '10', null])('that is none of the steps is refused: %j', async (t) => {
    const before = await rowsOf();
    const refused = await project.hit({ u: 'https://docs.example/guide', t });
    expect(refused.status).toBe(400);
    expect((await errorOf(refused)).error).toContain('10, 30, 60, 180, 600');
    expect(await rowsOf()).toEqual(before);
  });

  test('is no event at once', async () => {
    const refused = await project.hit({ u: 'https://docs.example/guide', t: 10, e: 'Sign up' });
    expect([refused.status, (await errorOf(refused)).error]).toEqual([
      400,
      expect.stringContaining('not both'),
    ]);
  });

  test('is kept of many pages a day, each with all of its steps', async () => {
    const busy = await headcount.addProject();
    const paths = Array.from({ length: 200 }, (_, i) => `/page-${String(i).padStart(3, '0')}`);
    for (const t of [10, 30]) {
      const sent = paths.map((path) => busy.hit({ u: `https://docs.example${path}`, t }));
      for (const { status } of await Promise.all(sent)) expect(status).toBe(202);
    }
    const { pages } = await busy.get<TimeReply>(`/v1/analytics/${busy.projectId}/time-on-page?limit=250`);
    expect(pages).toHaveLength(200);
    expect(pages.every(({ seen10, seen30 }) => seen10 === 1 && seen30 === 1)).toBe(true);
  });

  test('is stored once it was answered', async () => {
    expect((await seen('/kept', 10)).status).toBe(202);
    const { rows } = await headcount.context.store.readCounter({
      ...{ projectId: project.projectId, counter: 'visible-time', names: ['/kept'] },
      ...{ from: null, to: null, limit: 10, offset: 0 },
    });
    expect(rows).toHaveLength(1);
  });
});
