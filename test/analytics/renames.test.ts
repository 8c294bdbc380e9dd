import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import type { CombinedSeriesReply, Count } from '../../shared/reports/analytics.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { anySalt, openDay, view } from '../support/views.ts';

const dayMs = 24 * 3_600_000;
const days = 8;
const openDays = 2;
const today = Math.floor(Date.UTC(2026, 10, 20) / dayMs);
const dates = Array.from({ length: days }, (_, i) => today - days + 1 + i);
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

let state = 11;
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;

const paths = [
  '/',
  '/old',
  '/older',
  '/new',
  '/docs/v1/a',
  '/docs/v1/b',
  '/docs/a',
  '/docs/v1',
  '/gone?page=2',
];
const renames = [
  ['/old', '/new'],
  ['/older', '/old'],
  ['/docs/v1/**', '/docs/**'],
  ['/gone', '/here'],
] as const;
const nowOf: Readonly<Record<string, string>> = {
  ...{ '/old': '/new', '/older': '/new', '/docs/v1/a': '/docs/a', '/docs/v1/b': '/docs/b' },
  ...{ '/docs/v1': '/docs', '/gone?page=2': '/here?page=2' },
};
const values = {
  country: ['DE', 'AT', 'FR'],
  source: ['google.com', 'ChatGPT', 'news.example'],
  client: ['GPTBot', 'ClaudeBot'],
} as const;
type Name = keyof typeof values | 'path';

const views = dates.flatMap((day) =>
  Array.from({ length: 25 }, (_, visitor) => {
    const country = oneOf(values.country);
    return Array.from({ length: 1 + random(5) }, (_, i): View => {
      const isAi = random(5) === 0;
      return view({
        ...{ day, visitor: BigInt(day * 1000 + visitor), moment: i, path: oneOf(paths), country },
        ...(isAi
          ? { kind: 'ai', client: { name: oneOf(values.client), proof: 'claimed' } }
          : { source: i === 0 ? oneOf(values.source) : null }),
      });
    });
  }).flat(),
);

const valueIn = (view: View, name: Name): string | null => {
  if (name === 'path') return nowOf[view.path] ?? view.path;
  return name === 'client' ? (view.client?.name ?? null) : (view[name] ?? null);
};

function recount(of: readonly View[]): Record<'visitors' | 'views', Count> {
  const count = (some: readonly View[]) => new Set(some.map(({ visitor }) => visitor)).size;
  const [human, ai] = (['human', 'ai'] as const).map((kind) => of.filter((view) => view.kind === kind));
  return {
    visitors: { human: count(human ?? []), ai: count(ai ?? []), total: count(of) },
    views: { human: human?.length ?? 0, ai: ai?.length ?? 0, total: of.length },
  };
}

/** @param isExact there are no bounds */
function expectWithin(count: BoundedCount, truth: Count, about: string, isExact: boolean): void {
  if (isExact) expect([about, count.bounds]).toEqual([about, undefined]);
  for (const kind of ['human', 'ai', 'total'] as const) {
    const { from, to } = count.bounds?.[kind] ?? { from: Number(count[kind]), to: Number(count[kind]) };
    const is = [from <= truth[kind], truth[kind] <= to, from === count[kind]];
    expect([about, kind, from, truth[kind], to, ...is]).toEqual([
      about,
      kind,
      from,
      truth[kind],
      to,
      true,
      true,
      true,
    ]);
  }
}

let headcount: Headcount;
let project: ProjectClient;
const own = (path: string) => `/v1/analytics/${project.projectId}/${path}`;

