import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  maxSavedViews,
  type SavedViewReply,
  type SavedViewsReply,
} from '../../shared/reports/saved-views.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { join } from '../support/dashboard/people.ts';
import { type Headcount, startHeadcount, statusAndError } from '../support/headcount.ts';

let headcount: Headcount;
let client: DashboardClient;
let path: string;

beforeAll(async () => {
  headcount = await startHeadcount();
  client = await openDashboard(headcount);
  path = `/v1/analytics/${headcount.projectId}/saved-views`;
});
afterAll(() => headcount.stop());

const add = (body: object) => client.must<SavedViewReply>('POST', path, body);
const list = async () => (await client.must<SavedViewsReply>('GET', path)).views;
const outcome = async (method: string, at: string, body?: object) =>
  (await statusAndError(await client.send(method, at, { body }))).join(' ');

test('a view is saved, listed by name, renamed and removed, and each is in the audit list', async () => {
  const germany = await add({
    ...{ name: 'Germany on phones', page: 'ai', range: 'last-month', compare: 'year', measure: 'views' },
    filter: { country: 'DE|AT', device: '!desktop', path: '/docs/**' },
  });
  const all = await add({ name: 'All of it' });
  expect(all).toMatchObject({
    page: 'overview',
    range: '30d',
    compare: 'none',
    measure: 'visitors',
    filter: {},
  });
  expect(await list()).toEqual([all, germany]);
  const renamed = await client.must<SavedViewReply>('PATCH', `${path}/${germany.id}`, { name: 'Abroad' });
  expect(renamed).toEqual({ ...germany, name: 'Abroad' });
  expect((await list()).map(({ name }) => name)).toEqual(['Abroad', 'All of it']);
  await client.must('DELETE', `${path}/${all.id}`);
  await client.must('DELETE', `${path}/${germany.id}`);
  expect(await list()).toEqual([]);
  const { entries } = await client.must<{
    entries: { action: string; subject: string; changes: string[] }[];
  }>('GET', `/v1/projects/${headcount.projectId}/audit?limit=20`);
  const noted = entries.filter(({ action }) => action.startsWith('view.'));
  expect(noted.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    ...['view.removed Abroad', 'view.removed All of it', 'view.changed Abroad', 'view.added All of it'],
    'view.added Germany on phones',
  ]);
  expect(noted.at(-1)?.changes).toContain('country: DE|AT');
});

test('a name is taken once, and what cannot be saved says why', async () => {
  const { id } = await add({ name: 'Docs', filter: { path: '/docs/**' } });
  const other = await add({ name: 'Blog' });
  const taken = /^409 The project has a view of the name "Docs" already: choose another name/;
  expect(await outcome('POST', path, { name: ' Docs ' })).toMatch(taken);
  expect(await outcome('PATCH', `${path}/${other.id}`, { name: 'Docs' })).toMatch(taken);
  expect(await outcome('PATCH', `${path}/${id}`, { name: 'Docs', range: '7d' })).toMatch(/^200/);
  for (const [body, said] of [
    [{}, 'name is missing'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'x'.repeat(81) }, 'name must have at most 80 characters'],
    [{ name: 'a\u0000b' }, 'name must be one line of readable text'],
    [{ name: 'x', range: 'foo' }, 'range must be today, 7d'],
    [{ name: 'x', compare: 'week' }, 'compare must be none, before, year, or days such as'],
    [{ name: 'x', compare: '2026-02-30..2026-03-02' }, 'compare must be none, before, year, or days such as'],
    [{ name: 'x', compare: '2026-03-02..2026-03-01' }, 'compare must be none, before, year, or days such as'],
    [{ name: 'x', range: '2026-03-02..2026-03-01' }, 'range must be today'],
    [{ name: 'x', page: 'settings' }, 'page must be one of overview, ai'],
    [{ name: 'x', filter: { country: '!' } }, 'filter.country is not written as a filter'],
    [{ name: 'x', filter: { channel: 'foo' } }, 'filter.channel is not written as a filter'],
    [{ name: 'x', filter: { colour: 'red' } }, 'filter'],
    [{ name: 'x', filter: { path: 'x'.repeat(1_025) } }, 'filter.path must have at most 1,024 characters'],
  ] as const)
    expect(await outcome('POST', path, body)).toMatch(new RegExp(`^400 The view is not valid: ${said}`));
  expect(await outcome('PATCH', `${path}/view_none`, { name: 'x' })).toMatch(
    /^404 The project has no such view/,
  );
  expect(await outcome('DELETE', `${path}/view_none`)).toMatch(/^404 The project has no such view/);
  for (const view of await list()) await client.must('DELETE', `${path}/${view.id}`);
});

test('of many that are saved at once one has a name, and there are never more than a hundred', async () => {
  const other = await headcount.addProject();
  const at = `/v1/analytics/${other.projectId}/saved-views`;
  const same = await Promise.all(Array.from({ length: 5 }, () => outcome('POST', at, { name: 'Same' })));
  expect(same.map((text) => text.slice(0, 3)).sort()).toEqual(['201', '409', '409', '409', '409']);
  for (let i = 1; i < maxSavedViews - 2; i++) await client.must('POST', at, { name: `View ${i}` });
  const last = await Promise.all(
    Array.from({ length: 4 }, (_, i) => outcome('POST', at, { name: `Last ${i}` })),
  );
  expect(last.map((text) => text.slice(0, 3)).sort()).toEqual(['201', '201', '400', '400']);
  expect(last.find((text) => text.startsWith('400'))).toMatch(
    /100 views, which is the most: remove some first/,
  );
});

test('viewers open views, and editors change them; a share link has none', async () => {
  const { id } = await add({ name: 'For all' });
  const here = (role: 'viewer' | 'editor') => [{ projectId: headcount.projectId, role }];
  const viewer = await join(headcount, client, 'Vera', here('viewer'));
  const editor = await join(headcount, client, 'Edda', here('editor'));
  expect((await viewer.must<SavedViewsReply>('GET', path)).views).toMatchObject([{ id }]);
  expect((await viewer.send('POST', path, { body: { name: 'Mine' } })).status).toBe(403);
  expect((await editor.send('POST', path, { body: { name: 'Mine' } })).status).toBe(201);
  const link = await client.must<{ url: string }>('POST', `/v1/admin/projects/${headcount.projectId}/links`, {
    kind: 'page',
  });
  const shared = `/v1${new URL(link.url).pathname}/saved-views`;
  expect((await fetch(headcount.url + shared)).status).toBe(404);
});
