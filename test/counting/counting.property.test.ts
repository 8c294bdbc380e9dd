import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sealDueDaysOf } from '../../server/ingest/sealing/sealer.ts';
import type { Count, HoursReply } from '../../shared/analytics.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { type Headcount, type ProjectClient, projectClient, startHeadcount } from '../support/headcount.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';
import { giveBackDatabase, makeDatabase } from '../support/store/shared-postgres.ts';

const minuteMs = 60_000;

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Africa/Cairo',
];
const userAgents = {
  human: [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  ai: ['Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)'],
  bot: ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'],
};

interface Sent {
  kind: keyof typeof userAgents;
  userAgent: string;
  ip: string;
  path: string;
  referrer: string | undefined;
  /** Milliseconds before the moment of sending. */
  ageMs: number;
  /** How it was answered, where the report tells. */
  status: number | undefined;
  bytes: number | undefined;
}

const sent: fc.Arbitrary<Sent> = fc
  .record({
    kind: fc.constantFrom('human', 'human', 'ai', 'bot'),
    ip: fc.constantFrom(
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8:0:1::1',
    ),
    path: fc.constantFrom('/', '/a', '/b', '/b/', '/%62'),
    // Outside, outside, nothing, and the site itself.
    referrer: fc.constantFrom(
      'https://news.example/x',
      'https://chatgpt.com/',
      undefined,
      'https://example.com/b',
    ),
    // Whether it is too old depends on the clock of the node that it comes to.
    ageMs: fc.integer({ min: 0, max: 30 * hourMs }).filter((age) => Math.abs(age - dayMs) > minuteMs),
    userAgent: fc.constant(''),
    status: fc.constantFrom(undefined, 200, 301, 404, 503),
    bytes: fc.constantFrom(undefined, 0, 1_000),
  })
  .chain((hit) => fc.constantFrom(...userAgents[hit.kind]).map((userAgent) => ({ ...hit, userAgent })));

/** Somebody whose browser followed a link to a passage, told by the script. */
const landing = fc.record({
  ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2'),
  path: fc.constantFrom('/', '/a'),
  passage: fc.constantFrom('one', 'two'),
});
type Landing = typeof landing extends fc.Arbitrary<infer T> ? T : never;

interface Batch {
  waitMs: number;
  hits: Sent[];
  landings: Landing[];
}

/** Batches, each with the time that passes before it. */
const stream: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 0, max: 20 * hourMs }),
    hits: fc.array(sent, { maxLength: 12 }),
    landings: fc.array(landing, { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 8 },
);

// Near the days on which clocks are turned in one zone or another.
const begin = fc.constantFrom(
  '2026-03-06T00:00:00Z',
  '2026-03-27T13:00:00Z',
  '2026-10-23T22:30:00Z',
  '2026-12-30T01:00:00Z',
);

interface WrittenDown {
  day: string;
  hour: number;
  who: string;
  path: string;
  source: string | null;
  kind: 'human' | 'ai';
  /** That the link was to. */
  passage?: string;
}

/** The count as a person would do it: write every view down, then count. */
function recount(views: WrittenDown[]) {
  const count = (keys: Set<string>) => keys.size;
  const visitors = (of: typeof views): Count => ({
    human: count(new Set(of.filter(({ kind }) => kind === 'human').map(({ day, who }) => day + who))),
    ai: count(new Set(of.filter(({ kind }) => kind === 'ai').map(({ day, who }) => day + who))),
    total: count(new Set(of.map(({ day, who }) => day + who))),
  });
  const viewsOf = (of: typeof views): Count => {
    const human = of.filter(({ kind }) => kind === 'human').length;
    return { human, ai: of.length - human, total: of.length };
  };
  const by = (name: 'path' | 'source', measure: (of: typeof views) => Count, of = views) =>
    Object.fromEntries(
      [...new Set(of.map((view) => view[name]).filter((text) => text !== null))].map((text) => [
        text,
        measure(of.filter((view) => view[name] === text)),
      ]),
    );
  return {
    totals: visitors(views),
    visitors: by('path', visitors),
    views: by('path', viewsOf),
    sources: by('source', visitors),
    quoted: quotedIn(views),
    pagesOf: (source: string) =>
      by(
        'path',
        visitors,
        views.filter((view) => view.source === source),
      ),
    sourcesOf: (path: string) =>
      by(
        'source',
        visitors,
        views.filter((view) => view.path === path),
      ),
    /** Visitors in the hour in which they came first. */
    hour: (day: string, hour: number) => {
      const isArrival = (view: WrittenDown) =>
        view === views.find(({ day, who }) => day === view.day && who === view.who);
      const those = views.filter((view) => view.day === day && view.hour === hour);
      return { visitors: visitors(those.filter(isArrival)), views: viewsOf(those) };
    },
  };
}

