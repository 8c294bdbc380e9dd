import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { ExclusionHelpReply, ExclusionPreviewReply } from '../../shared/project/project-change.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import { runHere } from '../support/commands/command.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';
import { makeMmdb } from '../support/places/mmdb.ts';
import { anySalt, openDay, view } from '../support/views.ts';

const newFolder = temporaryFolders();
const cloud = '52.1.2.3';
const german = '91.0.0.7';
const home = '198.51.100.9';
const monitor = 'Mozilla/5.0 (X11; Linux x86_64; UptimeRobotic/2) Gecko/20100101 Firefox/145.0';

let run: ImportRun;
let headcount: Headcount;

beforeAll(async () => {
  const file = join(await newFolder(), 'networks.mmdb');
  const networks = {
    '52.0.0.0/11': { asn: 'AS14618', as_name: 'AMAZON-AES' },
    '91.0.0.0/10': { asn: 'AS3320', as_name: 'DTAG' },
  };
  await writeFile(file, makeMmdb(networks, 24));
  run = await startImport({}, Date.now, { HEADCOUNT_ASN_DATABASE: file });
  headcount = run.headcount;
});
afterAll(() => run.stop());

interface Sent {
  url: string;
  ip: string;
  userAgent: string;
}

type Way = (project: ProjectClient, hit: Sent) => Promise<string | undefined>;

const reasonIn = ({ headers }: Response) => headers.get('x-headcount-dropped') ?? undefined;
const sender = ({ ip, userAgent }: Sent) => ({ 'x-forwarded-for': ip, 'user-agent': userAgent });
let logs = 0;

/** Each answers why the hit was not counted. */
const ways: Record<string, Way> = {
  script: async (project, hit) => {
    const response = await project.hit({ u: hit.url }, sender(hit));
    expect(response.status).toBe(202);
    return reasonIn(response);
  },
  image: async ({ projectId }, hit) => {
    const url = `${headcount.url}/v1/image/${projectId}?u=${encodeURIComponent(hit.url)}`;
    const response = await fetch(url, { headers: sender(hit) });
    expect(response.status).toBe(202);
    return reasonIn(response);
  },
  report: async (project, hit) => {
    const response = await project.hits([hit]);
    expect(response.status).toBe(202);
    return ((await response.json()) as { dropped: { reason: string }[] }).dropped[0]?.reason;
  },
  log: async (project, { url, ip, userAgent }) => {
    const { host, pathname, search } = new URL(url);
    const at = new Date(Date.now() - 40 * 24 * 3_600_000 + logs * 1000).toISOString();
    const line = combined({ at, ip, userAgent, path: pathname + search });
    const file = await run.write(`${logs++}.log`, `${host} ${line}`);
    const args = [
      file,
      '--log-format',
      '$host $remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
    ];
    const { notCounted, counted } = await run.import(args, { project });
    expect(counted.people + counted.ai + Object.values(notCounted).reduce((sum, one) => sum + one, 0)).toBe(
      1,
    );
    return Object.keys(notCounted)[0];
  },
};

const plain: Sent = { url: 'https://example.com/a?x=1', ip: home, userAgent: person };

/** Of each rule what it leaves out, and what is only like it. */
const rules: [reason: string, Partial<ProjectSettings>, out: Partial<Sent>[], counted: Partial<Sent>[]][] = [
  [
    'excluded_address',
    { excludedAddresses: ['192.0.2.0/24', '2001:db8:1::/48', '::ffff:203.0.113.0/120'] },
    [{ ip: '192.0.2.7' }, { ip: '::ffff:192.0.2.8' }, { ip: '2001:db8:1::5' }, { ip: '203.0.113.9' }],
    [{ ip: '192.0.3.7' }, { ip: '2001:db8:2::5' }],
  ],
  ['excluded_country', { excludedCountries: ['DE'] }, [{ ip: german }], [{ ip: cloud }]],
  ['excluded_as', { excludedAsNumbers: ['AS3320'] }, [{ ip: german }], [{ ip: cloud }, { ip: home }]],
  [
    'excluded_host',
    { excludedHosts: ['old.example.com', '*.test.example'] },
    [{ url: 'https://old.example.com/' }, { url: 'https://a.b.test.example/' }],
    [{ url: 'https://example.com/' }, { url: 'https://test.example/' }],
  ],
  [
    'excluded_query',
    { excludedQueries: ['preview', 'from=mon itor'] },
    [{ url: 'https://example.com/?a=1&preview' }, { url: 'https://example.com/?from=mon%20itor' }],
    [{ url: 'https://example.com/?previews=1' }, { url: 'https://example.com/?from=here' }],
  ],
  [
    'excluded_user_agent',
    { excludedUserAgents: ['uptimeROBOTIC', 'Mozilla/5.0 (X11; *) Gecko/*'] },
    [{ userAgent: monitor }, { userAgent: monitor.replace('UptimeRobotic', 'Other') }],
    [{ userAgent: person }],
  ],
  ['data_center', { excludesDataCenters: true }, [{ ip: cloud }], [{ ip: german }, { ip: home }]],
];

