import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FreshnessReply } from '../../shared/reports/sites.ts';
import { runHeadcount } from '../support/child.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { combined } from '../support/import/import-run.ts';
import { offlineProofs } from '../support/proof/offline-proofs.ts';
import { agents } from '../support/sites/counted-site.ts';
import { type PublicSite, startPublicSite } from '../support/sites/public-site.ts';

interface Disallowed {
  disallowed: { client: string; path: string; views: number }[];
}

const clock = createClock('2026-11-10T10:00:00Z');
let site: PublicSite;
let headcount: Headcount;

beforeAll(async () => {
  site = await startPublicSite();
  headcount = await startHeadcount({
    now: clock.now,
    env: { HEADCOUNT_OFFLINE: '0' },
    siteOptions: { get: site.get, everyMs: 10 },
    // Only the site is asked.
    proofs: offlineProofs(clock.now),
  });
});
afterAll(async () => {
  await headcount.stop();
  await site.close();
});

const read = async ({ projectId, get }: ProjectClient) =>
  (await get<Disallowed>(`/v1/analytics/${projectId}/ai-disallowed`)).disallowed;

/** A project whose site answers like this, once that is known. */
async function addProject(status: FreshnessSite['robots'], settings: object = {}): Promise<ProjectClient> {
  const project = await headcount.addProject({ siteHost: site.host, ...settings });
  const path = `/v1/analytics/${project.projectId}/freshness`;
  await expect.poll(async () => (await project.get<FreshnessReply>(path)).site?.fetchedAt).not.toBeNull();
  expect((await project.get<FreshnessReply>(path)).site?.robots).toBe(status);
  return project;
}

type FreshnessSite = NonNullable<FreshnessReply['site']>;

async function send(
  project: ProjectClient,
  views: (readonly [agent: keyof typeof agents, url: string, agoMs?: number])[],
): Promise<void> {
  const hits = views.map(([agent, url, agoMs = 0]) => ({
    url: new URL(url, `https://${site.host}`).href,
    ip: '198.51.100.1',
    userAgent: agents[agent],
    at: new Date(clock.now() - agoMs).toISOString(),
  }));
  expect(await (await project.hits(hits)).json()).toEqual({ accepted: hits.length, dropped: [] });
}

test('views of AI clients are judged by the robots.txt that was known at their time', async () => {
  site.answers['/robots.txt'] =
    'User-agent: GPTBot\nDisallow: /private\nAllow: /private/open\nDisallow: /*?draft=';
  const project = await addProject('found');
  await send(project, [
    ['GPTBot', '/private/a'],
    ['GPTBot', '/private/a#part'],
    ['GPTBot', '/private/anna@example.com'],
    ['GPTBot', '/private/open'],
    ['GPTBot', '/x.md?draft=1'],
    ['GPTBot', 'https://other.example.com/private/a'],
    ['ClaudeBot', '/private/a'],
    ['human', '/private/a'],
  ]);
  const first = [
    { client: 'GPTBot', path: '/private/a', views: 2 },
    { client: 'GPTBot', path: '/private/:email', views: 1 },
    { client: 'GPTBot', path: '/x.md', views: 1 },
  ];
  expect(await read(project)).toEqual(first);

  site.answers['/robots.txt'] = 'User-agent: *\nDisallow: /new';
  clock.advance(2 * dayMs);
  site.asked.length = 0;
  await expect.poll(() => site.asked).toContain('/sitemap.xml');
  await send(project, [
    ['ClaudeBot', '/new'],
    ['GPTBot', '/private/a'],
    ['ClaudeBot', '/new', hourMs],
    ['GPTBot', '/private/a', hourMs],
  ]);
  expect(await read(project)).toEqual([
    { client: 'GPTBot', path: '/private/a', views: 3 },
    { client: 'ClaudeBot', path: '/new', views: 1 },
    ...first.slice(1),
  ]);
});

test('an agent that runs the script is judged too', async () => {
  site.answers['/robots.txt'] = 'User-agent: *\nDisallow: /';
  const project = await addProject('found');
  const url = `https://${site.host}/page`;
  expect((await project.hit({ u: url }, { 'user-agent': agents.GPTBot })).status).toBe(202);
  expect((await project.hit({ u: url })).status).toBe(202);
  expect(await read(project)).toEqual([{ client: 'GPTBot', path: '/page', views: 1 }]);
});

test('a site without robots.txt disallows nothing, and one that never answered everything for thirty days', async () => {
  delete site.answers['/robots.txt'];
  const without = await addProject('missing');
  site.answers['/robots.txt'] = (_, response) => void response.writeHead(500).end();
  const failing = await addProject('unreachable');
  const view = ['GPTBot', '/page'] as const;
  await send(without, [view]);
  await send(failing, [view]);
  expect(await read(without)).toEqual([]);
  expect(await read(failing)).toEqual([{ client: 'GPTBot', path: '/page', views: 1 }]);
  clock.advance(31 * dayMs);
  await send(failing, [view]);
  expect(await read(failing)).toEqual([{ client: 'GPTBot', path: '/page', views: 1 }]);
});

test('nothing is judged where no site is named, or it gave no answer', async () => {
  site.answers['/robots.txt'] = (request) => request.socket.destroy();
  const silent = await addProject(null);
  const unnamed = await headcount.addProject();
  for (const project of [silent, unnamed]) {
    await send(project, [['GPTBot', '/page']]);
    expect(await read(project)).toEqual([]);
  }
});

test('lines of a log are judged by what was known when they were written', async () => {
  clock.set('2026-11-10T10:00:00Z');
  site.answers['/robots.txt'] = 'User-agent: *\nDisallow: /private';
  const project = await addProject('found');
  const line = (at: string, path: string, userAgent: string) =>
    combined({ at, ip: '198.51.100.7', path, userAgent });
  const log = `${headcount.dataDir}.log`;
  await writeFile(
    log,
    [
      line('2026-11-08T10:00:00Z', '/private/a', agents.GPTBot),
      line('2026-11-12T10:00:00Z', '/private/a', agents.GPTBot),
      line('2026-11-12T10:00:01Z', '/private/a', agents.human),
      line('2026-11-12T10:00:02Z', '/open', agents.GPTBot),
      line('2026-11-13T10:00:00Z', '/private/a', agents.ClaudeBot),
    ].join(''),
  );
  const { code, stderr } = await runHeadcount(['import', log, '--project', project.projectId], {
    HEADCOUNT_DATA_DIR: headcount.dataDir,
  });
  await rm(log);
  expect([code, stderr]).toEqual([0, '']);
  expect(await read(project)).toEqual([
    { client: 'ClaudeBot', path: '/private/a', views: 1 },
    { client: 'GPTBot', path: '/private/a', views: 1 },
  ]);
});
