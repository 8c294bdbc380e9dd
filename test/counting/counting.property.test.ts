import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sealDueDaysOf } from '../../server/ingest/sealing/sealer.ts';
import type { Count, HoursReply, VisitPagesReply } from '../../shared/reports/analytics.ts';
import { createClock, hourMs } from '../support/clock.ts';
import { type Headcount, type ProjectClient, projectClient, startHeadcount } from '../support/headcount.ts';
import { makeMmdb } from '../support/places/mmdb.ts';
import { happenedOn, readEvents, recountEvents, toHit } from '../support/recount/event-recount.ts';
import {
  funnels,
  goals,
  readFunnels,
  readGoals,
  recountFunnels,
  recountGoals,
} from '../support/recount/goal-recount.ts';
import { type Batch, begin, minuteMs, stream, userAgents, zones } from '../support/recount/hit-stream.ts';
import { sendLanding } from '../support/recount/landing-hits.ts';
import { signatureHeaders, signerProofs } from '../support/recount/signed-hits.ts';
import {
  asNetworks,
  type Dated,
  isView,
  pageOf,
  readDrops,
  recount,
  recountDrops,
  recountSums,
  robotsText,
  sourceOf,
  sumReports,
  type WrittenDown,
} from '../support/recount/stream-recount.ts';
import { readSums } from '../support/recount/sum-rows.ts';
import { readTimes, recountTimes } from '../support/recount/time-recount.ts';
import {
  networks,
  readTraits,
  recountTraits,
  traitsOf,
  traitsOfLanding,
} from '../support/recount/trait-recount.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';
import { giveBackDatabase, makeDatabase } from '../support/store/shared-postgres.ts';

async function readVisits(project: ProjectClient) {
  const read = async (report: 'entry-pages' | 'exit-pages') => {
    const { pages, unmeasured } = await project.get<VisitPagesReply>(
      `/v1/analytics/${project.projectId}/${report}`,
    );
    expect(unmeasured).toBeNull();
    return Object.fromEntries(
      pages.map(({ path, human, ai, total, ...single }) => [
        path,
        [
          { human, ai, total },
          { human: single.singlePageHuman, ai: single.singlePageAi, total: single.singlePageTotal },
        ],
      ]),
    );
  };
  return { 'entry-pages': await read('entry-pages'), 'exit-pages': await read('exit-pages') };
}

interface Node {
  headcount: Headcount;
  /** How far its clock is behind. */
  behindMs: number;
}

const beforeStreams = '2026-01-01T00:00:00Z';
const clock = createClock(beforeStreams);
/** The longest that a timer waits. */
const neverMs = 2 ** 31 - 1;

