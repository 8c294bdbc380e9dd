import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchReply } from '../../shared/hit.ts';
import { createClock, hourMs } from '../support/clock.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now });
});
afterAll(() => headcount.stop());

describe('POST /v1/hits', () => {
  const view = { url: 'https://example.com/batch', ip: '198.51.100.1', userAgent: chromeUserAgent };
  const replyOf = async (response: Response) => {
    expect(response.status).toBe(202);
    return (await response.json()) as BatchReply;
  };

  test('counts what it is sent, and says what it did not count', async () => {
    const reply = await replyOf(
      await headcount.hits([
        view,
        { ...view, ip: '198.51.100.2' },
        { ...view, userAgent: googlebot },
        { ...view, ip: 'unknown' },
        { ...view, url: '/relative' },
        'no hit at all',
        { ...view, at: 'yesterday' },
        { ...view, userAgent: gptBot },
      ]),
    );
    expect(reply.accepted).toBe(3);
    expect(reply.dropped.map(({ index, reason }) => [index, reason])).toEqual([
      [2, 'bot'],
      [3, 'invalid'],
      [4, 'invalid'],
      [5, 'invalid'],
      [6, 'invalid'],
    ]);
    expect((await headcount.visitors())['/batch']).toEqual({ human: 2, ai: 1, total: 3 });
  });

  test('takes no prefetch and no part of a page for a view', async () => {
    const page = { ...view, url: 'https://example.com/whole' };
    const reply = await replyOf(
      await headcount.hits([
        { ...page, headers: { 'Sec-Purpose': 'prefetch;prerender' } },
        { ...page, headers: { purpose: 'prefetch' }, status: 200 },
        { ...page, status: 206 },
        { ...page, headers: { 'sec-fetch-dest': 'document' }, status: 200 },
      ]),
    );
    expect(reply.dropped).toEqual([0, 1, 2].map((index) => ({ index, reason: 'no_page' })));
    expect((await headcount.views())['/whole']).toEqual({ human: 1, ai: 0, total: 1 });
  });

  test('takes times up to 24 hours back and a little ahead', async () => {
    const at = (ms: number) => ({ ...view, at: new Date(clock.now() + ms).toISOString() });
    const reply = await replyOf(
      await headcount.hits([at(-24 * hourMs), at(-24 * hourMs - 1), at(60_000), at(hourMs), at(-hourMs)]),
    );
    expect(reply).toEqual({
      accepted: 3,
      dropped: [
        { index: 1, reason: 'too_old' },
        { index: 3, reason: 'invalid', error: expect.stringContaining('future') },
      ],
    });
  });

  test('an empty batch is accepted', async () => {
    expect(await replyOf(await headcount.hits([]))).toEqual({ accepted: 0, dropped: [] });
  });

  test.each([
    ['more than 1,000 hits', { hits: new Array(1001).fill(view) }, 400],
    ['no hits', {}, 400],
    ['hits that are no list', { hits: 'x' }, 400],
    ['no object', [], 400],
  ])('%s is refused as a whole', async (_, body, status) => {
    const response = await fetch(`${headcount.url}/v1/hits`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${headcount.ingestKey}` },
    });
    expect(response.status).toBe(status);
  });

  test('needs a key, JSON, and a bounded body', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${headcount.url}/v1/hits`, { method: 'POST', body, headers });
    const key = { authorization: `Bearer ${headcount.ingestKey}` };
    const json = { 'content-type': 'application/json' };
    expect((await post(json, '{"hits":[]}')).status).toBe(401);
    expect((await post({ ...key, 'content-type': 'text/plain' }, '{"hits":[]}')).status).toBe(415);
    expect(
      (await post({ ...key, 'content-type': 'application/json; charset=latin1' }, '{"hits":[]}')).status,
    ).toBe(415);
    expect((await post({ ...key, ...json }, '{"hits":[')).status).toBe(400);
    expect((await post({ ...key, ...json }, `{"hits":["${'x'.repeat(5_000_000)}"]}`)).status).toBe(413);
  });

  test("goes to the key's project, and to no other", async () => {
    const other = await headcount.addProject();
    const post = (key: string, project?: string) =>
      fetch(`${headcount.url}/v1/hits`, {
        method: 'POST',
        body: JSON.stringify({ project, hits: [view] }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      });
    expect((await post(headcount.ingestKey, headcount.projectId)).status).toBe(202);
    expect((await post(headcount.adminKey)).status).toBe(202);
    expect((await post(headcount.ingestKey, other.projectId)).status).toBe(403);
    expect((await post(headcount.ingestKey, 'nosuchproject')).status).toBe(403);
    expect((await post(headcount.rootKey, other.projectId)).status).toBe(202);
    expect((await post(headcount.rootKey, 'nosuchproject')).status).toBe(404);
    const unnamed = await post(headcount.rootKey);
    expect(unnamed.status).toBe(400);
    expect((await errorOf(unnamed)).details).toEqual([{ message: 'is missing', path: 'project' }]);
  });
});
