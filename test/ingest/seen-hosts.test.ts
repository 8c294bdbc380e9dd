import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

/** Why a view of this page is not counted; null: it is. */
async function hit(project: ProjectClient, u: string): Promise<string | null> {
  return (await project.hit({ u })).headers.get('x-headcount-dropped');
}

async function seenHosts({ projectId, adminKey }: ProjectClient): Promise<string[]> {
  const response = await fetch(`${headcount.url}/v1/projects/${projectId}`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  return ((await response.json()) as { seenHosts: string[] }).seenHosts;
}

const privatePages = [
  'http://localhost:3000/',
  'http://127.0.0.1:8080/',
  'http://[::1]/',
  'http://192.168.1.7/',
  'http://build-server/',
  'http://shop.local/',
];

test('localhost and private hosts count until a project has counted another', async () => {
  const project = await headcount.addProject();
  expect(await seenHosts(project)).toEqual([]);
  expect(await hit(project, 'http://localhost:3000/')).toBeNull();
  await expect.poll(() => seenHosts(project)).toEqual(['localhost']);
  expect(await hit(project, 'https://www.example.com/')).toBeNull();
  await expect.poll(() => seenHosts(project)).toEqual(['localhost', 'www.example.com']);
  for (const page of privatePages) expect([page, await hit(project, page)]).toEqual([page, 'foreign_host']);
  expect(await hit(project, 'https://example.com/')).toBeNull();
});

test('later they count where they are listed', async () => {
  const project = await headcount.addProject();
  expect(await hit(project, 'https://example.com/')).toBeNull();
  await expect.poll(() => hit(project, 'http://localhost/')).toBe('foreign_host');
  const response = await fetch(`${headcount.url}/v1/projects/${project.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hosts: ['example.com', 'localhost'], seenHosts: ['made-up.example'] }),
  });
  expect(await response.json()).toMatchObject({ seenHosts: expect.not.arrayContaining(['made-up.example']) });
  expect(await hit(project, 'http://localhost/')).toBeNull();
  expect(await hit(project, 'http://127.0.0.1/')).toBe('foreign_host');
});

test('hosts whose views are not counted are not noted, and of all others twenty and five private ones', async () => {
  const project = await headcount.addProject({ excludedPaths: ['/left-out'] });
  expect(await hit(project, 'https://left-out.example/left-out')).toBe('excluded_path');
  for (let i = 0; i < 7; i++) await hit(project, `http://192.168.0.${i}/`);
  for (let i = 0; i < 22; i++) await hit(project, `https://s${i}.example/`);
  await expect
    .poll(async () => (await seenHosts(project)).length, { message: 'all that are noted' })
    .toBe(25);
  const seen = await seenHosts(project);
  expect(seen.filter((host) => host.startsWith('192.168.'))).toHaveLength(5);
  expect(seen).not.toContain('left-out.example');
});
