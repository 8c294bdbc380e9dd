import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { Count, FiltersReply, SeriesReply } from '../../shared/reports/analytics.ts';
import { filterNames } from '../../shared/reports/pairs.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf } from '../support/headcount.ts';
import { agents, type CountedSite, count, startCountedSite } from '../support/sites/counted-site.ts';

let { headcount, read, get } = {} as CountedSite;
const direct = '(direct)';

beforeAll(async () => {
  ({ headcount, read, get } = await startCountedSite());
  // Of reports of a goal.
  await headcount.ask('PATCH /v1/projects/{projectId}', {
    path: { projectId: headcount.projectId },
    body: { goals: ['GPTBot', 'x'] },
  });
  const hit = (path: string, ip: string, referrer: string) => ({
    url: `https://example.com${path}`,
    ip,
    userAgent: agents.human,
    referrer,
  });
  const response = await headcount.hits([
    hit('/docs', '192.0.2.1', 'https://chatgpt.com/'),
    hit('/docs', '192.0.2.2', 'https://chatgpt.com/c/1'),
    hit('/api', '192.0.2.2', 'https://example.com/docs'),
    hit('/api', '192.0.2.3', 'https://www.perplexity.ai/search'),
    hit('/docs', '192.0.2.3', 'https://news.example/'),
  ]);
  expect(await response.json()).toMatchObject({ accepted: 5 });
});
afterAll(() => headcount.stop());

/** All reports of counts that the description of the API names, and what `filters` says of each. */
async function reports(): Promise<FiltersReply['reports']> {
  const { paths } = await headcount.get<{ paths: Record<string, object> }>('/openapi.json');
  const byReport = new Map((await read<FiltersReply>('filters')).reports.map((row) => [row.report, row]));
  const base = '/v1/analytics/{projectId}/';
  return Object.keys(paths)
    .filter((path) => path.startsWith(base) && 'get' in (paths[path] ?? {}))
    .map((path) => path.slice(base.length))
    .filter((report) => !['filters', 'ai-rules', 'export'].includes(report))
    .map((report) => ({ report, filters: [], combined: [], ...byReport.get(report) }));
}

/** All names alone and together with a page, and some pairs without one. */
const sets: string[][] = [
  ...filterNames.map((name) => [name]),
  ...filterNames.slice(1).map((name) => ['path', name]),
  ...[
    ['source', 'country'],
    ['client', 'device'],
    ['client', 'source'],
    ['path', 'source', 'country'],
  ],
];

const addressOf = (report: string, set: readonly string[]) =>
  `${report.replace(/{\w+}/, 'GPTBot')}?${set.map((name) => `${name}=${name === 'channel' ? 'mail' : 'x'}`).join('&')}`;

