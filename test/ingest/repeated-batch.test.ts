import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { BatchReply } from '../../shared/hit.ts';
import { gptBot, manus } from '../support/browsers.ts';
import { createClock, hourMs } from '../support/clock.ts';
import {
  chromeUserAgent,
  errorOf,
  type Headcount,
  type ProjectClient,
  startHeadcount,
} from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
const address = '198.51.100.1';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let headcount: Headcount;
/** Another server on the same data. */
let other: Headcount;
let isFull = false;

beforeAll(async () => {
  headcount = await startHeadcount({
    now: clock.now,
    wrapStore: (store) => ({
      ...store,
      countBatches: (batches) =>
        isFull ? Promise.reject(new Error('The disk is full.')) : store.countBatches(batches),
    }),
  });
  other = await startHeadcount({ now: clock.now, dataDir: headcount.dataDir });
});
afterAll(async () => {
  await other.stop();
  await headcount.stop();
});

const view = (userAgent: string, more = {}) => ({
  url: 'https://example.com/a',
  ip: address,
  userAgent,
  ...more,
});

/** Two people, an AI client, two bots, and what cannot be read. */
const mixed = [
  view(chromeUserAgent),
  view(googlebot),
  view(chromeUserAgent, { ip: '198.51.100.2' }),
  'no hit',
  view(gptBot),
  view(googlebot),
  view(chromeUserAgent, { at: 'yesterday' }),
];

interface Sending {
  key?: string | undefined;
  terms?: object;
  to?: string;
}

