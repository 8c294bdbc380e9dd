import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectCommand } from '../../server/operations/projects.ts';
import type { CombinedSeriesReply, Count } from '../../shared/reports/analytics.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { anySalt, openDay, view } from '../support/views.ts';

const dayMs = 24 * 3_600_000;
const today = Math.floor(Date.UTC(2026, 10, 20) / dayMs);
/** The first is closed without sections, the second with them, and the third is active. */
const [before, closed, active] = [today - 2, today - 1, today];
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
const range = (from: number, to = from) => `dateFrom=${dateOf(from)}&dateTo=${dateOf(to + 1)}`;
const sections = ['/docs/** Documentation', '/docs/api/** API', '/blog/** Blog'];

/** By visitor: what each read, on every day. */
const read: Record<string, { country: string; paths: string[]; isAi?: boolean }> = {
  1: { country: 'DE', paths: ['/docs', '/docs/a', '/docs/api/x'] },
  2: { country: 'DE', paths: ['/docs/a', '/blog/one', '/blog/two'] },
  3: { country: 'FR', paths: ['/docs/api/x', '/docs/api/y'] },
  4: { country: 'FR', paths: ['/', '/prices'] },
  5: { country: 'US', paths: ['/docs/a', '/docs/b'], isAi: true },
};
const inDocs = { visitors: { human: 3, ai: 1, total: 4 }, views: { human: 6, ai: 2, total: 8 } };

let headcount: Headcount;
let project: ProjectClient;
beforeAll(async () => {
  headcount = await startHeadcount({ now: () => today * dayMs + dayMs / 2 });
});
afterAll(() => headcount.stop());

beforeEach(async () => {
  const { store } = headcount.context;
  project = await headcount.addProject({ minimumGroup: 1 });
  const { projectId } = project;
  for (const day of [before, closed, active]) {
    await openDay(store, projectId, day, anySalt());
    const views = Object.entries(read).flatMap(([visitor, { country, paths, isAi }]) =>
      paths.map((path, moment) =>
        view({
          ...{ projectId, day, visitor: BigInt(day * 1000 + Number(visitor)), moment, path, country },
          ...(isAi && { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } }),
        }),
      ),
    );
    expect(await store.countViews(views, [])).toEqual([]);
  }
  await store.seal(projectId, before);
  expect((await declare(sections)).status).toBe(200);
  await store.seal(projectId, closed);
});