test('every report takes each filter that `filters` lists, and rejects every other in words', async () => {
  const known = await reports();
  expect(known.length).toBeGreaterThan(30);
  const isSame = (a: readonly string[], b: readonly string[]) =>
    String(a.toSorted()) === String(b.toSorted());
  for (const { report, filters, combined } of known) {
    for (const set of sets) {
      const response = await get(addressOf(report, set));
      const isTaken =
        filters.some((filter) => isSame(filter, set)) || set.every((name) => combined.includes(name));
      expect([report, set, response.status]).toEqual([report, set, isTaken ? 200 : 400]);
      if (isTaken) expect(JSON.stringify(await response.json())).not.toMatch(/"(total|views)":[1-9]/);
      else {
        expect((await errorOf(response)).error).toMatch(/ has no filter "| cannot be filtered by /);
      }
    }
  }
});

test('no report passes over a name that limits another one', async () => {
  const taken = {
    ...{ operators: 'operator', gaps: 'kind', worklist: 'kind' },
    ...{ 'search-engines': 'tool', 'search-names': 'tool' },
  };
  const others = [
    ...['operator', 'kind', 'tool', 'purpose', 'proof', 'campaign', 'event', 'goal', 'assistant'],
    ...['status', 'form', 'network', 'passage', 'property', 'reason', 'family', 'result', 'way'],
  ];
  for (const { report } of await reports()) {
    for (const name of others) {
      if (Reflect.get(taken, report) === name) continue;
      const noun = name === 'campaign' ? 'parameter' : 'filter';
      const error = await errorOf(await get(addressOf(report, [name])));
      expect([report, name, error.error]).toEqual([
        ...[report, name],
        expect.stringContaining(`"${report}" has no ${noun} "${name}"`),
      ]);
    }
  }
  expect((await errorOf(await get('visitors?campaign=spring'))).error).toContain(
    'Reports with "utmCampaign": visitors, views, sources, countries, regions, languages, devices, browsers, systems, screens, utm-campaigns, utm-sources, utm-mediums, refs, channels, ai-clients, series, export.',
  );
  expect((await errorOf(await get('visitors?operator=OpenAI'))).error).toContain(
    'Reports with "operator": operators.',
  );
  expect((await get('operators?operator=OpenAI')).status).toBe(200);
});

test('every report takes the search that the description tells of, and refuses any other', async () => {
  const { paths } = await headcount.get<{
    paths: Record<string, { get?: { parameters?: { name: string }[] } }>;
  }>('/openapi.json');
  for (const { report } of await reports()) {
    const { parameters = [] } = paths[`/v1/analytics/{projectId}/${report}`]?.get ?? {};
    const isTaken = parameters.some(({ name }) => name === 'search');
    const response = await get(`${addressOf(report, [])}search=nothing-is-called-so`);
    expect([report, response.status]).toEqual([report, isTaken ? 200 : 400]);
    if (isTaken) expect(Object.values(await response.json()).find(Array.isArray)).toEqual([]);
    else expect((await errorOf(response)).error).toContain(`"${report}" has no parameter "search".`);
  }
  // Programs that leave it empty ask for all.
  expect((await get('dropped?search=')).status).toBe(200);
});

test('an unknown parameter of a report is rejected with the nearest, on every route that has reports', async () => {
  const { paths } = await headcount.get<{
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
  }>('/openapi.json');
  const dashboard = await openDashboard(headcount);
  const links = `/v1/admin/projects/${headcount.projectId}/links`;
  const link = await dashboard.must<LinkReply>('POST', links, { kind: 'page' });
  const token = new URL(link.url).pathname.split('/').at(-1) ?? '';
  const addresses = Object.entries(paths).flatMap(([path, methods]) => {
    const isReport = /^\/v1\/(analytics|share\/{token}\/)/.test(path) && methods.get;
    return isReport ? [{ path, names: (methods.get?.parameters ?? []).map(({ name }) => name) }] : [];
  });
  expect(addresses.length).toBeGreaterThan(70);
  const headers = { authorization: `Bearer ${headcount.adminKey}` };
  for (const { path, names } of addresses) {
    const address = path
      .replace('{projectId}', headcount.projectId)
      .replace('{token}', token)
      .replace(/{\w+}/, 'x');
    const ask = (query: string) => fetch(`${headcount.url}${address}?${query}`, { headers });
    // Read to its end, as only so many files are made at once.
    const statusOf = async (query: string) => {
      const response = await ask(query);
      await response.arrayBuffer();
      return response.status;
    };
    for (const query of ['from=banana', 'form=1', 'foo=1', 'limit[]=2', 'format=csv&from=yesterday']) {
      if (query.startsWith('format') && !names.includes('format')) continue;
      const response = await ask(query);
      expect([path, query, response.status]).toEqual([path, query, 400]);
      const { error, details } = await errorOf(response);
      expect(error).toMatch(/has no (filter|parameter) "(from|form|foo|limit\[\])"/);
      expect(details?.[0]?.path).toMatch(/^(from|form|foo|limit\[\])$/);
      if (query.includes('from') && names.includes('dateFrom')) {
        expect(error).toContain('did you mean "dateFrom"?');
        expect(error).toMatch(/Available: .*dateFrom, dateTo/);
      }
    }
    // Other things may be wrong with these addresses, such as a change that there is not, but not an ignored name.
    for (const ignored of ['_=1732000000', '_ga=x', '__proto__=1']) {
      expect([path, ignored, await statusOf(ignored)]).toEqual([path, ignored, await statusOf('')]);
    }
  }
});

test('names the parameter that is meant', async () => {
  const meant = {
    ...{ from: 'dateFrom', to: 'dateTo', date_from: 'dateFrom', DATEFROM: 'dateFrom', dateForm: 'dateFrom' },
    ...{ since: 'dateFrom', until: 'dateTo', start_date: 'dateFrom', limt: 'limit', ofset: 'offset' },
    ...{ contry: 'country', referrer: 'source', Path: 'path' },
  };
  for (const [name, nearest] of Object.entries(meant)) {
    const { error } = await errorOf(await get(`visitors?${name}=x`));
    expect([name, error]).toEqual([name, expect.stringContaining(`"${name}"; did you mean "${nearest}"?`)]);
  }
  const { error } = await errorOf(await get(`visitors?${'x'.repeat(2000)}=1&%00=1&a=1&b=1&c=1&d=1&e=1`));
  expect(error.length).toBeLessThan(1000);
  expect(error).not.toContain('did you mean');
  expect((await errorOf(await get('visitors?limit=1&limit=2'))).error).toContain('must be given only once.');
  expect((await errorOf(await get('visitors?country=DE&country=AT'))).error).toContain(
    'country must be given only once: several values are written a|b.',
  );
  // Elsewhere they are ignored.
  const headers = { authorization: `Bearer ${headcount.adminKey}` };
  expect((await fetch(`${headcount.url}/v1/projects?from=x`, { headers })).status).toBe(200);
});

test('all projects at a glance refuse every filter, as their numbers are of whole sites', async () => {
  const headers = { authorization: `Bearer ${headcount.adminKey}` };
  for (const name of [...filterNames, 'operator', 'campaign']) {
    const response = await fetch(`${headcount.url}/v1/analytics?${name}=x`, { headers });
    expect([name, response.status]).toEqual([name, 400]);
    expect((await errorOf(response)).error).toMatch(
      new RegExp(`"all projects" has no (filter|parameter) "${name}"`),
    );
  }
});

test('a refusal says what the report can be limited to, and which others can tell', async () => {
  const response = await get('cities?path=/docs');
  expect(await response.json()).toEqual({
    error:
      'The query is not valid: "cities" has no filter "path". Available: city, dateFrom, dateTo, limit, offset, search, sort, format. Reports with "path": visitors, views, sources, countries, regions, languages, devices, browsers, systems, screens, utm-campaigns, utm-sources, utm-mediums, refs, channels, ai-clients, ai-clients/{client}/paths, assistant-landings, entry-pages, exit-pages, time-on-page, ai-failures, ai-files, ai-disallowed, ai-cut-off, text-fragments, series, gaps, export, freshness.',
    details: [{ message: 'is unknown.', path: 'path' }],
  });
  expect((await errorOf(await get('now?country=DE'))).error).toBe(
    'The query is not valid: "now" has no filter "country". It has no parameters. Reports with "country": visitors, views, sources, countries, regions, languages, devices, browsers, systems, screens, utm-campaigns, utm-sources, utm-mediums, refs, channels, ai-clients, series, export.',
  );
  expect((await errorOf(await get('assistant-landings?source=x|y&path=/docs|/api'))).error).toBe(
    'The query is not valid: "assistant-landings" takes one value of source. Reports that take several: visitors, views, sources, countries, regions, languages, devices, browsers, systems, screens, utm-campaigns, utm-sources, utm-mediums, refs, channels, ai-clients, series.',
  );
});

test('reports of a page, a source, or both are of these alone', async () => {
  const rows = async (report: string, name: string, query: string) => {
    const reply = await read<{ totals: Count } & Record<string, (Count & Record<string, string>)[]>>(
      `${report}?${query}`,
    );
    const list = (reply[report] ?? []) as (Count & Record<string, string>)[];
    return { totals: reply.totals, rows: list.map(({ human, ai, total, ...row }) => [row[name], human, ai]) };
  };
  expect(await rows('sources', 'source', 'path=/docs')).toEqual({
    totals: count(9, 2),
    rows: [
      [direct, 6, 2],
      ['ChatGPT', 2, 0],
      ['news.example', 1, 0],
    ],
  });
  expect(await rows('visitors', 'path', 'source=ChatGPT')).toEqual({
    totals: count(2, 0),
    rows: [['/docs', 2, 0]],
  });
  expect(await rows('views', 'path', 'source=ChatGPT&path=/docs')).toEqual({
    totals: count(2, 0),
    rows: [['/docs', 2, 0]],
  });
  expect(await rows('views', 'path', 'path=/docs')).toEqual({
    totals: count(14, 2),
    rows: [['/docs', 14, 2]],
  });
  expect(await rows('visitors', 'path', 'client=GPTBot&sort=ai')).toMatchObject({
    totals: count(0, 5),
    rows: [
      ['/api', 0, 4],
      ['/docs', 0, 2],
      ['/docs/caf%C3%A9-2', 0, 1],
    ],
  });
  const { totals } = await read<SeriesReply>('series?source=Perplexity&path=/api');
  expect(totals).toEqual({ visitors: count(1, 0), views: count(1, 0) });
  expect((await read<SeriesReply>('series?device=desktop')).totals.views.human).toBeGreaterThan(0);
});

test('the AI clients of a page are told without their proofs, which are not kept by page', async () => {
  expect(await read('ai-clients?path=/api')).toMatchObject({
    clients: [
      { client: 'GPTBot', operator: 'OpenAI', purpose: 'training', proof: null, visitors: 4, views: 4 },
    ],
    hasMore: false,
  });
  expect(await read('ai-clients?client=ClaudeBot')).toMatchObject({
    clients: [{ client: 'ClaudeBot', proof: expect.any(String), visitors: 1, views: 3 }],
  });
});

test('pages to which assistants sent people are told by assistant, as rows and as a file', async () => {
  const first = { assistant: 'ChatGPT', path: '/docs', visitors: 2, views: 2 };
  const second = { assistant: 'Perplexity', path: '/api', visitors: 1, views: 1 };
  expect(await read('assistant-landings')).toEqual({
    landings: [first, second],
    hasMore: false,
    measured: expect.anything(),
  });
  expect(await read('assistant-landings?source=Perplexity')).toMatchObject({ landings: [second] });
  expect(await read('assistant-landings?path=/docs')).toMatchObject({ landings: [first] });
  // A source that is no assistant has none.
  expect(await read('assistant-landings?source=news.example')).toMatchObject({ landings: [] });
  expect(await (await get('assistant-landings?format=csv&limit=1')).text()).toBe(
    '"assistant","path","visitors","views"\r\n"ChatGPT","/docs",2,2\r\n"Perplexity","/api",1,1\r\n',
  );
});

test('hours are those of yesterday and today so far, and add up to the days', async () => {
  const { now, days } = await read<{
    now: object;
    days: { date: string; hours: { hour: number; visitors: Count; views: Count }[] }[];
  }>('hours');
  expect(now).toEqual({ date: '2026-11-20', hour: 10 });
  expect(days.map(({ date, hours }) => [date, hours.length])).toEqual([
    ['2026-11-19', 24],
    ['2026-11-20', 11],
  ]);
  const { totals } = await read<SeriesReply>('series?dateFrom=2026-11-20');
  expect(days[1]?.hours[10]).toEqual({ hour: 10, ...totals });
  expect(days[1]?.hours[9]).toEqual({ hour: 9, visitors: count(0, 0), views: count(0, 0) });
  const file = await (await get('hours?format=csv')).text();
  expect(file.split('\r\n')).toHaveLength(1 + 24 + 11 + 1);
});