/** Passages by path: visitors of days on which three of them shared one. */
function quotedIn(views: readonly WrittenDown[]): Record<string, number> {
  const sharers = new Map<string, Set<string>>();
  for (const { day, path, passage, who } of views) {
    if (passage === undefined) continue;
    const key = `${day} ${passage} ${path}`;
    sharers.set(key, (sharers.get(key) ?? new Set()).add(who));
  }
  const quoted: Record<string, number> = {};
  for (const [key, { size }] of sharers) {
    const name = key.slice(key.indexOf(' ') + 1);
    if (size >= 3) quoted[name] = (quoted[name] ?? 0) + size;
  }
  return quoted;
}

/** What is told besides, as sums by what stands in a row. */
type Told = Record<'ways-in' | 'ai-failures' | 'ai-forms' | 'ai-bytes', Record<string, number>>;

const client = 'PerplexityBot';
const statuses: Record<number, string> = { 301: '3xx', 404: '404', 503: '5xx' };

/** The same for what is told besides. */
function retell(hits: readonly Sent[], landings: number): Told {
  const told: Told = { 'ways-in': {}, 'ai-failures': {}, 'ai-forms': {}, 'ai-bytes': {} };
  if (landings > 0) told['ways-in']['script people'] = landings;
  const add = (report: keyof Told, row: string, much = 1) => {
    told[report][row] = (told[report][row] ?? 0) + much;
  };
  for (const hit of hits) {
    const { kind, status, bytes, ageMs } = hit;
    const isLeftOut = kind === 'bot' || ageMs > dayMs;
    const isRead = status === undefined || status === 200;
    if (isLeftOut || !isRead) add('ways-in', 'report dropped');
    else add('ways-in', `report ${kind === 'ai' ? 'ai' : 'people'}`);
    if (isLeftOut || kind !== 'ai') continue;
    if (isRead) add('ai-forms', `${client} html`);
    else add('ai-failures', `${client} ${statuses[status]} ${normalPath(hit)}`);
    if (bytes !== undefined) add('ai-bytes', client, bytes);
  }
  return told;
}

async function readTold(project: ProjectClient): Promise<Told> {
  const read = async (report: keyof Told) => {
    const reply = await project.get<object>(`/v1/analytics/${project.projectId}/${report}`);
    const [rows] = Object.values(reply) as [Record<string, string | number>[]];
    return Object.fromEntries(
      rows.map((row) => {
        const names = Object.values(row).filter((value) => typeof value === 'string');
        // Last comes what is added up; a price that nobody named is none.
        return [names.join(' '), Object.values(row).findLast((value) => typeof value === 'number') as number];
      }),
    );
  };
  return {
    'ways-in': await read('ways-in'),
    'ai-failures': await read('ai-failures'),
    'ai-forms': await read('ai-forms'),
    'ai-bytes': await read('ai-bytes'),
  };
}

function normalPath({ path }: Sent): string {
  return path === '/b/' || path === '/%62' ? '/b' : path;
}

interface Node {
  headcount: Headcount;
  /** How far its clock is behind. */
  behindMs: number;
}

const clock = createClock('2026-01-01T00:00:00Z');

async function startNode(behindMs: number, env: Record<string, string> = {}): Promise<Node> {
  const now = () => clock.now() - behindMs;
  return { headcount: await startHeadcount({ now, env }), behindMs };
}

const secretKey = Buffer.alloc(32, 3).toString('base64');
let databaseUrl: string | undefined;

test.each([
  // Where PostgreSQL is tested it would be one more there.
  ...(isOnPostgres ? [] : [['one node on SQLite', 150, async () => [await startNode(0)]] as const]),
  [
    'two nodes on PostgreSQL, whose clocks are a minute apart',
    50,
    async () => {
      databaseUrl = await makeDatabase();
      const env = { HEADCOUNT_DATABASE_URL: databaseUrl, HEADCOUNT_SECRET_KEY: secretKey };
      return [await startNode(0, env), await startNode(minuteMs, env)];
    },
  ] as const,
])(
  'any stream of hits leaves the counts that a recount of the stream gives, with %s',
  async (_, numRuns, start) => {
    const nodes = await start();
    await fc.assert(fc.asyncProperty(fc.constantFrom(...zones), begin, stream, compare.bind(null, nodes)), {
      numRuns,
    });
    for (const { headcount } of nodes) await headcount.stop();
    if (databaseUrl !== undefined) await giveBackDatabase(databaseUrl);
  },
);

