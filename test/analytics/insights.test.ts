import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rulesVersion } from '../../server/identity/rule-versions.ts';
import { createClock } from '../support/clock.ts';
import { errorOf } from '../support/headcount.ts';
import { combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';

const clock = createClock('2026-11-20T12:00:00Z');
const gptBot = 'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.4; +https://openai.com/gptbot)';
const claudeBot = 'Mozilla/5.0 AppleWebKit/537.36 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)';
let run: ImportRun;

const today = Date.parse('2026-11-20');
/** `20` is 20 days before today. */
const dayOf = (ago: number) => new Date(today - ago * 86_400_000).toISOString().slice(0, 10);

let second = 0;
const line = (ago: number, path: string, userAgent: string, ip: string, referrer = '-', status = 200) => {
  second = (second + 7) % 43_000;
  const at = new Date(Date.parse(dayOf(ago)) + second * 1000).toISOString();
  return { at, text: combined({ at, path, userAgent, ip, referrer, status }) };
};

/**
 * Eight weeks: GPTBot comes every day and ClaudeBot until five days ago; people come to 40 pages, and since the release 28
 * days ago twice as often to the ten of the guide.
 */
function makeLog(): string {
  const lines: { at: string; text: string }[] = [];
  const add = (...given: Parameters<typeof line>) => lines.push(line(...given));
  for (let ago = 57; ago >= 1; ago--) {
    for (let page = 0; page < 40; page++) {
      const path = page < 10 ? `/guide/${page}` : `/news/${page}`;
      const views = page < 10 && ago < 29 ? 2 : 1;
      for (let i = 0; i < views; i++) add(ago, path, person, `192.0.2.${page}`);
    }
    for (let i = 0; i < 12; i++) add(ago, `/news/${10 + ((ago + i) % 29)}`, gptBot, '20.171.206.7');
    add(ago, '/reference', gptBot, '20.171.206.7');
    for (let i = 0; i < 3 && ago > 5; i++) add(ago, '/news/11', claudeBot, '203.0.113.9');
    if (ago % 5 === 0) add(ago, '/gone', gptBot, '20.171.206.7', '-', 404);
    if (ago % 4 === 0) add(ago, '/news/12', person, `198.51.100.${ago}`, 'https://chatgpt.com/');
  }
  return lines
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ text }) => text)
    .join('');
}

beforeAll(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
  await run.import([await run.write('access.log', makeLog())]);
});
afterAll(() => run.stop());