async function send(method: string, body?: unknown, query = ''): Promise<Response> {
  return fetch(`${headcount.url}${own(`renames${query}`)}`, {
    method,
    headers: { Authorization: `Bearer ${project.adminKey}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const listed = async () =>
  (await project.get<{ renamedPaths: string[] }>(`/v1/projects/${project.projectId}`)).renamedPaths;

async function rename(body: unknown) {
  const response = await send('POST', body);
  expect([body, response.status]).toEqual([body, 201]);
  return (await response.json()) as {
    added: object[];
    pages: number;
    shown: { from: string; to: string }[];
    left: number;
    message: string;
  };
}

async function count(to: ProjectClient, some: readonly View[]): Promise<void> {
  const { store } = headcount.context;
  for (const day of dates) await openDay(store, to.projectId, day, anySalt());
  const all = some.map((view) => ({ ...view, projectId: to.projectId }));
  for (let i = 0; i < all.length; i += 200)
    expect(await store.countViews(all.slice(i, i + 200), [])).toEqual([]);
  await store.seal(to.projectId, today - openDays);
}

beforeAll(async () => {
  headcount = await startHeadcount({ now: () => today * dayMs + dayMs - 3_600_000 });
  project = await headcount.addProject({ sections: ['/docs/** Docs'] });
  await count(project, views);
}, 120_000);
afterAll(() => headcount.stop());

test('a rename is previewed, and says how many pages it is of', async () => {
  const [from, to] = renames[2];
  const planned = await rename({ from, to, dryRun: true });
  expect(planned).toMatchObject({
    pages: 3,
    message: '3 pages would count under another path. Nothing was changed.',
  });
  expect(planned.shown).toContainEqual({ from: '/docs/v1/a', to: '/docs/a' });
  expect(await listed()).toEqual([]);
  for (const [from, to] of renames)
    expect(await rename({ from, to })).toMatchObject({ added: [{ from, to }] });
  const { message, pages } = await rename({ from: '/never/**', to: '/seen/**', dryRun: true });
  expect([pages, message]).toEqual([
    0,
    'No page that was counted has such a path: it is for hits to come. Nothing was changed.',
  ]);
});

test.each([
  ['/new', '/older', 'circle'],
  ['/docs/**', '/docs/v2/**', 'circle'],
  ['/a', '/a/', 'changes nothing'],
  ['/old', '/other', 'counts as /new already'],
  ['/one', '/many/**', 'one page to many'],
  ['old', '/many', 'from must be a path, such as /docs/old, or all below one, such as /docs/v1/**'],
  ['/blog/*', '/news/**', 'from must be a path'],
  ['/blog', 'news', 'to must be a path'],
])('%s is not renamed to %s', async (from, to, sentence) => {
  for (const dryRun of [true, false]) {
    const response = await send('POST', { from, to, dryRun });
    expect([response.status, (await errorOf(response)).error]).toEqual([
      400,
      expect.stringContaining(sentence),
    ]);
  }
});

test('reports join what was counted under several paths, exactly or within bounds', async () => {
  const pages = [...new Set(views.map((view) => valueIn(view, 'path') as string))];
  let bounded = 0;
  for (let i = 0; i < 200; i++) {
    const from = dates[random(days)] as number;
    const to = from + 1 + random(today - from + 1);
    const isOpen = from > today - openDays;
    const ofDays = views.filter(({ day }) => day >= from && day < to);
    const range = `dateFrom=${dateOf(from)}&dateTo=${dateOf(to)}`;
    const page = oneOf(pages);
    const ofPage = ofDays.filter((view) => valueIn(view, 'path') === page);
    const asked = `path=${encodeURIComponent(page)}`;
    const about = `${i} ${range} ${page}`;
    const way = random(7);
    if (way === 0) {
      const series = await project.get<CombinedSeriesReply>(own(`series?${range}&${asked}`));
      expectWithin(series.totals.visitors, recount(ofPage).visitors, about, isOpen);
      expectWithin(series.totals.views, recount(ofPage).views, about, true);
      for (const { date, visitors } of series.days) {
        const ofDay = ofPage.filter(({ day }) => dateOf(day) === date);
        expectWithin(visitors, recount(ofDay).visitors, `${about} ${date}`, isOpen);
        if (visitors.bounds) bounded++;
      }
    } else if (way === 1 || way === 2) {
      const report = way === 1 ? 'visitors' : 'views';
      const only = random(3) === 0 ? oneOf(values.country) : null;
      const reply = await project.get<
        { totals: BoundedCount } & Record<string, (BoundedCount & { path: string })[]>
      >(own(`${report}?${range}&limit=250${only ? `&country=${only}` : ''}`));
      const wanted = ofDays.filter(({ country }) => only === null || country === only);
      const rows = reply[report] ?? [];
      expect([about, rows.map(({ path }) => path).sort()]).toEqual([
        about,
        [...new Set(wanted.map((view) => valueIn(view, 'path')))].sort(),
      ]);
      expect(rows.map(({ total }) => total)).toEqual(
        rows.map(({ total }) => total).sort((a, b) => Number(b) - Number(a)),
      );
      for (const { path, ...row } of rows) {
        const ofRow = wanted.filter((view) => valueIn(view, 'path') === path);
        expectWithin(
          row as BoundedCount,
          recount(ofRow)[report],
          `${report} ${about} ${path}`,
          isOpen || way === 2,
        );
        if (row.bounds) bounded++;
      }
    } else if (way === 3 || way === 4) {
      const [report, by] = way === 3 ? (['countries', 'country'] as const) : (['sources', 'source'] as const);
      const reply = await project.get<
        { totals: BoundedCount } & Record<string, (BoundedCount & Record<string, string>)[]>
      >(own(`${report}?${range}&${asked}`));
      expectWithin(reply.totals, recount(ofPage).visitors, `${report} ${about}`, isOpen);
      const rows = reply[report] ?? [];
      expect([about, rows.map((row) => row[by]).sort()]).toEqual([
        about,
        [...new Set(ofPage.flatMap((view) => valueIn(view, by) ?? []))].sort(),
      ]);
      for (const row of rows) {
        const ofRow = ofPage.filter((view) => valueIn(view, by) === row[by]);
        expectWithin(row, recount(ofRow).visitors, `${report} ${about} ${row[by]}`, isOpen);
      }
    } else if (way === 5) {
      const client = oneOf(values.client);
      const { paths: rows } = await project.get<{
        paths: {
          path: string;
          visitors: number;
          views: number;
          bounds?: { visitors: { from: number; to: number } };
        }[];
      }>(own(`ai-clients/${client}/paths?${range}`));
      const ofClient = ofDays.filter((view) => valueIn(view, 'client') === client);
      expect([about, rows.map(({ path }) => path).sort()]).toEqual([
        about,
        [...new Set(ofClient.map((view) => valueIn(view, 'path')))].sort(),
      ]);
      for (const { path, visitors, views, bounds } of rows) {
        const truth = recount(ofClient.filter((view) => valueIn(view, 'path') === path));
        expect([about, path, views]).toEqual([about, path, truth.views.ai]);
        const { from, to } = bounds?.visitors ?? { from: visitors, to: visitors };
        expect([about, path, from === visitors, from <= truth.visitors.ai, truth.visitors.ai <= to]).toEqual([
          ...[about, path, true, true, true],
        ]);
        if (isOpen) expect(bounds).toBeUndefined();
      }
    } else {
      const reply = await project.get<{
        totals: BoundedCount;
        aiClients?: unknown;
        clients: {
          client: string;
          visitors: number;
          views: number;
          bounds?: Record<'visitors' | 'views', { from: number; to: number }>;
        }[];
      }>(own(`ai-clients?${range}&${asked}`));
      for (const { client, visitors, views, bounds } of reply.clients) {
        const truth = recount(ofPage.filter((view) => valueIn(view, 'client') === client));
        expect([about, client, views]).toEqual([about, client, truth.views.ai]);
        const { from, to } = bounds?.visitors ?? { from: visitors, to: visitors };
        expect([about, client, from <= truth.visitors.ai, truth.visitors.ai <= to]).toEqual([
          about,
          client,
          true,
          true,
        ]);
      }
    }
  }
  expect(bounded).toBeGreaterThan(20);
}, 300_000);

test('pages that visits began with add up under the new path, of all days', async () => {
  const read = (query: string) =>
    project.get<{ totals: Count; pages: (Count & { path: string })[] }>(own(`entry-pages?limit=250${query}`));
  const { pages } = await read('');
  for (const kind of ['human', 'ai'] as const) {
    const first = new Map<bigint, View>();
    for (const view of views)
      if (view.kind === kind && !first.has(view.visitor)) first.set(view.visitor, view);
    const truth = Object.groupBy([...first.values()], (view) => valueIn(view, 'path') as string);
    expect(pages.flatMap(({ path, [kind]: count }) => (count > 0 ? [[path, count]] : [])).sort()).toEqual(
      Object.entries(truth)
        .map(([path, some]) => [path, some?.length])
        .sort(),
    );
  }
  const one = await read('&path=/new');
  const ofNew = pages.find(({ path }) => path === '/new');
  expect([one.totals.human, one.pages]).toEqual([ofNew?.human, [ofNew]]);
});

test.each(['entry-pages', 'exit-pages', 'assistant-landings', 'ai-clients/GPTBot/paths'])(
  '%s of a section have the pages that are in it now',
  async (report) => {
    const read = async (query: string) => {
      const reply = await project.get<Record<string, { path: string }[]>>(own(`${report}?limit=250${query}`));
      return Object.values(reply).find(Array.isArray) ?? [];
    };
    const all = await read('');
    const inDocs = all.filter(({ path }) => /^\/docs(\/|$)/.test(path));
    expect([inDocs.length > 1, inDocs.length < all.length]).toEqual([true, true]);
    expect(await read('&path=/docs/**')).toEqual(inDocs);
    expect(await read('&path=!/docs/**')).toEqual(all.filter((row) => !inDocs.includes(row)));
    expect(await read('&path=/docs/v1/**')).toEqual(inDocs);
    expect(await read('&path=!/docs/v1/**')).toEqual(all.filter((row) => !inDocs.includes(row)));
  },
);

test('goals that are made later have who reached the pages that they are of now, or are not measured', async () => {
  const isOf: Record<string, (path: string) => boolean> = {
    '/docs/**': (path) => /^\/docs(\/|$)/.test(path),
    '/docs/v1/**': (path) => /^\/docs(\/|$)/.test(path),
    '/{older,gone?page=2}': (path) => path === '/new' || path === '/here?page=2',
    '/new': (path) => path === '/new',
    '/old': (path) => path === '/new',
    '/{new,here?page=2}': (path) => path === '/new' || path === '/here?page=2',
    '/docs/?': (path) => /^\/docs\/.$/.test(path),
    '/**': () => true,
  };
  await fetch(`${headcount.url}/v1/projects/${project.projectId}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${project.adminKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ goals: Object.keys(isOf) }),
  });
  const unmeasured = new Map<string, number>();
  for (const day of dates) {
    const { goals } = await project.get<{
      goals: { goal: string; people: number | null; conversions: number | null; measuredDays: number }[];
    }>(own(`goals?dateFrom=${dateOf(day)}&dateTo=${dateOf(day + 1)}`));
    const people = views.filter((view) => view.day === day && view.kind === 'human');
    for (const { goal, measuredDays, ...counts } of goals) {
      const reached = people.filter((view) => isOf[goal]?.(valueIn(view, 'path') ?? ''));
      const truth = { people: recount(people).visitors.human, conversions: recount(reached).visitors.human };
      const isMeasured = measuredDays === 1;
      if (!isMeasured) unmeasured.set(goal, (unmeasured.get(goal) ?? 0) + 1);
      expect({ day, goal, ...counts }).toMatchObject(
        isMeasured ? truth : { people: null, conversions: null },
      );
      expect([goal, day, isMeasured || day <= today - openDays]).toEqual([goal, day, true]);
    }
  }
  // As a section and of all pages: always known.
  expect([...unmeasured.keys()].sort()).toEqual([
    ...['/docs/?', '/docs/v1/**', '/new', '/old', '/{new,here?page=2}', '/{older,gone?page=2}'],
  ]);
});

