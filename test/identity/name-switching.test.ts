import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock, type TestClock } from '../support/clock.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { userAgentOf } from '../support/identity/user-agents.ts';
import { combined, type ImportRun, startImport } from '../support/import/import-run.ts';

/** Of four operators that publish no addresses, so that nothing refutes or proves a name. */
const [one, two, three, four] = ['Andibot', 'Diffbot', 'cohere-ai', 'DeepSeekBot'].map(
  (name) => `Mozilla/5.0 (compatible; ${name}/1.0)`,
) as [string, string, string, string];

/** In the list that OpenAI publishes. */
const gptBotAddress = '20.171.206.1';

/** Seconds after the first, the address, the user agent, the path, and the status of what was asked for. */
type Asked = readonly [second: number, address: string, userAgent: string, path: string, status?: number];

const start = Date.parse('2026-11-20T10:00:00Z');
const timeOf = (second: number) => new Date(start + second * 1000).toISOString();

let clock: TestClock;
let headcount: Headcount;
let run: ImportRun;
beforeAll(async () => {
  clock = createClock('2026-11-20T12:00:00Z');
  headcount = await startHeadcount({ now: clock.now });
  run = await startImport();
});
afterAll(async () => {
  await headcount.stop();
  await run.stop();
});

/** What is counted of these requests, by a server that reports them and by a log that has them. */
async function bothWays(
  asked: readonly Asked[],
): Promise<{ ai: Record<string, number>; failures: string[] }[]> {
  const reported = await headcount.addProject();
  const batch = await fetch(`${headcount.url}/v1/hits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${reported.ingestKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      hits: asked.map(([second, ip, userAgent, path, status = 200]) => ({
        url: `https://example.com${path}`,
        ...{ ip, userAgent, status, at: timeOf(second) },
      })),
    }),
  });
  expect(batch.status).toBe(202);
  const logged = await run.addProject({});
  const lines = asked.map(([second, address, userAgent, path, status = 200]) =>
    combined({ at: timeOf(second), ip: address, userAgent, path, status }),
  );
  await run.import([await run.write('switching.log', lines.join(''))], { project: logged });
  return Promise.all([reported, logged].map(countedOf));
}

async function countedOf(project: ProjectClient) {
  const views = await project.views();
  const { failures } = await project.get<{ failures: { path: string }[] }>(
    `/v1/analytics/${project.projectId}/ai-failures`,
  );
  return {
    ai: Object.fromEntries(Object.entries(views).map(([path, { ai }]) => [path, ai])),
    failures: failures.map(({ path }) => path),
  };
}

const scanner = '8.8.4.4';

describe('an address that uses the names of three operators within a minute', () => {
  test('is a scanner from then on: no view and no failure of an AI client', async () => {
    const counted = await bothWays([
      [0, scanner, one, '/a'],
      [1, scanner, two, '/b'],
      [2, scanner, three, '/c'],
      [3, scanner, one, '/d'],
      [4, scanner, four, '/e', 404],
      [300, scanner, two, '/f'],
      [300, '8.8.8.8', two, '/other'],
    ]);
    const known = { ai: { '/a': 1, '/b': 1, '/other': 1 }, failures: [] };
    expect(counted).toEqual([known, known]);
  });

  test('also with the third name at the end of the minute', async () => {
    const counted = await bothWays([
      [0, '8.8.4.6', one, '/a'],
      [30, '8.8.4.6', two, '/b'],
      [60, '8.8.4.6', three, '/c'],
    ]);
    expect(counted.map(({ ai }) => ai)).toEqual([
      { '/a': 1, '/b': 1 },
      { '/a': 1, '/b': 1 },
    ]);
  });

  test('is taken for what it says again once it was quiet for ten minutes', async () => {
    const [reported, logged] = await bothWays([
      [0, '8.8.4.5', one, '/a'],
      [0, '8.8.4.5', two, '/b'],
      [0, '8.8.4.5', three, '/c'],
      [700, '8.8.4.5', one, '/d'],
    ]);
    expect(reported).toEqual(logged);
    expect(logged?.ai).toEqual({ '/a': 1, '/b': 1, '/d': 1 });
  });
});

describe('an address stays what it says', () => {
  test.each<[string, Asked[], number]>([
    [
      'with the names of two operators',
      [
        [0, '9.9.9.9', one, '/a'],
        [1, '9.9.9.9', two, '/b'],
        [2, '9.9.9.9', one, '/c'],
      ],
      3,
    ],
    [
      'with three names in more than a minute',
      [
        [0, '9.9.9.10', one, '/a'],
        [40, '9.9.9.10', two, '/b'],
        [80, '9.9.9.10', three, '/c'],
      ],
      3,
    ],
    [
      'where people come from it too, as from a proxy',
      [
        [0, '9.9.9.11', one, '/a'],
        [1, '9.9.9.11', chromeUserAgent, '/a'],
        [2, '9.9.9.11', two, '/b'],
        [3, '9.9.9.11', three, '/c'],
        [4, '9.9.9.11', four, '/d'],
      ],
      4,
    ],
    [
      'with the names of clients that run on the machines of their users',
      [
        [0, '9.9.9.12', one, '/a'],
        [1, '9.9.9.12', two, '/b'],
        [2, '9.9.9.12', userAgentOf('Claude Code'), '/c'],
        [3, '9.9.9.12', userAgentOf('Cursor'), '/d'],
        [4, '9.9.9.12', one, '/e'],
      ],
      5,
    ],
    [
      'where one of the names is proved by the address',
      [
        [0, gptBotAddress, userAgentOf('GPTBot'), '/a'],
        [1, gptBotAddress, one, '/b'],
        [2, gptBotAddress, two, '/c'],
      ],
      3,
    ],
    [
      'where it is a private one',
      [
        [0, '10.0.0.1', one, '/a'],
        [1, '10.0.0.1', two, '/b'],
        [2, '10.0.0.1', three, '/c'],
      ],
      3,
    ],
  ])('%s', async (_what, asked, views) => {
    for (const { ai } of await bothWays(asked)) {
      expect(Object.values(ai).reduce((sum, one) => sum + one, 0)).toBe(views);
    }
  });
});