const post = (
  project: ProjectClient,
  hits: unknown[],
  { key, terms = {}, to = headcount.url }: Sending = {},
) =>
  fetch(`${to}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({ ...terms, hits }),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${project.ingestKey}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });

const send = async (...given: Parameters<typeof post>) => {
  const response = await post(...given);
  expect(response.status).toBe(202);
  return (await response.json()) as BatchReply;
};

/** All that a batch can change, as reports tell it. */
const countsOf = async (project: ProjectClient) => {
  await headcount.context.ingest.drain();
  await other.context.ingest.drain();
  const dropped = await project.get<{ dropped: { reason: string; hits: number }[] }>(
    `/v1/analytics/${project.projectId}/dropped`,
  );
  const now = await project.get(`/v1/analytics/${project.projectId}/now`);
  return {
    views: await project.views(),
    visitors: await project.visitors(),
    dropped: dropped.dropped.map(({ reason, hits }) => [reason, hits]),
    now,
    outcomeCounts: { ...headcount.context.ingest.outcomeCounts },
  };
};

describe('a batch that is sent again with its Idempotency-Key', () => {
  test('gets the first answer, and changes nothing', async () => {
    const project = await headcount.addProject();
    const first = await send(project, mixed, { key: 'one' });
    expect(first.accepted).toBe(3);
    expect(first.dropped.map(({ index, reason }) => [index, reason])).toEqual([
      [1, 'bot'],
      [3, 'invalid'],
      [5, 'bot'],
      [6, 'invalid'],
    ]);
    const counted = await countsOf(project);
    expect(counted).toMatchObject({ views: { '/a': { human: 2, ai: 1, total: 3 } }, dropped: [['bot', 2]] });
    for (let i = 0; i < 3; i++) expect(await send(project, mixed, { key: 'one' })).toEqual(first);
    expect(await countsOf(project)).toEqual(counted);
  });

  test('counts as often as it has keys, and without one each time', async () => {
    const project = await headcount.addProject();
    for (const key of ['one', 'two', undefined, undefined])
      await send(project, [view(chromeUserAgent)], { key });
    expect((await project.views())['/a']?.total).toBe(4);
  });

  test('counts once however many come at once, here and on another server', async () => {
    const project = await headcount.addProject();
    const all = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        send(project, mixed, { key: 'at-once', to: i % 2 === 0 ? headcount.url : other.url }),
      ),
    );
    for (const answer of all) expect(answer).toEqual(all[0]);
    expect(await countsOf(project)).toMatchObject({
      views: { '/a': { human: 2, ai: 1, total: 3 } },
      dropped: [['bot', 2]],
    });
  });

  test.each([
    ['nothing', []],
    ['only bots', [view(googlebot), view(googlebot)]],
    ['only what cannot be read', [1, 2]],
  ])('with %s in it changes nothing either', async (_, hits) => {
    const project = await headcount.addProject();
    const first = await send(project, hits, { key: 'x' });
    const counted = await countsOf(project);
    expect(await send(project, hits, { key: 'x' })).toEqual(first);
    expect(await countsOf(project)).toEqual(counted);
  });

  test('is refused in words with another body', async () => {
    const project = await headcount.addProject();
    await send(project, [view(chromeUserAgent)], { key: 'x' });
    for (const to of [headcount.url, other.url]) {
      for (const [hits, terms] of [
        [[view(gptBot)], {}],
        [[view(chromeUserAgent)], { people: 'skip' }],
      ] as const) {
        const refused = await post(project, [...hits], { key: 'x', terms, to });
        expect([refused.status, (await errorOf(refused)).error]).toEqual([
          400,
          'This Idempotency-Key was used with another body: use a new key for a new request.',
        ]);
      }
    }
    expect((await project.views())['/a']?.total).toBe(1);
  });

  test('of two bodies that come at once under one key, one counts and the others are refused', async () => {
    const project = await headcount.addProject();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post(project, [view(chromeUserAgent, { url: `https://example.com/${i}` })], {
          key: 'x',
          to: i % 2 === 0 ? headcount.url : other.url,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...new Array(11).fill(400)]);
    expect(Object.keys(await project.views())).toHaveLength(1);
  });

  test.each([[''], ['a b'], ['ä'], ['x'.repeat(256)]])('is refused with the key %j', async (key) => {
    const project = await headcount.addProject();
    const refused = await post(project, [view(chromeUserAgent)], {
      key: Buffer.from(key).toString('latin1'),
    });
    expect([refused.status, (await errorOf(refused)).error]).toEqual([
      400,
      'The Idempotency-Key must have 1 to 255 visible ASCII characters.',
    ]);
  });

  test('belongs to its project', async () => {
    const [one, two] = [await headcount.addProject(), await headcount.addProject()];
    await send(one, [view(chromeUserAgent)], { key: 'same' });
    await send(two, [view(gptBot)], { key: 'same' });
    expect((await two.views())['/a']).toEqual({ human: 0, ai: 1, total: 1 });
  });

  test('is known for 24 hours, and forgotten after that', async () => {
    const project = await headcount.addProject();
    const first = [view(chromeUserAgent)];
    await send(project, first, { key: 'old' });
    clock.advance(24 * hourMs - 1);
    await sealDueDays(headcount.context);
    await send(project, first, { key: 'old' });
    expect((await project.views())['/a']?.total).toBe(1);
    clock.advance(1);
    await send(project, [view(gptBot)], { key: 'old' });
    expect((await project.views())['/a']).toEqual({ human: 1, ai: 1, total: 2 });
  });

  test('gets the first answer when its day was sealed meanwhile', async () => {
    const project = await headcount.addProject();
    const at = new Date(clock.now() - 20 * hourMs).toISOString();
    const hits = [view(chromeUserAgent, { at }), view(googlebot, { at })];
    const first = await send(project, hits, { key: 'x' });
    expect(first.accepted).toBe(1);
    const { views, visitors, dropped } = await countsOf(project);
    clock.advance(23 * hourMs);
    await sealDueDays(headcount.context);
    expect(await send(project, hits, { key: 'new' })).toMatchObject({
      accepted: 0,
      dropped: [{ reason: 'too_old' }, { reason: 'too_old' }],
    });
    expect(await send(project, hits, { key: 'x' })).toEqual(first);
    expect(await countsOf(project)).toMatchObject({ views, visitors });
    expect(dropped).toEqual([['bot', 1]]);
  });

  test('counts when the server could not store it before', async () => {
    const project = await headcount.addProject();
    isFull = true;
    const before = await countsOf(project);
    const refused = await post(project, mixed, { key: 'x' });
    isFull = false;
    expect(refused.status).toBe(503);
    expect((await countsOf(project)).dropped).toEqual(before.dropped);
    expect((await send(project, mixed, { key: 'x' })).accepted).toBe(3);
    expect(await countsOf(project)).toMatchObject({
      views: { '/a': { human: 2, ai: 1, total: 3 } },
      dropped: [['bot', 2]],
    });
  });

  test('is not the second telling of a view', async () => {
    const project = await headcount.addProject();
    const terms = { people: 'skip' };
    const script = (path: string) =>
      project.hit({ u: `https://example.com${path}` }, { 'user-agent': manus, 'x-forwarded-for': address });
    const reasonOf = async (path: string) => (await script(path)).headers.get('x-headcount-dropped');

    // One report is one view that the script may tell of, however often it is sent.
    for (let i = 0; i < 3; i++) await send(project, [view(manus)], { key: 'report', terms });
    expect([await reasonOf('/a'), await reasonOf('/a')]).toEqual(['same_view', null]);

    // Nor do the repetitions of a second telling use up the first of others.
    await script('/b');
    const second = [view(manus, { url: 'https://example.com/b' })];
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await send(project, second, { key: 'second', terms }));
    expect(answers).toEqual(new Array(3).fill({ accepted: 0, dropped: [{ index: 0, reason: 'same_view' }] }));
    expect((await project.views())['/b']?.ai).toBe(1);
  });
});
