import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchReply } from '../../shared/hit.ts';
import { createClock } from '../support/clock.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { keepRecentRanges } from '../support/proof/recent-ranges.ts';
import { createSigner, signRequest, type TestSigner } from '../support/proof/signer.ts';
import { createSignerProofs } from '../support/proof/signer-proofs.ts';

const newFolder = temporaryFolders();
const clock = createClock('2026-11-21T12:00:00Z');
const openAi = createSigner();
const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot';
const claudeCode = 'Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)';
// Of GPTBot's published addresses that come with this version, and of nobody's.
const inside = '20.171.206.7';
const outside = '8.8.4.4';

let headcount: Headcount;

beforeAll(async () => {
  const dataDir = await newFolder();
  keepRecentRanges(dataDir, clock.now());
  const proofs = createSignerProofs(openAi, {
    dataDir,
    now: clock.now,
    host: 'chatgpt.com',
  });
  headcount = await startHeadcount({ now: clock.now, proofs });
});
afterAll(() => headcount.stop());

const report = (userAgent: string, ip: string, path = '/', headers?: Record<string, string>) => ({
  url: `https://example.com${path}`,
  ip,
  userAgent,
  headers,
});

interface Row {
  client: string;
  operator: string | null;
  purpose: string | null;
  proof: string;
  check: string | null;
  visitors: number;
  views: number;
}

const clientsOf = async (project: ProjectClient, query = '') =>
  (await project.get<{ clients: Row[] }>(`/v1/analytics/${project.projectId}/ai-clients?${query}`)).clients;

const droppedOf = async (project: ProjectClient) => {
  await headcount.context.ingest.drain();
  return (await project.get<{ dropped: unknown[] }>(`/v1/analytics/${project.projectId}/dropped`)).dropped;
};

