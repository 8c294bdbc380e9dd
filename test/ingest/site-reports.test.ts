import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BatchReply } from '../../shared/hit.ts';
import { gptBot, manus } from '../support/browsers.ts';
import { createClock } from '../support/clock.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { startConnectedSite } from '../support/packages/connect.ts';
import { createSigner, signRequest } from '../support/proof/signer.ts';
import { createSignerProofs } from '../support/proof/signer-proofs.ts';

const newFolder = temporaryFolders();
const clock = createClock('2026-11-21T12:00:00Z');
const openAi = createSigner();
let headcount: Headcount;
let failing = false;

beforeAll(async () => {
  const proofs = createSignerProofs(openAi, { dataDir: await newFolder(), now: clock.now });
  headcount = await startHeadcount({
    now: clock.now,
    proofs,
    wrapStore: (store) => ({
      ...bound(store),
      countViews: (views, ...rest) =>
        failing ? Promise.reject(new Error('The disk is full.')) : store.countViews(views, ...rest),
      countBatches: (batches) =>
        failing ? Promise.reject(new Error('The disk is full.')) : store.countBatches(batches),
    }),
  });
});
afterAll(() => headcount.stop());

/** The methods of a store, as properties of an object of its own. */
function bound<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const address = '198.51.100.1';
const view = (userAgent: string, more = {}) => ({
  url: 'https://example.com/a',
  ip: address,
  userAgent,
  ...more,
});

const send = async (project: ProjectClient, hits: unknown[], terms: object = { people: 'skip' }) => {
  const response = await fetch(`${headcount.url}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({ ...terms, hits }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${project.ingestKey}` },
  });
  return { status: response.status, ...((await response.json()) as BatchReply & { error?: string }) };
};

const script = (project: ProjectClient, userAgent: string, path = '/a') =>
  project.hit({ u: `https://example.com${path}` }, { 'user-agent': userAgent, 'x-forwarded-for': address });

const droppedFor = (response: Response) => response.headers.get('x-headcount-dropped');

describe('a batch that leaves people to the script', () => {
  test('is counted for AI only, and says which hits were left', async () => {
    const project = await headcount.addProject();
    expect(await send(project, [view(chromeUserAgent), view(gptBot)])).toEqual({
      status: 202,
      accepted: 1,
      dropped: [{ index: 0, reason: 'left_to_script' }],
    });
    expect(await project.visitors()).toEqual({ '/a': { human: 0, ai: 1, total: 1 } });
  });

  test('counts people where it says so, or says nothing', async () => {
    const project = await headcount.addProject();
    await send(project, [view(chromeUserAgent)], { people: 'count' });
    await send(project, [view(chromeUserAgent)], {});
    expect((await project.views())['/a']).toEqual({ human: 2, ai: 0, total: 2 });
    expect(await send(project, [], { people: 'none' })).toMatchObject({
      status: 400,
      error: 'The batch is not valid: people must be "count" or "skip".',
    });
  });
});

describe('an AI client of which the script and a report tell', () => {
  test('has one view, whichever comes first', async () => {
    const project = await headcount.addProject();
    await send(project, [view(manus)]);
    expect(droppedFor(await script(project, manus))).toBe('same_view');
    expect(droppedFor(await script(project, manus, '/b'))).toBeNull();
    const late = await send(project, [view(manus, { url: 'https://example.com/b' })]);
    expect(late.dropped).toEqual([{ index: 0, reason: 'same_view' }]);
    expect(await project.views()).toEqual({
      '/a': { human: 0, ai: 1, total: 1 },
      '/b': { human: 0, ai: 1, total: 1 },
    });
  });

  test('has as many views as one of them tells of at most', async () => {
    const project = await headcount.addProject();
    await send(project, [view(manus), view(manus), view(manus)]);
    for (let i = 0; i < 4; i++) await script(project, manus);
    expect((await project.views())['/a']).toEqual({ human: 0, ai: 4, total: 4 });
    await send(project, [view(manus)]);
    expect((await project.views())['/a']?.ai).toBe(4);
  });

  test('has its tellings paired one to one, in whatever order they come', async () => {
    const orders = fc.array(fc.constantFrom('report' as const, 'script' as const), { maxLength: 12 });
    const inOrder = fc.asyncProperty(orders, async (order) => {
      const project = await headcount.addProject();
      const alone = { report: 0, script: 0 };
      for (const by of order) {
        const other = by === 'report' ? 'script' : 'report';
        const isSecond = alone[other] > 0;
        const dropped =
          by === 'report'
            ? (await send(project, [view(manus)])).dropped[0]?.reason
            : droppedFor(await script(project, manus));
        expect(dropped ?? null).toBe(isSecond ? 'same_view' : null);
        alone[isSecond ? other : by] += isSecond ? -1 : 1;
      }
    });
    await fc.assert(inOrder, { numRuns: 15 });
  });

  test('is another client from another address, with another page, and two minutes later', async () => {
    const project = await headcount.addProject();
    await send(project, [view(manus, { ip: '198.51.100.2' })]);
    expect(droppedFor(await script(project, manus))).toBeNull();
    await send(project, [view(manus, { url: 'https://example.com/c' })]);
    clock.advance(121_000);
    expect(droppedFor(await script(project, manus, '/c'))).toBeNull();
    expect((await project.views())['/c']?.ai).toBe(2);
  });

  test('reports of a client that does not know of the script all count', async () => {
    const project = await headcount.addProject();
    await send(project, [view(manus)], {});
    expect(droppedFor(await script(project, manus))).toBeNull();
    expect((await project.views())['/a']?.ai).toBe(2);
  });

  test('loses no view to a server that cannot store it', async () => {
    const project = await headcount.addProject();
    await script(project, manus);
    failing = true;
    const both = [view(manus), view(gptBot)];
    const refused = await send(project, both);
    failing = false;
    expect(refused.status).toBe(503);
    expect(await send(project, both)).toMatchObject({ dropped: [{ index: 0, reason: 'same_view' }] });
    failing = true;
    expect((await script(project, manus, '/d')).status).toBe(503);
    failing = false;
    expect(await send(project, [view(manus, { url: 'https://example.com/d' })])).toMatchObject({
      accepted: 1,
    });
    expect(await project.views()).toEqual({
      '/a': { human: 0, ai: 2, total: 2 },
      '/d': { human: 0, ai: 1, total: 1 },
    });
  });
});