test('what was asked for is found by the path that its page has now, and keeps its own', async () => {
  const groups = { 'ai-failures': 'GPTBot\t404', 'ai-disallowed': 'GPTBot', 'ai-cut-off': 'GPTBot' } as const;
  const asked = ['/old', '/new', '/docs/v1/a', '/docs/b', '/prices'];
  const counters = Object.entries({ ...groups, 'text-fragments': 'google.com\tTwo cups' }).flatMap(
    ([name, group]) =>
      asked.map((path) => ({
        ...{ projectId: project.projectId, day: today, hits: 3, amount: 3 },
        ...{ counter: name as 'text-fragments', group, name: path },
      })),
  );
  expect(await headcount.context.store.countViews([], [], counters)).toEqual([]);
  const found = async (report: string, path: string) => {
    const reply = await project.get<Record<string, { path: string }[]>>(own(`${report}?path=${path}`));
    return (Object.values(reply).find(Array.isArray) ?? []).map((row) => row.path).sort();
  };
  for (const report of [...Object.keys(groups), 'text-fragments']) {
    for (const path of ['/new', '/old', '/older', '/new|/old'])
      expect([report, path, await found(report, path)]).toEqual([report, path, ['/new', '/old']]);
    for (const path of ['/docs/**', '/docs/v1/**', '/docs/a|/docs/b'])
      expect([report, path, await found(report, path)]).toEqual([report, path, ['/docs/b', '/docs/v1/a']]);
    expect(await found(report, '!/new')).toEqual(['/docs/b', '/docs/v1/a', '/prices']);
  }
});