async function startNode(behindMs: number, env: Record<string, string> = {}): Promise<Node> {
  const now = () => clock.now() - behindMs;
  const folder = await mkdtemp(join(tmpdir(), 'headcount-places-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = {
    HEADCOUNT_COUNTRY_DATABASE: join(folder, 'places.mmdb'),
    HEADCOUNT_ASN_DATABASE: join(folder, 'networks.mmdb'),
  };
  await writeFile(files.HEADCOUNT_COUNTRY_DATABASE, makeMmdb(networks, 24));
  await writeFile(files.HEADCOUNT_ASN_DATABASE, makeMmdb(asNetworks, 24));
  const options = {
    now,
    env: { ...env, ...files },
    proofs: signerProofs(now),
    siteOptions: { everyMs: neverMs },
  };
  return { headcount: await startHeadcount(options), behindMs };
}

/** Many streams in one test: beside other work they take longer than any other does. */
const hangingMs = 1_800_000;

const secretKey = Buffer.alloc(32, 3).toString('base64');
let databaseUrl: string | undefined;

test.each([
  // Where PostgreSQL is tested it would be one more there.
  ...(isOnPostgres ? [] : [['one node on SQLite', 100, async () => [await startNode(0)]] as const]),
  [
    'two nodes on PostgreSQL, whose clocks are a minute apart',
    34,
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
    if (databaseUrl !== undefined) giveBackDatabase(databaseUrl);
  },
  hangingMs,
);

/** The robots.txt that all nodes know of a site from a moment on. */
async function knowRobots(nodes: readonly Node[], projectId: string, knownAt: number): Promise<void> {
  const [first] = nodes as [Node];
  const robots = { projectId, host: 'example.com', knownAt, status: 'found', text: robotsText } as const;
  await first.headcount.context.store.sites.keepRobots(robots);
  // Each asks for what is newer than what it has.
  clock.set(beforeStreams);
  for (const { headcount } of nodes) {
    // Without a project that it knows, as before the first stream, a node has no site to ask for.
    await headcount.context.registry.catchUp();
    await headcount.context.siteFiles.load();
  }
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
  const project = await first.headcount.addProject({ timeZone, siteHost: 'example.com', goals, funnels });
  const robotsAt = clock.now() + 12 * hourMs;
  await knowRobots(nodes, project.projectId, robotsAt);
  clock.set(startAt);
  const dayName = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const hourName = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  const expected: WrittenDown[] = [];
  const dated: Dated[] = [];
  const clients = nodes.map(({ headcount }) => projectClient(headcount.url, project));
  const happened: ReturnType<typeof happenedOn> = [];
  for (const [i, { waitMs, hits, landings, happenings }] of batches.entries()) {
    clock.advance(waitMs);
    const { headcount, behindMs } = nodes[i % nodes.length] as Node;
    const live = headcount.context.registry.project(project.projectId);
    if (live) await sealDueDaysOf(headcount.context, live);
    const response = await (clients[i % nodes.length] as ProjectClient).hits(
      hits.map(({ kind, path, query, ageMs, signing, language, ...hit }) => {
        const url = `https://example.com${path}${query}`;
        const at = clock.now() - ageMs;
        const headers = {
          ...(signing && signatureHeaders(signing, url, at)),
          ...(language !== undefined && { 'accept-language': language }),
        };
        return { ...hit, url, at: new Date(at).toISOString(), headers };
      }),
    );
    expect(response.status).toBe(202);
    for (const hit of hits) {
      const { ip, userAgent, ageMs, kind } = hit;
      const at = clock.now() - Math.max(ageMs, behindMs);
      dated.push({ ...hit, at });
      if (kind === 'bot' || !isView(hit)) continue;
      const who = `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${userAgent}`;
      const [day, hour] = [dayName.format(at), Number(hourName.format(at))];
      const seen = { day, hour, at, who, path: pageOf(hit), source: sourceOf(hit), kind };
      expected.push({ ...seen, ...traitsOf(hit) });
    }
    await (clients[i % nodes.length] as ProjectClient).hits(happenings.map(toHit));
    const happenedAt = clock.now() - behindMs;
    happened.push(...happenedOn(dayName.format(happenedAt), happenedAt, happenings));
    const userAgent = String(userAgents.human[0]);
    for (const landing of landings) {
      const { way, ip, path } = landing;
      await sendLanding(headcount.url, clients[i % nodes.length] as ProjectClient, landing, userAgent);
      const at = clock.now() - behindMs;
      const [day, hour] = [dayName.format(at), Number(hourName.format(at))];
      const who = `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${userAgent}`;
      const passage = way === 'script' ? landing.passage : undefined;
      const seen = { day, hour, at, who, path, source: 'news.example', kind: 'human', passage } as const;
      expected.push({ ...seen, ...traitsOfLanding(landing, userAgent) });
    }
  }
  const { pagesOf, sourcesOf, hour, quoted, visits, ...sums } = recount(expected);
  for (const { headcount } of nodes) await headcount.context.ingest.drain();
  const ways = batches.flatMap(({ landings }) => landings.map(({ way }) => way));
  const told = recountSums(dated, ways, robotsAt);
  const drops = recountDrops(
    dated,
    batches.flatMap(({ happenings }) => happenings),
  );
  for (const client of clients) {
    expect(await readSums(client, sumReports)).toEqual(told);
    expect(await readDrops(client)).toEqual(drops);
    expect(await readTimes(client)).toEqual(recountTimes(batches));
    expect(await readTraits(client)).toEqual(recountTraits(expected));
    expect(await readEvents(client)).toEqual(recountEvents(happened));
    expect(await readFunnels(client)).toEqual(recountFunnels(expected, happened));
    expect(await readGoals(client)).toEqual(recountGoals(expected, happened));
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
      `/v1/analytics/${project.projectId}/text-fragments`,
    );
    expect(
      Object.fromEntries(passages.map(({ passage, path, visitors }) => [`${passage} ${path}`, visitors])),
    ).toEqual(quoted);
    expect(await readVisits(client)).toEqual(visits);
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