const at = (path: string) => `/v1/analytics/${run.project.projectId}/${path}`;
const get = <T>(path: string) => run.project.get<T>(at(path));
const ask = (method: string, path: string, body?: unknown) =>
  fetch(run.headcount.url + at(path), {
    method,
    headers: { authorization: `Bearer ${run.project.adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

type Row = Record<string, unknown>;

describe('operators', () => {
  test('holds AI views against people who came from the assistant, over the range, a week or a day', async () => {
    const { operators } = await get<{ operators: Row[] }>('operators');
    expect(operators).toEqual([
      { date: null, operator: 'OpenAI', aiViews: 57 * 13, visits: 14, ratio: 52.93 },
      { date: null, operator: 'Anthropic', aiViews: 156, visits: 0, ratio: null },
    ]);
    const weeks = await get<{ operators: Row[] }>(`operators?by=week&dateFrom=2026-11-02&dateTo=2026-11-16`);
    expect(weeks.operators.map(({ date, operator, aiViews }) => [date, operator, aiViews])).toEqual([
      ['2026-11-02', 'OpenAI', 91],
      ['2026-11-02', 'Anthropic', 21],
      ['2026-11-09', 'OpenAI', 91],
      ['2026-11-09', 'Anthropic', 18],
    ]);
    const one = await get<{ operators: Row[] }>(
      'operators?by=week&sort=newest&operator=Anthropic&dateFrom=2026-11-02&dateTo=2026-11-16',
    );
    expect(one.operators.map(({ date, operator, aiViews }) => [date, operator, aiViews])).toEqual([
      ['2026-11-09', 'Anthropic', 18],
      ['2026-11-02', 'Anthropic', 21],
    ]);
    const days = await get<{ operators: Row[]; hasMore: boolean }>('operators?by=day&limit=1');
    expect(days).toMatchObject({ operators: [{ date: dayOf(57), aiViews: 13 }], hasMore: true });
  });

  test('comes as a file, and not for more days than it can tell apart', async () => {
    const file = await ask('GET', 'operators?format=csv');
    expect(file.headers.get('content-type')).toContain('text/csv');
    expect((await file.text()).split('\r\n').slice(0, 2)).toEqual([
      '"date","operator","aiViews","visits","ratio"',
      ',"OpenAI",741,14,52.93',
    ]);
    const refused = await ask('GET', 'operators?by=day&dateFrom=2020-01-01');
    expect(refused.status).toBe(400);
    expect((await errorOf(refused)).error).toContain('at most 400 days');
  });
});

test('a client that came every day and has stopped is named, and one that comes is not', async () => {
  const found = await get<{ lastAiView: string; silentClients: Row[] }>('silent-clients');
  expect(found.lastAiView).toBe(dayOf(1));
  expect(found.silentClients).toEqual([
    {
      ...{ client: 'ClaudeBot', operator: 'Anthropic', purpose: 'training', lastSeen: dayOf(6) },
      ...{ silentDays: 5, usualViews: 3, longestGap: 0, isAlone: true },
      probability: expect.any(Number),
    },
  ]);
  const file = await (await ask('GET', 'silent-clients?format=csv')).text();
  expect(file).toContain('"ClaudeBot","Anthropic","training"');
});

test('pages that AI ignores or reads most are listed with figures, and a prompt that holds the path as a quotation', async () => {
  const { gaps } = await get<{ gaps: Row[] }>(`gaps?dateFrom=${dayOf(57)}`);
  const kinds = Map.groupBy(gaps, ({ kind }) => kind);
  expect(kinds.get('ai_heavy')).toMatchObject([{ path: '/reference', people: 0, ai: 57, failures: 0 }]);
  expect(kinds.get('ignored')?.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/guide/0', '/guide/9', '/news/39']),
  );
  expect(kinds.get('ignored')?.[0]).toMatchObject({
    people: 85,
    evidence: expect.stringMatching(/^85 views by people and none by an AI client/),
    prompt: expect.stringMatching(
      /the page "\/guide\/0": 85 views .*\n\nFind out why: .*a request to you\.$/s,
    ),
  });
  expect(kinds.get('failing')).toMatchObject([
    {
      ...{ path: '/gone', people: 0, ai: 0, failures: 11 },
      evidence: '11 requests of AI clients were answered 404 (GPTBot).',
    },
  ]);
  const heavy = await get<{ gaps: Row[] }>('gaps?kind=ai_heavy');
  expect(heavy.gaps.map(({ ai }) => ai)).toEqual([27]);
  expect((await ask('GET', 'gaps?kind=other')).status).toBe(400);
});

test('a page that fails is told with who reads it all the same, however few', async () => {
  const project = await run.addProject({});
  const asked = { url: 'https://example.com/half-gone', ip: '192.0.2.1' };
  await project.hits([
    ...Array(5).fill({ ...asked, userAgent: gptBot, status: 503 }),
    ...Array(3).fill({ ...asked, userAgent: person }),
    { ...asked, userAgent: gptBot },
  ]);
  const read = async (query = '') =>
    (await project.get<{ gaps: Row[] }>(`/v1/analytics/${project.projectId}/gaps${query}`)).gaps;
  await run.headcount.context.ingest.drain();
  const gap = expect.objectContaining({ path: '/half-gone', kind: 'failing', people: 3, ai: 1, failures: 5 });
  expect(await read()).toEqual([gap]);
  expect(await read('?kind=failing')).toEqual([gap]);
  expect(await read('?kind=ignored')).toEqual([]);
});

test('the evidence of a gap writes large numbers as the dashboard does', async () => {
  const project = await run.addProject({});
  const report = (times: number, path: string, userAgent: string) =>
    project.hits(Array(times).fill({ url: `https://example.com${path}`, ip: '192.0.2.1', userAgent }));
  await report(600, '/left-out', person);
  await report(536, '/left-out', person);
  await report(60, '/read', gptBot);
  const { gaps } = await project.get<{ gaps: Row[] }>(`/v1/analytics/${project.projectId}/gaps`);
  expect(gaps.find(({ path }) => path === '/left-out')?.evidence).toBe(
    '1,136 views by people and none by an AI client, where some 60 would be usual on this site.',
  );
});

describe('a marked release', () => {
  const release = { text: 'New guide', date: dayOf(29), paths: ['/guide/*'] };

  test('stands among the changes, can be removed, and is refused where it is none', async () => {
    const made = await ask('POST', 'annotations', { text: 'Typo', paths: [] });
    expect(made.status).toBe(201);
    const annotation = (await made.json()) as { id: string };
    expect(annotation).toMatchObject({
      date: '2026-11-20',
      kind: 'release',
      text: 'Typo',
      affected: [],
      url: null,
    });
    expect(await get('annotations')).toEqual({ annotations: [annotation], hasMore: false });
    expect(await get('changes')).toMatchObject({
      changes: [{ kind: 'release', text: 'Typo', id: annotation.id }],
    });
    expect(await get('changes?dateTo=2026-11-20')).toMatchObject({ changes: [] });
    const effect = await get<{ says: string }>(`changes/${annotation.id}/effect`);
    expect(effect).toMatchObject({
      days: 0,
      before: null,
      measures: [],
      says: 'A whole week has to pass first.',
    });
    expect((await ask('DELETE', `annotations/${annotation.id}`)).status).toBe(204);
    for (const [method, path] of [
      ['DELETE', `annotations/${annotation.id}`],
      ['GET', `changes/${annotation.id}/effect`],
    ] as const)
      expect((await ask(method, path)).status).toBe(404);
    for (const [body, path] of [
      [{ text: '' }, 'text'],
      [{ text: 'two\nlines' }, 'text'],
      [{ text: 'Early', date: '2026-11-21' }, 'date'],
      [{ text: 'Early', date: '2026-02-30' }, 'date'],
      [{ text: 'Odd', paths: ['guide'] }, 'paths.0'],
    ] as const) {
      const refused = await ask('POST', 'annotations', body);
      expect([refused.status, (await errorOf(refused)).details?.[0]?.path]).toEqual([400, path]);
    }
  });

  test('is told to have helped where its pages were read more than the others, and nothing else is', async () => {
    const { id } = (await (await ask('POST', 'annotations', release)).json()) as { id: string };
    const effect = await get<{ measures: Row[]; says: string }>(`changes/${id}/effect`);
    expect(effect).toMatchObject({ days: 28, affectedPages: 10, otherPages: 31 });
    expect(effect.measures.filter(({ verdict }) => verdict === 'more').map(({ of }) => of)).toEqual([
      'people',
    ]);
    const [people, ai] = effect.measures as { change: number; low: number; high: number }[];
    expect(people).toMatchObject({ affectedBefore: 280, affectedAfter: 560 });
    expect(people?.low).toBeGreaterThan(0.5);
    expect(people?.high).toBeLessThan(1.2);
    expect(ai).toMatchObject({ of: 'ai', verdict: 'too_little', affectedAfter: 0 });
    expect(effect.says).toMatch(/^Views of the affected pages by people went up by \d+% against the others/);
    const file = await (await ask('GET', `changes/${id}/effect?format=csv`)).text();
    expect(file).toContain('"people","more"');
    const other = (await (
      await ask('POST', 'annotations', { ...release, paths: ['/news/1*'] })
    ).json()) as typeof effect & {
      id: string;
    };
    const none = await get<{ measures: Row[] }>(`changes/${other.id}/effect`);
    expect(none.measures.filter(({ verdict }) => verdict === 'more')).toEqual([]);
    const unknown = (await (
      await ask('POST', 'annotations', { ...release, paths: ['/nowhere'] })
    ).json()) as {
      id: string;
    };
    expect(await get(`changes/${unknown.id}/effect`)).toMatchObject({
      affectedPages: 0,
      says: expect.stringMatching(/^It is not known which pages/),
    });
    expect(await (await ask('GET', 'changes?format=csv')).text()).toContain('"release"');
    expect(await (await ask('GET', 'annotations?format=csv')).text()).toContain('"/guide/*"');
  });
});

describe('a note', () => {
  const note = { kind: 'note', text: 'Newsletter no. 12', date: dayOf(29) };

  test('stands among annotations and changes as such, and is removed as a release is', async () => {
    const made = await ask('POST', 'annotations', note);
    const annotation = (await made.json()) as { id: string };
    expect([made.status, annotation]).toMatchObject([201, { ...note, affected: [], url: null }]);
    expect(await get('annotations')).toMatchObject({ annotations: expect.arrayContaining([annotation]) });
    const { changes } = await get<{ changes: Row[] }>('changes');
    expect(changes.filter(({ kind }) => kind === 'note')).toMatchObject([{ ...note, id: annotation.id }]);
    expect(await (await ask('GET', 'annotations?format=csv')).text()).toContain('"note","Newsletter no. 12"');
    expect((await ask('DELETE', `annotations/${annotation.id}`)).status).toBe(204);
    expect(await (await ask('GET', 'changes?format=csv')).text()).not.toContain('Newsletter');
  });

  test('is of no pages, and nothing else than a note or a release', async () => {
    for (const [changed, path] of [
      [{ paths: ['/prices'] }, 'paths'],
      [{ kind: 'merge' }, 'kind'],
      [{ text: 'two\nlines' }, 'text'],
    ] as const) {
      const refused = await ask('POST', 'annotations', { ...note, ...changed });
      expect([refused.status, (await errorOf(refused)).details?.[0]?.path]).toEqual([400, path]);
    }
  });
});

test('a project without counts has empty insights, and a key of another project sees none', async () => {
  const empty = await run.addProject({});
  const base = `/v1/analytics/${empty.projectId}`;
  expect(await empty.get(`${base}/operators`)).toMatchObject({ operators: [], hasMore: false });
  expect(await empty.get(`${base}/silent-clients`)).toEqual({
    lastAiView: null,
    silentClients: [],
    hasMore: false,
    measured: { people: null, ai: null, ways: [] },
  });
  expect(await empty.get(`${base}/gaps`)).toMatchObject({ gaps: [], hasMore: false });
  expect(await empty.get(`${base}/changes`)).toEqual({ rulesVersion, changes: [], hasMore: false });
  const authorization = `Bearer ${empty.adminKey}`;
  for (const path of ['operators', 'gaps', 'changes', 'annotations', 'silent-clients']) {
    const response = await fetch(run.headcount.url + at(path), { headers: { authorization } });
    expect(response.status).toBe(403);
  }
});
