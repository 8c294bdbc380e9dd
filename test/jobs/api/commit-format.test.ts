import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Headcount, startHeadcount } from '../../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const set = (commitFormat: string) =>
  fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ commitFormat }),
  });

test.each(['conventional', 'Conventional', '^(docs|fix): ', '^\\[docs\\] /'])(
  'titles of commits can have the format %s',
  async (format) => expect((await set(format)).status).toBe(200),
);

test.each([
  ['/^docs: /i', 'without slashes around it'],
  ['(', 'regular expression without references back'],
  ['^(a)\\1', 'regular expression without references back'],
])('but not %s, with the reason', async (format, reason) => {
  const response = await set(format);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(reason);
});