describe('the report of AI clients', () => {
  test('names client, operator, purpose and proof, and the paths that each read', async () => {
    const project = await headcount.addProject();
    await project.hits([
      report(gptBot, inside, '/a'),
      report(gptBot, inside, '/b'),
      report(gptBot, '20.171.206.8', '/a'),
      report(claudeCode, outside, '/a'),
      report(chromeUserAgent, outside, '/a'),
      report('axios/1.8.4', outside, '/md', { Accept: 'text/markdown, text/html, */*' }),
    ]);
    const gpt = {
      client: 'GPTBot',
      operator: 'OpenAI',
      purpose: 'training',
      proof: 'verified',
      check: null,
      visitors: 2,
      views: 3,
    };
    const code = { client: 'Claude Code', operator: 'Anthropic', purpose: 'coding', visitors: 1, views: 1 };
    expect(await clientsOf(project)).toEqual([
      gpt,
      { ...code, proof: 'claimed', check: 'user_machine' },
      { ...code, proof: 'inferred', check: null },
    ]);
    expect(await clientsOf(project, 'limit=1&offset=1')).toMatchObject([{ ...code, proof: 'claimed' }]);
    expect(await clientsOf(project, 'dateTo=2026-11-21')).toEqual([]);
    const paths = (client: string) =>
      project.get(`/v1/analytics/${project.projectId}/ai-clients/${encodeURIComponent(client)}/paths`);
    const measured = { people: true, ai: true, ways: ['report'] };
    expect(await paths('GPTBot')).toEqual({
      paths: [
        { path: '/a', visitors: 2, views: 2, humanViews: 1 },
        { path: '/b', visitors: 1, views: 1, humanViews: 0 },
      ],
      hasMore: false,
      measured,
    });
    expect(await paths('Claude Code')).toMatchObject({ paths: [{ path: '/a' }, { path: '/md' }] });
    expect(await paths('Nobody')).toEqual({ paths: [], hasMore: false, measured });
  });

  test('says of a claim why it is no more than that', async () => {
    const project = await headcount.addProject();
    const from = (name: string, ip: string) => report(`Mozilla/5.0 (compatible; ${name}/1.0)`, ip, '/');
    await project.hits([
      from('GPTBot', '10.0.0.1'),
      from('Bytespider', outside),
      from('QwenBot', outside),
      report('Mozilla/5.0 (compatible; FreshSearchBot/1.0; +https://x.ai)', outside, '/'),
      report(claudeCode, outside, '/'),
    ]);
    const reasons = (await clientsOf(project)).map(({ client, proof, check }) => [client, proof, check]);
    expect(reasons.sort()).toEqual([
      ['Bytespider', 'claimed', 'name_not_confirmed'],
      ['Claude Code', 'claimed', 'user_machine'],
      ['FreshSearchBot (unlisted, xAI, search)', 'claimed', 'not_listed'],
      ['GPTBot', 'claimed', 'not_in_list'],
      ['QwenBot', 'claimed', 'nothing_published'],
    ]);
  });

  test('needs the same keys and takes the same query as the others', async () => {
    for (const path of ['ai-clients', 'ai-clients/GPTBot/paths', 'dropped']) {
      const ask = (query: string, key: string) =>
        fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/${path}?${query}`, {
          headers: { authorization: `Bearer ${key}` },
        });
      expect((await ask('', headcount.adminKey)).status).toBe(200);
      expect((await ask('', headcount.ingestKey)).status).toBe(403);
      expect((await ask('limit=0', headcount.adminKey)).status).toBe(400);
      expect((await ask('dateFrom=2026-02-30', headcount.adminKey)).status).toBe(400);
    }
  });
});

describe('a client that claims another name', () => {
  test('is a bot, counted under that name', async () => {
    const project = await headcount.addProject();
    const reply = await project.hits([report(gptBot, outside), report(gptBot, inside)]);
    expect(await reply.json()).toEqual({ accepted: 1, dropped: [{ index: 0, reason: 'spoofed' }] });
    expect(await droppedOf(project)).toEqual([{ reason: 'spoofed', family: 'GPTBot', hits: 1 }]);
    expect((await project.visitors())['/']).toEqual({ human: 0, ai: 1, total: 1 });
  });

  test('is not judged by an address of the local network, which is our own proxy', async () => {
    const project = await headcount.addProject();
    await project.hits([report(gptBot, '10.0.0.7'), report(gptBot, '::1')]);
    expect((await clientsOf(project)).map(({ proof }) => proof)).toEqual(['claimed']);
  });
});

test('bots are counted by family', async () => {
  const project = await headcount.addProject();
  const bots = ['Googlebot/2.1 (+http://www.google.com/bot.html)', 'curl/8.4.0', ''];
  await project.hits([...bots, 'curl/8.5.0'].map((userAgent) => report(userAgent, outside)));
  expect(await droppedOf(project)).toEqual([
    { reason: 'bot', family: 'library', hits: 2 },
    { reason: 'bot', family: 'empty user agent', hits: 1 },
    { reason: 'bot', family: 'search engine', hits: 1 },
  ]);
});

describe('a signed request (Web Bot Auth)', () => {
  const send = async (
    project: ProjectClient,
    signer: TestSigner,
    nonce: string,
    path = '/signed',
    change = {},
  ) => {
    const agent = '"https://chatgpt.com"';
    const url = `https://example.com${path}`;
    const { headers } = signRequest(signer, { url, agent, at: clock.now(), nonce });
    const response = await project.hits([report(chromeUserAgent, outside, path, { ...headers, ...change })]);
    return ((await response.json()) as BatchReply).dropped;
  };

  test('is claimed at first sight, verified once the keys are known, and spoofed where it is not valid', async () => {
    const project = await headcount.addProject();
    await send(project, openAi, 'n1');
    await expect
      .poll(async () => {
        await send(project, openAi, `n${Math.random()}`);
        return (await clientsOf(project)).map(({ client, proof }) => [client, proof]);
      })
      .toContainEqual(['ChatGPT agent', 'verified']);
    expect(await clientsOf(project)).toContainEqual({
      client: 'ChatGPT agent',
      operator: 'OpenAI',
      purpose: 'browser',
      proof: 'claimed',
      check: 'not_signed',
      visitors: 1,
      views: expect.any(Number),
    });
    expect(await send(project, openAi, 'n1-again', '/other')).toEqual([]);
    const stranger = { ...createSigner(), keyid: openAi.keyid };
    expect(await send(project, stranger, 'n2')).toEqual([{ index: 0, reason: 'spoofed' }]);
    expect(await send(project, openAi, 'n1-again')).toEqual([{ index: 0, reason: 'spoofed' }]);
    expect(await send(project, openAi, 'n3', '/', { signature: 'sig1=:AAAA:' })).toEqual([
      { index: 0, reason: 'spoofed' },
    ]);
    expect(await droppedOf(project)).toEqual([{ reason: 'spoofed', family: 'ChatGPT agent', hits: 3 }]);
  });
});

describe('what the tracker finds in the page', () => {
  test('an agent at work makes AI views of the same visitor', async () => {
    const project = await headcount.addProject();
    await project.hit({ u: 'https://example.com/docs' });
    await project.hit({ u: 'https://example.com/docs', r: 'https://example.com/docs', a: 'c' });
    expect(await project.visitors()).toEqual({ '/docs': { human: 1, ai: 1, total: 1 } });
    expect(await project.views()).toEqual({ '/docs': { human: 1, ai: 1, total: 2 } });
    expect(await clientsOf(project)).toEqual([
      {
        client: 'Claude in Chrome',
        operator: 'Anthropic',
        purpose: 'browser',
        proof: 'inferred',
        check: null,
        visitors: 1,
        views: 1,
      },
    ]);
  });

  test('plain automation is a bot, an agent that drives it is AI', async () => {
    const project = await headcount.addProject();
    const dropped = async (a: string) =>
      (await project.hit({ u: 'https://example.com/', a })).headers.get('x-headcount-dropped');
    expect([await dropped('w'), await dropped('ws'), await dropped('zzz'), await dropped('')]).toEqual([
      'bot',
      null,
      null,
      null,
    ]);
    expect(await project.views()).toEqual({ '/': { human: 2, ai: 1, total: 3 } });
    expect(await droppedOf(project)).toEqual([{ reason: 'bot', family: 'automated browser', hits: 1 }]);
  });
});