test('the old path is answered with the page that it is now, and CSV has bounds', async () => {
  const ask = (path: string) => project.get<CombinedSeriesReply>(own(`series?path=${path}`));
  expect((await ask('/older')).totals).toEqual((await ask('/new')).totals);
  const response = await fetch(`${headcount.url}${own('visitors?format=csv')}`, {
    headers: { Authorization: `Bearer ${project.adminKey}` },
  });
  const [head, ...lines] = (await response.text()).trim().split('\r\n');
  expect(head).toBe('"path","human","ai","total","humanAtMost","aiAtMost","totalAtMost"');
  expect(lines.some((line) => line.startsWith('"/new",'))).toBe(true);
});

test('a section counts the pages that it has now on active days', async () => {
  const range = `dateFrom=${dateOf(today)}`;
  const { sections } = await project.get<{ sections: { section: string; total: number }[] }>(
    own(`sections?${range}`),
  );
  const inDocs = views.filter((view) => view.day === today && /^\/docs/.test(valueIn(view, 'path') ?? ''));
  expect(sections.find(({ section }) => section === 'Docs')?.total).toBe(recount(inDocs).visitors.total);
});

test('new hits count under the new path, and stay there when it is undone', async () => {
  const fresh = await headcount.addProject();
  const before = project;
  project = fresh;
  try {
    await fresh.hit({ u: 'https://example.com/then' });
    await rename({ from: '/then', to: '/now' });
    await fresh.hit({ u: 'https://example.com/then' });
    const sent = { url: 'https://example.com/then', ip: '192.0.2.9', userAgent: 'GPTBot/1.2' };
    expect((await fresh.hits([sent])).status).toBe(202);
    expect(await fresh.views()).toMatchObject({ '/now': { human: 2, ai: 1, total: 3 } });
    expect(await fresh.visitors()).toEqual({ '/now': { human: 1, ai: 1, total: 2 } });
    expect((await send('DELETE', undefined, '?from=/now')).status).toBe(400);
    expect(await (await send('DELETE', undefined, '?from=/then')).json()).toEqual({ renames: [] });
    expect(await fresh.views()).toEqual({
      '/now': { human: 1, ai: 1, total: 2 },
      '/then': { human: 1, ai: 0, total: 1 },
    });
  } finally {
    project = before;
  }
});

