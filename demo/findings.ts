import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Day } from '../server/counting/calendar.ts';
import type { CounterEntry, CounterIncrement } from '../server/counting/counter.ts';
import { packPages } from '../server/sitefiles/sitemap/sitemap-copy.ts';
import { databaseFile } from '../server/store/sqlite/store.ts';
import { visibleSeconds } from '../shared/visible-time.ts';
import { dayMs } from '../test/support/clock.ts';
import type { FilledHeadcount } from '../test/support/dataset/dataset.ts';
import { programsPages, siteHost } from '../test/support/dataset/site.ts';
import { addSearches } from './searches.ts';

type Finding = CounterEntry & { hits: number; amount?: number };

/** What each of the last days has, and how often. */
const found: readonly Finding[] = [
  sent('GPTBot', 210, 2.6e8),
  sent('ClaudeBot', 190, 2.1e8),
  sent('Meta-ExternalAgent', 90, 1.3e8),
  { counter: 'signatures', group: 'OpenAI', name: 'valid', hits: 41 },
  { counter: 'signatures', group: 'OpenAI', name: 'expired', hits: 2 },
  { counter: 'signatures', group: 'Browserbase', name: 'valid', hits: 6 },
  { counter: 'signatures', group: '(not known)', name: 'key directory not known', hits: 3 },
  { counter: 'ai-disallowed', group: 'CCBot', name: '/docs/internal/roadmap', hits: 2 },
  { counter: 'ai-disallowed', group: 'Bytespider', name: '/docs/internal/roadmap', hits: 4 },
  { counter: 'ai-disallowed', group: 'PerplexityBot', name: '/search', hits: 1 },
  { counter: 'ai-networks', group: 'Bytespider', name: 'own', hits: 24 },
  { counter: 'ai-networks', group: 'CCBot', name: 'rented', hits: 17 },
  { counter: 'ai-networks', group: 'PerplexityBot', name: 'other', hits: 3 },
  ...seen('/docs/install', [46, 31, 22, 9, 1]),
  ...seen('/docs/quickstart', [38, 29, 24, 14, 3]),
  ...seen('/', [41, 17, 6, 2, 0]),
  ...seen('/pricing', [19, 11, 5, 1, 0]),
  quoted('google.com', 'A teapot answers 418 when it is asked for coffee', '/docs/errors/418', 7),
  quoted('Perplexity', 'Pour … until the lid is warm', '/docs/quickstart', 4),
  quoted('bing.com', 'npm install teapot', '/docs/install', 3),
];

/** Views of a page by how long it was in sight. */
function seen(path: string, views: readonly number[]): Finding[] {
  return visibleSeconds.map((seconds, step) => {
    return { counter: 'visible-time', group: String(seconds), name: path, hits: views[step] ?? 0 };
  });
}

/** Answers whose length is known. */
function sent(client: string, hits: number, bytes: number) {
  return { counter: 'ai-bytes', group: client, name: '', hits, amount: bytes } as const;
}

function quoted(source: string, passage: string, path: string, hits: number) {
  return { counter: 'text-fragments', group: `${source}\t${passage}`, name: path, hits } as const;
}

/** The site was changed every few days; one page nobody has read. */
function sitemap(today: Day): { url: string; lastmod: string }[] {
  return ['/docs/pouring-left-handed', ...programsPages].map((path, index) => ({
    url: `https://${siteHost}${path}`,
    lastmod: new Date((today - 4 - 3 * index) * dayMs).toISOString().slice(0, 10),
  }));
}

/** As if Headcount had been updated then: days before were judged by the first version of the rules. */
function judgeByOlderRules(dataDir: string, day: Day): void {
  const db = new Database(join(dataDir, databaseFile));
  db.prepare('update rule_days set version = 1 where day < ?').run(day);
  db.close();
}

/** Views by AI clients that came with a later version of the rules. */
const newlyKnown = ['GrokBot', 'MoonshotBot', 'xAI-SearchBot'].flatMap((client, index) =>
  programsPages.slice(0, 6 - index).map((path) => ({
    url: `https://${siteHost}${path}`,
    ip: `192.0.2.${60 + index}`,
    userAgent: `Mozilla/5.0 (compatible; ${client}/1.0)`,
    headers: { accept: 'text/html' },
  })),
);

/** What reports, a proxy and the site itself would report in time: put where it is kept, so that each report has something. */
export async function addFindings({
  context,
  clock,
  projectId,
  adminKey,
  dataDir,
  url,
}: FilledHeadcount): Promise<void> {
  const { store } = context;
  const now = clock.now();
  const today: Day = Math.floor(now / dayMs);
  const counters = [0, 1, 2, 3, 4].flatMap((ago) =>
    found.map((entry): CounterIncrement => ({ amount: 0, ...entry, projectId, day: today - ago })),
  );
  await store.countViews([], [], counters);
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered: ${await answer.text()}`);
  };
  await ask('PATCH', `/v1/projects/${projectId}`, { siteHost, trafficPrice: 0.09 });
  const release = {
    date: new Date((today - 14) * dayMs).toISOString().slice(0, 10),
    ...{ text: 'Teapot 2.1 is documented', paths: ['/docs/api/*', '/changelog'] },
  };
  await ask('POST', `/v1/analytics/${projectId}/annotations`, release);
  await store.annotations.addAnnotation({
    ...{ projectId, id: 'merged-demo', day: today - 28, kind: 'merge', createdAt: now - 28 * dayMs },
    text: 'Have the errors say what to do',
    affected: ['content/docs/api/pots.md', 'content/docs/api/cups.md', 'content/docs/errors/418.md'],
    url: null,
  });
  await addSearches(store.searches, projectId, today);
  judgeByOlderRules(dataDir, today - 5);
  await ask('POST', '/v1/hits', { project: projectId, hits: newlyKnown });
  const look = { projectId, host: siteHost, now, dueAt: now + dayMs };
  if (!(await store.sites.claimSite(look))) throw new Error('Somebody else looks at the site.');
  await store.sites.keepRobots({
    ...{ projectId, host: siteHost, knownAt: now - 30 * dayMs, status: 'found' },
    text: 'User-agent: *\nDisallow: /docs/internal/\nDisallow: /search\n',
  });
  const pages = await packPages(sitemap(today), siteHost);
  await store.sites.keepSitemap({ projectId, host: siteHost, fetchedAt: now, pages });
  await store.sites.settleSite({ ...look, trouble: '' });
}