describe('trusted proxies of a batch', () => {
  const through = async (hits: object[], trustedProxies?: string) => {
    const project = await headcount.addProject({ hosts: ['example.com', 'www.example.com'] });
    const terms = trustedProxies === undefined ? {} : { trustedProxies };
    const { dropped } = await send(
      project,
      hits.map((hit) => view(chromeUserAgent, hit)),
      terms,
    );
    return { dropped, visitors: (await project.visitors())['/a']?.total };
  };
  const via = (ip: string, forwardedFor: string) => ({ ip, headers: { 'X-Forwarded-For': forwardedFor } });

  test('tell who asked, by the rule for requests to this server', async () => {
    const proxies = 'loopback, 10.0.0.0/8';
    const same = [
      via('203.0.113.1', '192.0.2.1'),
      via('127.0.0.1', '203.0.113.1'),
      via('::1', '192.0.2.9, 203.0.113.1:4711, 10.1.1.1'),
    ];
    expect(await through(same, proxies)).toEqual({ dropped: [], visitors: 1 });
    expect(await through([...same, via('10.2.2.2', 'unknown')], proxies)).toEqual({
      dropped: [],
      visitors: 2,
    });
    expect(await through(same)).toEqual({ dropped: [], visitors: 3 });
    expect(await through(same, 'none')).toEqual({ dropped: [], visitors: 3 });
  });

  test('tell for which host', async () => {
    const headers = { 'x-forwarded-host': 'www.example.com', 'x-forwarded-proto': 'https' };
    const hit = { url: 'http://localhost:3000/a?x=%20', headers };
    expect((await through([{ ...hit, ip: '127.0.0.1' }], 'loopback')).dropped).toEqual([]);
    expect((await through([{ ...hit, ip: '192.0.2.1' }], 'loopback')).dropped).toEqual([
      { index: 0, reason: 'foreign_host' },
    ]);
  });

  test('must be addresses', async () => {
    const project = await headcount.addProject();
    expect(await send(project, [], { trustedProxies: 'loopback,nonsense' })).toMatchObject({
      status: 400,
      error: 'trustedProxies cannot be used: "nonsense" is not an IP address or a range of them.',
    });
  });
});

test('a signed request is verified by what a site passes on', async () => {
  const project = await headcount.addProject();
  const page = { '/docs': { body: '<p>Text' } };
  const site = await startConnectedSite('express', page, { server: headcount.url, key: project.ingestKey });
  onTestFinished(() => site.stop());
  const visit = async (nonce: string, change: Record<string, string> = {}) => {
    const url = `${site.url}/docs?part=a%20b`;
    const agent = '"https://chatgpt.com"';
    const own = { 'x-errand': 'reading' };
    const { headers } = signRequest(openAi, {
      url,
      agent,
      nonce,
      at: Date.now(),
      headers: own,
      covered: [
        ['"@authority"', new URL(url).host],
        ['"@method"', 'GET'],
        ['"@request-target"', '/docs?part=a%20b'],
        ['"x-errand"', 'reading'],
        ['"signature-agent"', agent],
      ],
    });
    await fetch(url, { headers: { ...headers, 'user-agent': chromeUserAgent, ...change } });
    await site.flush();
  };
  clock.set(new Date().toISOString());
  // The first one has the key directory fetched.
  await visit('first');
  await expect
    .poll(async () => {
      await visit(`later-${performance.now()}`);
      const path = `/v1/analytics/${project.projectId}/ai-clients`;
      return (await project.get<{ clients: { proof: string; operator: string }[] }>(path)).clients;
    })
    .toContainEqual(expect.objectContaining({ operator: 'OpenAI', proof: 'verified' }));
  await visit('forged', { 'x-errand': 'writing' });
  await headcount.context.ingest.drain();
  const path = `/v1/analytics/${project.projectId}/dropped`;
  const { dropped } = await project.get<{ dropped: { reason: string; hits: number }[] }>(path);
  expect(dropped).toContainEqual(expect.objectContaining({ reason: 'spoofed', hits: 1 }));
});