test('the pages of a site are looked up once for a rename', async () => {
  const own = await headcount.addProject({ goals: ['/thanks'] });
  const { store } = headcount.context;
  const list = store.listPaths;
  let times = 0;
  store.listPaths = (...args) => {
    times++;
    return list(...args);
  };
  onTestFinished(() => {
    store.listPaths = list;
  });
  const response = await fetch(`${headcount.url}/v1/analytics/${own.projectId}/renames`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: '/thanks', to: '/done' }),
  });
  expect([response.status, times]).toEqual([201, 1]);
  expect(await response.json()).toMatchObject({
    warnings: ['The goal "/thanks" names /thanks, which counts as /done: it is of all views of /done now.'],
  });
});

test('redirects of a site become renames', async () => {
  const before = project;
  project = await headcount.addProject();
  try {
    const redirects = `# moved
/a /b 301
/blog/* /news/:splat
/api/* https://api.example/:splat 200
/de /deutsch 302 Country=de
/cat/:id /dog/:id`;
    expect(await rename({ redirects })).toMatchObject({
      ...{ left: 3 },
      added: [
        { from: '/a', to: '/b' },
        { from: '/blog/**', to: '/news/**' },
      ],
    });
    const docs = {
      redirects: [
        { source: '/guide/:slug*', destination: '/docs/:slug*' },
        { source: '/a', destination: '/b' },
      ],
    };
    expect(await rename({ redirects: JSON.stringify(docs) })).toMatchObject({
      ...{ left: 1, added: [{ from: '/guide/**', to: '/docs/**' }] },
    });
    expect(await listed()).toEqual(['/a /b', '/blog/** /news/**', '/guide/** /docs/**']);
    expect(await rename({ redirects: '# none yet\n' })).toMatchObject({ added: [], left: 0 });
    for (const broken of [
      '{"redirects": [',
      '{"redirects": {"source": "/a"}}',
      'redirects:\n  - source: /a\n destination: [',
      '[[redirects]]\nfrom = /a',
      'redirects: ./redirects.yml',
      '<!doctype html>\n<p>Moved</p>',
      'plugins:\n  - redirects:\n      redirect_maps: [a]',
      `a: &a {}\nb: [${'*a, '.repeat(100)}]\nredirects:\n  old: new.md`,
    ]) {
      const response = await send('POST', { redirects: broken });
      expect([response.status, (await errorOf(response)).error]).toEqual([
        400,
        expect.stringContaining('no JSON with a list `redirects`'),
      ]);
    }
  } finally {
    project = before;
  }
});