describe.each(rules)('%s', (reason, settings, out, counted) => {
  test.each(Object.entries(ways))('leaves out hits by %s, and says so', async (name, send) => {
    const project = await headcount.addProject(settings);
    for (const hit of out) expect([hit, await send(project, { ...plain, ...hit })]).toEqual([hit, reason]);
    for (const hit of counted)
      expect([hit, await send(project, { ...plain, ...hit })]).toEqual([hit, undefined]);
    await headcount.context.ingest.drain();
    const found = await project.get<{ dropped: { reason: string; hits: number }[] }>(
      `/v1/analytics/${project.projectId}/dropped`,
    );
    expect([name, found.dropped.map(({ reason: by, hits }) => [by, hits])]).toEqual([
      name,
      [[reason, out.length]],
    ]);
    const views = Object.values(await project.views()).reduce((sum, { human }) => sum + human, 0);
    expect(views).toBe(counted.length);
  });
});

test('AI clients in a data center are counted', async () => {
  const project = await headcount.addProject({ excludesDataCenters: true });
  const userAgent = 'Mozilla/5.0 (compatible; LinerBot/1.0)';
  for (const send of Object.values(ways))
    expect(await send(project, { ...plain, ip: cloud, userAgent })).toBeUndefined();
});

test('a rule holds for the next hit, and is taken back by the next', async () => {
  const project = await headcount.addProject();
  const path = `/v1/projects/${project.projectId}/exclusions`;
  const change = async (body: object) => {
    const headers = { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' };
    const response = await fetch(headcount.url + path, {
      method: 'PATCH',
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as object;
  };
  expect(await change({ countries: ['de'], userAgents: ['Monitor'] })).toMatchObject({
    ...{
      countries: ['DE'],
      userAgents: ['Monitor'],
      paths: [],
      queries: [],
      past: false,
      dataCenters: false,
    },
  });
  expect(await ways.script?.(project, { ...plain, ip: german })).toBe('excluded_country');
  await change({ countries: [] });
  expect(await ways.script?.(project, { ...plain, ip: german })).toBeUndefined();
});

describe('what would be a slip is refused with a sentence:', () => {
  test.each<[object, string]>([
    [{ excludedAddresses: ['192.0.2.0/33'] }, 'must be an IP address or a range'],
    [{ excludedAddresses: ['0.0.0.0/0'] }, 'which is too wide: at most /8 of IPv4'],
    [{ excludedAddresses: ['128.0.0.0/7'] }, 'too wide'],
    [{ excludedAddresses: ['2000::/15'] }, 'too wide'],
    [{ excludedAddresses: ['::/0'] }, 'too wide'],
    [{ excludedAddresses: ['::/80'] }, 'too wide'],
    [{ excludedAddresses: ['::ffff:0:0/96'] }, 'too wide'],
    [{ excludedCountries: ['ZZ'] }, 'has ZZ, which is no country'],
    [{ excludedCountries: ['Germany'] }, 'must be the code of a country'],
    [{ excludedAsNumbers: ['AS0'] }, 'must be the number of an autonomous system'],
    [{ excludedUserAgents: ['*'] }, 'must have at least 3 characters besides *'],
    [{ excludedUserAgents: ['x'.repeat(201)] }, 'must have at most 200 characters'],
    [{ excludedUserAgents: Array.from({ length: 101 }, (_, i) => `agent ${i}`) }, 'must be at most 100'],
    [{ excludedQueries: ['=1'] }, 'must be the name of a query parameter'],
    [{ excludedHosts: ['https://example.com'] }, 'must be a host name'],
  ])('%j', async (settings, sentence) => {
    const { projectId, adminKey } = headcount;
    const response = await fetch(`${headcount.url}/v1/projects/${projectId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    });
    expect(response.status).toBe(400);
    const { error, details } = await errorOf(response);
    expect(`${error} ${details?.map(({ message }) => message).join(' ')}`).toContain(sentence);
  });

  test.each([
    [{ addresses: ['0.0.0.0/0'] }, 'addresses has the range 0.0.0.0/0, which is too wide'],
    [{ countries: ['XX'] }, 'countries has XX, which is no country'],
  ])('%j among the exclusions, by the name that was sent', async (body, sentence) => {
    const { projectId, adminKey } = headcount;
    const response = await fetch(`${headcount.url}/v1/projects/${projectId}/exclusions`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { error, details } = await errorOf(response);
    expect([response.status, error, details?.map((one) => one.path)]).toEqual([
      ...[400, expect.stringContaining(sentence)],
      Object.keys(body),
    ]);
  });

  test('networks by their number, where the server does not know them', async () => {
    const other = await startHeadcount();
    try {
      for (const settings of [{ excludedAsNumbers: ['AS3320'] }, { excludesDataCenters: true }]) {
        const response = await fetch(`${other.url}/v1/projects/${other.projectId}`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${other.adminKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(settings),
        });
        expect([response.status, (await errorOf(response)).error]).toEqual([
          400,
          expect.stringContaining('its operator sets HEADCOUNT_ASN_DATABASE'),
        ]);
      }
    } finally {
      await other.stop();
    }
  });
});

test('before browsers in data centers are left out their numbers are known, and after', async () => {
  const project = await headcount.addProject();
  const client = await openDashboard(headcount);
  const path = `/v1/admin/projects/${project.projectId}`;
  const read = async () => {
    await headcount.context.ingest.drain();
    return client.must<ExclusionHelpReply>('GET', `${path}/exclusions`);
  };
  expect(await read()).toMatchObject({
    dataCenters: null,
    message: expect.stringContaining('nothing is known'),
  });
  for (const ip of [cloud, '52.1.2.4', german, home]) await ways.script?.(project, { ...plain, ip });
  expect((await read()).dataCenters).toMatchObject({ inDataCenters: 2, elsewhere: 2 });
  await client.must('PATCH', path, { settings: { excludesDataCenters: true } });
  expect(await ways.script?.(project, { ...plain, ip: cloud })).toBe('data_center');
  await ways.image?.(project, { ...plain, ip: home });
  await expect.poll(async () => (await read()).dataCenters).toMatchObject({ inDataCenters: 3, elsewhere: 3 });
});

test('exclusions are previewed: what sums hold with numbers, all else as not known', async () => {
  const project = await headcount.addProject({ excludedPaths: ['/b'] });
  const client = await openDashboard(headcount);
  const at = `/v1/analytics/${project.projectId}/exclusions-preview`;
  for (const [ip, path] of [
    [german, 'docs/a'],
    [german, 'docs/b'],
    [home, 'docs/a'],
    [cloud, 'c'],
  ] as const)
    await ways.script?.(project, { ...plain, ip, url: `https://example.com/${path}` });
  await headcount.context.ingest.drain();
  const body = { paths: ['/docs/**', '/b'], countries: ['DE'], addresses: [german], dataCenters: true };
  const only = (count: number) => ({ from: count, to: count });
  const { rules } = await client.must<ExclusionPreviewReply>('POST', at, body);
  const notKnown = { views: null, visitors: null, message: expect.stringContaining('does not hold this') };
  expect(rules).toEqual([
    { rule: 'paths', views: only(3), visitors: only(2), message: null },
    { rule: 'addresses', ...notKnown },
    { rule: 'countries', views: only(2), visitors: only(1), message: null },
    { rule: 'dataCenters', views: only(1), visitors: null, message: expect.stringContaining('visitors') },
  ]);
  expect((await client.must<ExclusionPreviewReply>('POST', at, { paths: ['/b'] })).rules).toEqual([]);
  expect((await client.send('POST', at, { body: { countries: ['Germany'] } })).status).toBe(400);
  const env = { HEADCOUNT_DATA_DIR: headcount.dataDir };
  const args = [
    'project',
    'preview',
    project.projectId,
    '--exclude-path',
    '/docs/**',
    '--exclude-host',
    'a.example',
  ];
  const { stdout } = await runHere(args, env);
  expect(stdout).toMatch(
    /^RULE +VIEWS +VISITORS .*\npaths +3 +2\s+excludedHosts +not known +not known +It is not/,
  );
});

test('the own address is known behind a proxy, as hits have it', async () => {
  const project = await headcount.addProject();
  const client = await openDashboard(headcount);
  const path = `${headcount.url}/v1/admin/projects/${project.projectId}/exclusions`;
  const read = async (ip: string) => {
    const response = await fetch(path, { headers: { cookie: client.cookie, 'x-forwarded-for': ip } });
    return (await response.json()) as ExclusionHelpReply;
  };
  expect(await read('::ffff:203.0.113.9')).toMatchObject({ network: '203.0.113.9', isExcluded: false });
  const { network } = await read('2001:db8:1:2:3::4');
  expect(network).toBe('2001:db8:1:2::/64');
  await client.must('PATCH', `/v1/admin/projects/${project.projectId}`, {
    settings: { excludedAddresses: [network] },
  });
  expect(await read('2001:db8:1:2:ffff::1')).toMatchObject({ isExcluded: true });
  expect(await ways.script?.(project, { ...plain, ip: '2001:db8:1:2:ffff::1' })).toBe('excluded_address');
});

describe.each([1, 3])('countries that are excluded for the past, too, with groups of %s', (minimumGroup) => {
  const dayMs = 24 * 3_600_000;
  const today = Math.floor(Date.now() / dayMs);
  /** Visitors by country, with one page each and one in common. */
  const visitors = { DE: 5, FR: 4, US: 1 };
  let project: ProjectClient;
  const read = <T>(report: string) => project.get<T>(`/v1/analytics/${project.projectId}/${report}`);
  const set = (settings: Partial<ProjectSettings>) =>
    fetch(`${headcount.url}/v1/projects/${project.projectId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    });

  beforeAll(async () => {
    project = await headcount.addProject({ minimumGroup });
    const { store } = headcount.context;
    const views = [today - 3, today].flatMap((day) =>
      Object.entries(visitors).flatMap(([country, count], place) =>
        Array.from({ length: count }, (_, i) =>
          ['/', `/${country}`].map((path, moment) =>
            view({ day, visitor: BigInt(day * 1000 + place * 100 + i), moment, path, country }),
          ),
        ).flat(),
      ),
    );
    for (const day of [today - 3, today]) await openDay(store, project.projectId, day, anySalt());
    const own = views.map((one) => ({ ...one, projectId: project.projectId }));
    expect(await store.countViews(own, [])).toEqual([]);
    await store.seal(project.projectId, today - 2);
  });

  test('are in no report of pages, days and sources, and come back', async () => {
    type Rows = { totals: BoundedCount; visitors: (BoundedCount & { path: string })[] };
    const isWithin = ({ total, bounds }: BoundedCount, truth: number) => {
      const only = total ?? Number.NaN;
      const { from, to } = bounds?.total ?? { from: only, to: only };
      expect([from <= truth, truth <= to]).toEqual([true, true]);
      if (minimumGroup === 1) expect(bounds).toBeUndefined();
    };
    const before = await read<Rows>('visitors');
    expect(before.totals.total).toBe(20);
    await set({ excludedCountries: ['DE'], excludesPast: true });
    const { totals, visitors: rows } = await read<Rows>('visitors');
    isWithin(totals, 10);
    expect(rows.map(({ path }) => path)).not.toContain('/DE');
    isWithin(rows.find(({ path }) => path === '/') as BoundedCount, 10);
    const { countries } = await read<{ countries: { country: string }[] }>('countries');
    expect(countries.map(({ country }) => country)).not.toContain('DE');
    const series = await read<{ totals: { views: BoundedCount; visitors: BoundedCount } }>('series');
    isWithin(series.totals.views, 20);
    isWithin(series.totals.visitors, 10);
    // A filter is asked besides.
    expect((await read<Rows>('visitors?country=DE')).totals.total).toBe(0);
    isWithin((await read<Rows>('visitors?country=FR')).totals, 8);
    await set({ excludesPast: false });
    expect(await read<Rows>('visitors')).toEqual(before);
  });

  test('are said to be in reports that cannot leave them out, and in no other', async () => {
    await set({ goals: ['/'] });
    const reports = ['hours', 'goals', 'goals/%2F/countries', 'funnels', 'events', 'events/Any/properties'];
    const including = [
      ...[...reports, 'sections', 'entry-pages', 'time-on-page', 'assistant-landings', 'ai-failures'],
      ...['ai-clients/GPTBot/paths', 'cities', 'series?city=Berlin'],
      ...['gaps', 'worklist', 'operators', 'silent-clients', 'changes'],
    ];
    const others = [
      'visitors',
      'views',
      'countries',
      'channels',
      'ai-clients',
      'series',
      'series?device=mobile',
    ];
    const said = async (report: string) =>
      (await read<{ includesExcluded?: string }>(report)).includesExcluded ?? null;
    const all = async () =>
      Promise.all([...including, ...others, 'dropped'].map(async (report) => [report, await said(report)]));
    const projects = async () => {
      const reply = await project.get<{ projects: { id: string; includesExcluded?: string }[] }>(
        '/v1/analytics',
      );
      return reply.projects.find(({ id }) => id === project.projectId)?.includesExcluded;
    };
    const nothing = [...including, ...others, 'dropped'].map((report) => [report, null]);
    expect([await all(), await projects()]).toEqual([nothing, undefined]);
    await set({ excludedCountries: ['DE'], excludesPast: true });
    const sentence = expect.stringMatching(/^Views from excluded countries of days before/);
    expect([await all(), await projects()]).toEqual([
      [...including.map((report) => [report, sentence]), ...nothing.slice(including.length)],
      sentence,
    ]);
    await set({ excludesPast: false });
    expect(await all()).toEqual(nothing);
    await set({ excludedCountries: [] });
  });

  test('are said to be in files of reports that cannot leave them out, and in no other', async () => {
    const fileOf = async (path: string) => {
      const headers = { authorization: `Bearer ${project.adminKey}` };
      const response = await fetch(`${headcount.url}/v1/analytics${path}?format=csv`, { headers });
      expect(response.status).toBe(200);
      return response.text();
    };
    const isSaidIn = async (report: string) => {
      const file = await fileOf(`/${project.projectId}/${report}`);
      const [head = '', ...rows] = file.trim().split('\r\n');
      const isSaid = head.endsWith(',"includesExcluded"');
      expect(rows.map((row) => row.endsWith(',"yes"'))).toEqual(rows.map(() => isSaid));
      return isSaid;
    };
    const including = ['hours', 'time-on-page', 'entry-pages', 'gaps', 'worklist', 'operators'];
    const reports = [...including, 'visitors', 'series', 'countries'];
    // Few files are made at once.
    const said = () => Array.fromAsync(reports, isSaidIn);
    expect(await said()).toEqual(reports.map(() => false));
    await set({ excludedCountries: ['DE'], excludesPast: true });
    expect(await said()).toEqual(reports.map((report) => including.includes(report)));
    const projects = await fileOf('');
    const row = projects.split('\r\n').find((line) => line.includes(project.projectId));
    expect(row).toMatch(/,"yes"$/);
    await set({ excludedCountries: [], excludesPast: false });
  });
});

test('all rules go with an archive, and are set on the command line', async () => {
  const env = {
    HEADCOUNT_DATA_DIR: headcount.dataDir,
    HEADCOUNT_ASN_DATABASE: headcount.context.config.clients.asnDatabase ?? '',
  };
  const { projectId } = await headcount.addProject();
  const given = [
    ...['--exclude-host', 'old.example', '--exclude-query', 'preview=1', '--exclude-user-agent', 'Monitor'],
    ...['--exclude-country', 'de', '--exclude-past', '--exclude-as', '3320', '--exclude-data-centers'],
  ];
  const settings = {
    ...{ excludedHosts: ['old.example'], excludedQueries: ['preview=1'], excludedUserAgents: ['Monitor'] },
    ...{
      excludedCountries: ['DE'],
      excludesPast: true,
      excludedAsNumbers: ['AS3320'],
      excludesDataCenters: true,
    },
  };
  const set = await runHere(['project', 'set', projectId, ...given, '--json'], env);
  expect([set.code, JSON.parse(set.stdout)]).toMatchObject([0, settings]);
  const archive = join(await newFolder(), 'project.jsonl');
  expect((await runHere(['export', '--project', projectId, archive], env)).code).toBe(0);
  await runHere(['project', 'remove', projectId, '--yes'], env);
  const imported = await runHere(['project', 'import', archive, '--json'], env);
  expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([0, { projectId }]);
  const { stdout } = await runHere(['project', 'list', '--json'], env);
  const listed = (JSON.parse(stdout) as { projectId: string }[]).find((one) => one.projectId === projectId);
  expect(listed).toMatchObject(settings);
});