const declare = (lines: readonly string[]) => change({ sections: lines });
const change = async (settings: object) => {
  const response = await fetch(`${headcount.url}/v1/projects/${project.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  return response;
};
const get = <Reply>(query: string) => project.get<Reply>(`/v1/analytics/${project.projectId}/${query}`);
const series = (query: string) => get<CombinedSeriesReply>(`series?${query}`);

describe('a declared section', () => {
  test.each([
    ['a closed day', closed],
    ['the active day', active],
  ])('has its visitors once and its views on %s, with nested ones', async (_, day) => {
    expect((await series(`${range(day)}&path=/docs/**`)).totals).toEqual(inDocs);
    expect((await series(`${range(day)}&path=/docs/api/**`)).totals.visitors).toEqual({
      ...{ human: 2, ai: 0, total: 2 },
    });
    const { totals, visitors } = await get<{ totals: Count; visitors: object[] }>(
      `visitors?${range(day)}&path=/docs/**`,
    );
    expect(totals).toEqual(inDocs.visitors);
    expect(visitors).toEqual([
      { path: '/docs/a', human: 2, ai: 1, total: 3 },
      { path: '/docs/api/x', human: 2, ai: 0, total: 2 },
      { path: '/docs', human: 1, ai: 0, total: 1 },
      { path: '/docs/api/y', human: 1, ai: 0, total: 1 },
      { path: '/docs/b', human: 0, ai: 1, total: 1 },
    ]);
  });

  test('is known together with other filters, and by what its visitors have', async () => {
    const days = range(closed, active);
    const { totals, unmeasured } = await series(`${days}&path=/docs/**&country=DE`);
    expect(totals.visitors).toEqual({ human: 4, ai: 0, total: 4 });
    expect(unmeasured).toBeNull();
    const { countries } = await get<{ countries: object[] }>(`countries?${days}&path=/docs/**`);
    expect(countries).toEqual([
      { country: 'DE', human: 4, ai: 0, total: 4 },
      { country: 'FR', human: 2, ai: 0, total: 2 },
      { country: 'US', human: 0, ai: 2, total: 2 },
    ]);
    const { totals: others } = await series(`${days}&path=!/docs/**`);
    expect(others.visitors).toEqual({ human: 2, ai: 0, total: 2 });
  });

  test('has no visitors before it was declared, but a sentence and its views', async () => {
    const { days, totals, unmeasured } = await series(`${range(before, active)}&path=/docs/**`);
    expect(days[0]).toMatchObject({
      visitors: { human: null, total: null, bounds: { total: { from: 3, to: 5 } } },
      views: inDocs.views,
    });
    expect(days.slice(1).map(({ visitors }) => visitors)).toEqual([inDocs.visitors, inDocs.visitors]);
    expect(totals).toMatchObject({ visitors: { total: null }, views: { human: 18, ai: 6, total: 24 } });
    expect(unmeasured).toMatchObject({ days: 1, first: dateOf(before), last: dateOf(before) });
    expect(unmeasured?.message).toContain('add its glob and a name to "sections"');
    const { unmeasured: ofViews } = await get<{ unmeasured: object | null }>(
      `views?${range(before)}&path=/docs/**`,
    );
    expect(ofViews).toBeNull();
  });

  test('is a row of the report, with all that is in none', async () => {
    const { totals, sections: rows } = await get<{ totals: Count; sections: object[] }>(
      `sections?${range(before, active)}`,
    );
    expect(totals).toEqual({ human: 12, ai: 3, total: 15 });
    const days = { measuredDays: 2, unmeasuredDays: 1 };
    expect(rows).toEqual([
      { section: 'Documentation', path: '/docs/**', human: 6, ai: 2, total: 8, ...days },
      { section: 'API', path: '/docs/api/**', human: 4, ai: 0, total: 4, ...days },
      { section: 'Blog', path: '/blog/**', human: 2, ai: 0, total: 2, ...days },
      { section: '(other)', path: null, human: 2, ai: 0, total: 2, ...days },
    ]);
    const none = await get<{ sections: { total: number | null }[] }>(`sections?${range(before)}`);
    expect(none.sections.map(({ total }) => total)).toEqual([null, null, null, null]);
  });

  test('is a goal with a past, from the day on which it was declared', async () => {
    await change({ goals: ['/docs/**', '/docs/{a,api/x}'] });
    const { goals } = await get<{ goals: object[] }>(`goals?${range(before, active)}`);
    expect(goals).toEqual([
      { goal: '/docs/**', people: 8, conversions: 6, measuredDays: 2, unmeasuredDays: 1 },
      { goal: '/docs/{a,api/x}', people: 4, conversions: 3, measuredDays: 1, unmeasuredDays: 2 },
    ]);
  });

  test('adds up with the others where a visitor is in one only', async () => {
    await declare(['/docs/** Documentation', '/prices Prices']);
    const { totals, sections: rows } = await get<{ totals: Count; sections: Count[] }>(
      `sections?${range(active)}`,
    );
    // Visitor 2 read the blog too, and visitor 4 two parts.
    expect(rows.reduce((sum, { total }) => sum + total, 0)).toBe(totals.total + 2);
  });

  test('leaves what is in none unknown on days that were closed with other sections', async () => {
    // As many views are in none as before.
    expect((await declare([...sections.slice(0, 2), '/ Home', '/prices Prices'])).status).toBe(200);
    const { sections: rows } = await get<{ sections: object[] }>(`sections?${range(closed)}`);
    expect(rows.at(-1)).toMatchObject({ section: '(other)', measuredDays: 0, unmeasuredDays: 1 });
    expect(rows[0]).toMatchObject({ ...inDocs.visitors, measuredDays: 1 });
  });

  test('is unknown on closed days for which a page was moved into it, and not on others', async () => {
    const { paths } = headcount.context.store;
    expect(await paths.move(project.projectId, [{ from: '/prices', to: '/docs/prices' }])).toBe(true);
    const { days } = await series(`${range(closed, active)}&path=/docs/**`);
    expect(days[0]?.visitors).toMatchObject({ total: null });
    expect(days[1]?.visitors).toEqual({ human: 4, ai: 1, total: 5 });
    const { days: ofBlog } = await series(`${range(closed, active)}&path=/blog/**`);
    expect(ofBlog.map(({ visitors }) => visitors.total)).toEqual([1, 1]);
  });
});

describe('reports of pages', () => {
  const inDocs = /^\/docs(\/|$)/;
  interface Listed {
    report: string;
    filters: string[][];
    combined: string[];
  }
  const nameOf = (report: string) => report.replace('{client}', 'GPTBot').replace('{goal}', '/docs');
  const asks = async (report: string, query: string) => {
    const { measured: _, ...reply } = await get<Record<string, unknown>>(`${nameOf(report)}?${query}`);
    return reply;
  };
  const rowsOf = (reply: object) => (Object.values(reply).find(Array.isArray) ?? []) as { path: string }[];
  let takingPages: Listed[];
  beforeEach(async () => {
    const { store } = headcount.context;
    const { projectId } = project;
    const common = { projectId, day: active, hits: 7, amount: 3 };
    const pages = ['/docs/a', '/docs/never-viewed', '/blog/one'];
    const gptBot = { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } } as const;
    const groups = { 'ai-failures': 'GPTBot\t404', 'ai-disallowed': 'GPTBot', 'ai-cut-off': 'GPTBot' };
    const counters = Object.entries({
      ...groups,
      'text-fragments': 'google.com\tTwo cups',
      'visible-time': '10',
    }).flatMap(([name, group]) =>
      pages.map((page) => ({ ...common, counter: name as 'text-fragments', group, name: page })),
    );
    const views = pages.flatMap((path, i) => [
      view({ projectId, day: active, visitor: BigInt(9_000 + i), moment: 60, path, source: 'ChatGPT' }),
      view({ projectId, day: active, visitor: 9_200n, moment: 60, path, ...gptBot }),
      ...Array.from({ length: 25 }, (_, at) =>
        view({ projectId, day: active, visitor: BigInt(9_100 + at), moment: 61 + i, path }),
      ),
    ]);
    expect(await store.countViews(views, [], counters)).toEqual([]);
    const { reports } = await get<{ reports: Listed[] }>('filters');
    takingPages = reports.filter(
      ({ filters, combined }) =>
        filters.some((names) => names.join() === 'path') || combined.includes('path'),
    );
  });

  test('have of a section their rows of its pages', async () => {
    const withRows = [];
    for (const { report } of takingPages) {
      const [all, some] = [await asks(report, ''), await asks(report, 'path=/docs/**')];
      if (!rowsOf(all).some((row) => 'path' in row)) continue;
      const wanted = rowsOf(all).filter(({ path }) => inDocs.test(path));
      expect([report, rowsOf(some)]).toEqual([report, wanted]);
      const others = rowsOf(await asks(report, 'path=!/docs/**|/blog/**')).map(({ path }) => path);
      expect([report, others.filter((path) => /^\/(docs|blog)/.test(path))]).toEqual([report, []]);
      if (wanted.length > 0 && wanted.length < rowsOf(all).length) withRows.push(report);
    }
    expect(withRows.sort()).toEqual([
      ...['ai-clients/{client}/paths', 'ai-cut-off', 'ai-disallowed', 'ai-failures', 'assistant-landings'],
      ...['entry-pages', 'exit-pages', 'gaps', 'text-fragments', 'time-on-page', 'views', 'visitors'],
    ]);
  });

  test('have the visits that began in a section as their totals', async () => {
    const { totals, pages } = await get<{ totals: Count; pages: Count[] }>('entry-pages?path=/docs/**');
    expect(totals.total).toBe(pages.reduce((sum, { total }) => sum + total, 0));
    const { totals: all } = await get<{ totals: Count }>('entry-pages');
    expect([totals.total > 0, totals.total < all.total]).toEqual([true, true]);
  });

  test('have of all pages what they have without a filter', async () => {
    for (const { report } of takingPages)
      expect([report, await asks(report, 'path=/**')]).toEqual([report, await asks(report, '')]);
  });
});

test('parts of the site are suggested that are no sections yet', async () => {
  const suggested = async () => (await get<{ suggestions: object[] }>('section-suggestions')).suggestions;
  expect(await suggested()).toEqual([]);
  await declare(['/blog/** Posts']);
  expect(await suggested()).toEqual([
    { path: '/docs/**', name: 'Docs', pages: 5, views: 24 },
    { path: '/docs/api/**', name: 'Docs / Api', pages: 2, views: 9 },
  ]);
});

test.each([
  ['sections', '/** Part', 'The section "/** Part" names /**, which is of every page.'],
  [
    ...['sections', '/dosc/** Part'],
    'The section "/dosc/** Part" names /dosc/**, which is of no page that was counted so far.',
  ],
  ['sections', '/blog/** Part', undefined],
  ['goals', '/**', 'The goal "/**" names /**, which is of every page.'],
  ['goals', '/dosc/*', 'The goal "/dosc/*" names /dosc/*, which is of no page that was counted so far.'],
  ['goals', '/docs/*', undefined],
  [
    ...['goals', 'https://example.com/docs'],
    'The goal "https://example.com/docs" names https://example.com/docs, which is an address and counts as an event: give the path, such as /docs.',
  ],
  [
    ...['goals', 'Sign*'],
    'The goal "Sign*" names Sign*, which is an event of exactly that name: * is a wildcard only in paths.',
  ],
  ['goals', 'Sign up', undefined],
  [
    ...['funnels', '/docs/* > Sign*'],
    'The funnel "/docs/* > Sign*" names Sign*, which is an event of exactly that name: * is a wildcard only in paths.',
  ],
  ['excludedPaths', '/**', 'The excluded path "/**" names /**, which is of every page.'],
  [
    ...['excludedPaths', '/dosc/**'],
    'The excluded path "/dosc/**" names /dosc/**, which is of no page that was counted so far.',
  ],
  ['excludedPaths', '/docs/**', undefined],
  [
    ...['funnels', '/docs/* > /tahnks'],
    'The funnel "/docs/* > /tahnks" names /tahnks, which is of no page that was counted so far.',
  ],
  ['renamedPaths', '/** /x', 'The rename "/** /x" names /**, which is of every page.'],
  [
    ...['renamedPaths', '/dosc/** /x/**'],
    'The rename "/dosc/** /x/**" names /dosc/**, which is of no page that was counted so far.',
  ],
  ['renamedPaths', '/blog/** /posts/**', undefined],
] as const)(
  'in %s what is too wide or of no page is accepted with a warning: %s',
  async (field, line, warning) => {
    const option = {
      ...{ sections: 'section', goals: 'goal', funnels: 'funnel', renamedPaths: 'rename-path' },
      excludedPaths: 'exclude-path',
    }[field];
    // A rename may also say what names an old path.
    const isOfPatterns = (sentence: string) => sentence.includes('which is ');
    const change = async (lines: readonly string[]) => {
      const response = await fetch(`${headcount.url}/v1/projects/${project.projectId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ [field]: lines }),
      });
      const { warnings = [] } = (await response.json()) as { warnings?: string[] };
      return [response.status, warnings.filter(isOfPatterns)];
    };
    await change([]);
    const warnings = warning === undefined ? [] : [warning];
    expect(await change([line])).toEqual([200, warnings]);
    expect(await change([line])).toEqual([200, []]);
    await change([]);
    let out = '';
    const print = (text: string) => {
      out += text;
    };
    const terminal = terminalOf(headcount, { now: () => today * dayMs + dayMs / 2, print });
    await projectCommand.run(['set', project.projectId, `--${option}`, line], terminal);
    expect(out).toContain(`Project ${project.projectId} was changed.\n`);
    expect(out.split('\n').filter(isOfPatterns)).toEqual(warnings);
    await change([]);
  },
);

test('a new project is made with a warning of what is of every page', async () => {
  const settings = {
    name: 'New',
    goals: ['/**', '/thanks'],
    sections: ['/docs/** Docs'],
    excludedPaths: ['/**'],
  };
  const warnings = [
    'The goal "/**" names /**, which is of every page.',
    'The excluded path "/**" names /**, which is of every page.',
  ];
  const response = await fetch(`${headcount.url}/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${headcount.rootKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect([response.status, await response.json()]).toMatchObject([201, { warnings }]);
  let out = '';
  const print = (text: string) => {
    out += text;
  };
  const terminal = terminalOf(headcount, { now: () => today * dayMs + dayMs / 2, print });
  await projectCommand.run(['add', '--name', 'New', '--goal', '/**', '--exclude-path', '/**'], terminal);
  expect(out.split('\n').filter((line) => line.includes('which is of'))).toEqual(warnings);
});

test('views of pages beyond the limit of new ones are in no section, and the report says how many', async () => {
  const other = view({ projectId: project.projectId, day: active, visitor: 77n, path: '/docs/new' });
  const { store } = headcount.context;
  for (let start = 0; start < 2_100; start += 300) {
    const views = Array.from({ length: 300 }, (_, i) => ({ ...other, path: `/docs/new/${start + i}` }));
    expect(await store.countViews(views, [])).toEqual([]);
  }
  const { cappedViews, sections: rows } = await get<{ cappedViews: number; sections: Count[] }>(
    `sections?${range(active)}`,
  );
  expect(cappedViews).toBe(100);
  expect(rows.at(-1)).toMatchObject({ section: '(other)', human: 2 });
});

test('a glob that is no section has its views, and no visitors of closed days', async () => {
  const { days, unmeasured } = await series(`${range(closed, active)}&path=/docs/{a,api/x}`);
  expect(days.map(({ visitors, views }) => [visitors.total, views.total])).toEqual([
    [null, 5],
    [4, 5],
  ]);
  expect(unmeasured?.message).toMatch(/^Visitors of a section are counted from the day on/);
});

test('has a file of its sections, and one of its days', async () => {
  const csv = async (report: string) => {
    const address = `${headcount.url}/v1/analytics/${project.projectId}/${report}&format=csv`;
    const headers = { authorization: `Bearer ${project.adminKey}` };
    return (await (await fetch(address, { headers })).text()).split('\r\n');
  };
  expect((await csv(`sections?${range(closed)}`)).slice(0, 2)).toEqual([
    '"section","path","human","ai","total","measuredDays","unmeasuredDays"',
    '"Documentation","/docs/**",3,1,4,1,0',
  ]);
  expect((await csv(`series?${range(before, closed)}&path=/docs/**`)).slice(1, 3)).toEqual([
    `"${dateOf(before)}",,1,,6,2,8,4,1,5,6,2,8`,
    `"${dateOf(closed)}",3,1,4,6,2,8,3,1,4,6,2,8`,
  ]);
});

test.each([
  [['docs/** Docs'], 'must be a path or a glob of paths, a space and a name'],
  [['/docs/**'], 'must be a path or a glob of paths, a space and a name'],
  [['/docs/** Docs', '/docs/** More'], 'must name each glob once'],
  [['/docs/** Docs', '/blog/** docs'], 'must give each name once'],
  [['/docs/** (Other)'], 'must have another name: (other) stands for pages in no section'],
  [Array.from({ length: 201 }, (_, i) => `/${i}/** Part ${i}`), 'must be at most 200 sections'],
  [['/+(a|+(b|c)*(d)) Docs'], 'has the glob "/+(a|+(b|c)*(d))", which repeats too much'],
])('bad sections %#', async (lines, message) => {
  const response = await declare(lines);
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toContain(message);
  expect((await series(`${range(closed)}&path=/docs/**`)).totals).toEqual(inDocs);
});
