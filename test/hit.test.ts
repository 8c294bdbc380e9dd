import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Headcount, startHeadcount } from './support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

test('a view sent by the tracker is counted once it is answered', async () => {
  const response = await headcount.hit({ u: 'https://example.com/docs/?q=1#top' });
  expect(response.status).toBe(202);
  expect(await headcount.visitors()).toEqual({ '/docs': { human: 1, ai: 0, total: 1 } });
});
