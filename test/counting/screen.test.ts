import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let project: ProjectClient;
beforeAll(async () => {
  headcount = await startHeadcount();
});
beforeEach(async () => {
  project = await headcount.addProject({});
});
afterAll(() => headcount.stop());

const screens = async () =>
  (await project.get<{ screens: object[] }>(`/v1/analytics/${project.projectId}/screens`)).screens;

async function hit(body: Record<string, unknown>): Promise<number> {
  const response = await project.hit(
    { p: project.projectId, u: 'https://example.com/', ...body },
    { 'User-Agent': chromeUserAgent },
  );
  return response.status;
}

test('a visitor who makes the window smaller counts once in each class, and once in all', async () => {
  for (const s of [7, 7, 3, 5, 255]) expect(await hit({ s })).toBe(202);
  expect(await screens()).toEqual([
    { screen: 'md', human: 1, ai: 0, total: 1 },
    { screen: 'xl', human: 1, ai: 0, total: 1 },
  ]);
  expect(await project.visitors()).toEqual({ '/': { human: 1, ai: 0, total: 1 } });
});

test('the smallest class begins at no pixel at all', async () => {
  expect(await hit({ s: 0 })).toBe(202);
  expect(await screens()).toEqual([{ screen: 'xs', human: 1, ai: 0, total: 1 }]);
});

test('what is no class is ignored, as is its absence in scripts of an earlier version', async () => {
  for (const s of [undefined, null, -1, 1.5, -0.5, '3', 'xl', true, {}, ['md']]) {
    expect(await hit({ s })).toBe(202);
  }
  expect(await screens()).toEqual([]);
  expect(await project.views()).toEqual({ '/': { human: 10, ai: 0, total: 10 } });
});

test('an AI client that a server reports has none', async () => {
  await project.hits([{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'GPTBot/1.4', s: 3 }]);
  expect(await screens()).toEqual([]);
  expect(await project.views()).toEqual({ '/': { human: 0, ai: 1, total: 1 } });
});