test.each([
  [
    'netlify.toml',
    `[build]
command = "make"
[[redirects]]
  from = "/old/*"
  to = "/new/:splat"
  force = true
[[redirects]]
  from = "/de"
  to = "/deutsch"
  status = 302
  conditions = { Country = ["de"] }
[[redirects]]
  from = "/api/*"
  to = "https://api.example/:splat"
  status = 200`,
    ['/old/** /new/**'],
    2,
  ],
  [
    'vercel.json',
    JSON.stringify({
      redirects: [
        { source: '/old/(.*)', destination: '/new/$1', permanent: true },
        { source: '/a', destination: '/b', statusCode: 308 },
        { source: '/c', destination: '/d', has: [{ type: 'cookie', key: 'session' }] },
        { source: '/(x|y)', destination: '/z' },
      ],
    }),
    ['/old/** /new/**', '/a /b'],
    2,
  ],
  [
    'mkdocs.yml',
    `site_name: Guide
site_url: https://guide.example/en/
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
plugins:
  - search
  - redirects:
      redirect_maps:
        start.md: guide/index.md
        'old/page.md': new/page.md
        gone.md: https://other.example/`,
    ['/en/start /en/guide', '/en/old/page /en/new/page'],
    1,
  ],
  [
    '.gitbook.yaml',
    'root: ./docs\nredirects:\n  help: support.md\n  a/b: c/README.md',
    ['/help /support', '/a/b /c'],
    0,
  ],
  [
    'docs.yml',
    'redirects:\n  - source: /old\n    destination: /new\n  - source: /x\n    destination: //other.example/x',
    ['/old /new'],
    1,
  ],
  [
    'mkdocs.yml without folders',
    `site_url: https://guide.example/en/
use_directory_urls: false
plugins:
  - redirects:
      redirect_maps:
        start.md: guide/index.md
        old/README.md: new/page.md`,
    ['/en/start.html /en/guide/index.html', '/en/old/index.html /en/new/page.html'],
    0,
  ],
  [
    'redocly.yaml with wildcards',
    "redirects:\n  '/old/*':\n    to: /new/*\n  '/blog/*':\n    to: /news\n  '/*/x':\n    to: /y/*",
    ['/old/** /new/**', '/blog/** /news'],
    1,
  ],
  ['redocly.yaml', "redirects:\n  '/old':\n    to: /new\n    type: 301\n  /none: null", ['/old /new'], 1],
  [
    'redirects.json',
    '[{"from": "/old", "to": "/new"}, null, {"from": "/{x}", "to": "/y"}]',
    ['/old /new'],
    2,
  ],
  ['an empty list', 'redirects:', [], 0],
])('redirects of %s become renames', async (_, redirects, lines, left) => {
  const before = project;
  project = await headcount.addProject();
  try {
    expect(await rename({ redirects })).toMatchObject({ left });
    expect(await listed()).toEqual(lines);
  } finally {
    project = before;
  }
});