function sourceOf(referrer: string | undefined): string | null {
  if (referrer === undefined) return '(direct)';
  const { host } = new URL(referrer);
  if (host === 'example.com') return null;
  return host === 'chatgpt.com' ? 'ChatGPT' : host;
}

/** Sends a stream, to one node after the other, and compares what each says of it with a recount. */
async function compare(
  nodes: readonly Node[],
  timeZone: string,
  startAt: string,
  batches: Batch[],
): Promise<void> {
  clock.set(startAt);
  const [first] = nodes as [Node];
  const project = await first.headcount.addProject({ timeZone });
  const dayName = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const hourName = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  const expected: WrittenDown[] = [];
  const clients = nodes.map(({ headcount }) => projectClient(headcount.url, project));
  for (const [i, { waitMs, hits, landings }] of batches.entries()) {
    clock.advance(waitMs);
    const { headcount, behindMs } = nodes[i % nodes.length] as Node;
    const live = headcount.context.registry.project(project.projectId);
    if (live) await sealDueDaysOf(headcount.context, live);
    const response = await (clients[i % nodes.length] as ProjectClient).hits(
      hits.map(({ ip, userAgent, path, referrer, ageMs, status, bytes }) => ({
        url: `https://example.com${path}`,
        ip,
        userAgent,
        referrer,
        at: new Date(clock.now() - ageMs).toISOString(),
        status,
        bytes,
      })),
    );
    expect(response.status).toBe(202);
    for (const hit of hits) {
      const { ip, userAgent, ageMs, kind, referrer, status = 200 } = hit;
      if (kind === 'bot' || ageMs > dayMs || status !== 200) continue;
      const who = `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${userAgent}`;
      const at = clock.now() - Math.max(ageMs, behindMs);
      const [day, hour] = [dayName.format(at), Number(hourName.format(at))];
      expected.push({ day, hour, who, path: normalPath(hit), source: sourceOf(referrer), kind });
    }
    const userAgent = String(userAgents.human[0]);
    for (const { ip, path, passage } of landings) {
      const client = clients[i % nodes.length] as ProjectClient;
      const body = { u: `https://example.com${path}`, r: `https://news.example/#:~:text=${passage}` };
      const landed = await client.hit(body, { 'user-agent': userAgent, 'x-forwarded-for': ip });
      expect(landed.status).toBe(202);
      const at = clock.now() - behindMs;
      const [day, hour] = [dayName.format(at), Number(hourName.format(at))];
      const who = `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${userAgent}`;
      expected.push({ day, hour, who, path, source: 'news.example', kind: 'human', passage });
    }
  }
  const { pagesOf, sourcesOf, hour, quoted, ...sums } = recount(expected);
  for (const { headcount } of nodes) await headcount.context.ingest.drain();
  const told = retell(
    batches.flatMap(({ hits }) => hits),
    batches.flatMap(({ landings }) => landings).length,
  );
  for (const client of clients) {
    expect(await readTold(client)).toEqual(told);
    const { totals } = await client.get<{ totals: Count }>(`/v1/analytics/${project.projectId}/visitors`);
    const read = async (report: string, name: string, query = '') => {
      const reply = await client.get<Record<string, (Count & Record<string, string>)[]>>(
        `/v1/analytics/${project.projectId}/${report}?${query}`,
      );
      return Object.fromEntries(
        (reply[report] ?? []).map(({ [name]: text, ...count }) => [text as string, count]),
      );
    };
    const { passages } = await client.get<{ passages: Record<'passage' | 'path' | 'visitors', string>[] }>(
      `/v1/analytics/${project.projectId}/quoted`,
    );
    expect(
      Object.fromEntries(passages.map(({ passage, path, visitors }) => [`${passage} ${path}`, visitors])),
    ).toEqual(quoted);
    const sources = await read('sources', 'source');
    const visitors = await client.visitors();
    expect({ totals, visitors, views: await client.views(), sources }).toEqual(sums);
    for (const source of Object.keys(sources)) {
      expect(await read('visitors', 'path', `source=${encodeURIComponent(source)}`)).toEqual(pagesOf(source));
    }
    expect(await read('sources', 'source', 'path=/b')).toEqual(sourcesOf('/b'));
    const { days } = await client.get<HoursReply>(`/v1/analytics/${project.projectId}/hours`);
    for (const { date, hours } of days) {
      for (const { hour: number, ...count } of hours) {
        expect({ date, number, ...count }).toEqual({ date, number, ...hour(date, number) });
      }
    }
    for (const { human, ai, total } of [totals, ...Object.values(visitors)]) {
      expect(total).toBeLessThanOrEqual(human + ai);
      expect(total).toBeGreaterThanOrEqual(Math.max(human, ai));
    }
  }
}