test('goals, funnels, sections and views that name an old path alone are named, before and after', async () => {
  const own = await headcount.addProject({
    goals: ['/thanks', '/shop/**', 'Order'],
    funnels: ['/cart > /thanks'],
    sections: ['/shop/** Shop', '/s/** All'],
  });
  const headers = { Authorization: `Bearer ${own.adminKey}`, 'Content-Type': 'application/json' };
  const post = async (path: string, body: unknown, method = 'POST') => {
    const response = await fetch(headcount.url + path, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as { warnings?: string[] };
  };
  const { store } = headcount.context;
  const saved = { page: 'overview', range: '7d', compare: 'none', measure: 'views', createdAt: 1 } as const;
  const filters = { One: '/shop/a', Globs: '!/x/**|/shop/*', Other: '/other/**' };
  for (const [name, path] of Object.entries(filters))
    await store.callAudited(
      'savedViews',
      'setSavedView',
      [own.projectId, { ...saved, id: name, name, filter: { path } }, true],
      [],
    );
  const renames = `/v1/analytics/${own.projectId}/renames`;
  const folder = { from: '/shop/**', to: '/s/**' };
  const warnings = [
    'The goal "/shop/**" names /shop/page, which counts as /s/page: it is of all views of /s/page now.',
    'The section "/shop/** Shop" names /shop/page, which counts as /s/page: it is of all views of /s/page now.',
    'The view "Globs" names /shop/page, which counts as /s/page: it is of all views of /s/page now.',
  ];
  expect((await post(renames, { ...folder, dryRun: true })).warnings).toEqual(warnings);
  expect((await post(renames, folder)).warnings).toEqual(warnings);
  const renamedPaths = ['/shop/** /s/**', '/thanks /done'];
  const change = await post(`/v1/projects/${own.projectId}`, { renamedPaths }, 'PATCH');
  expect(change.warnings).toEqual([
    'The goal "/thanks" names /thanks, which counts as /done: it is of all views of /done now.',
    'The funnel "/cart > /thanks" names /thanks, which counts as /done: it is of all views of /done now.',
  ]);
  expect((await post(renames, { from: '/a', to: '/b' })).warnings).toEqual([]);
});
