import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { personalContext, startBrowser } from '../support/browser.ts';
import { claudeCode, googlebot, gptBot, manus } from '../support/browsers.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { type ConnectedSite, siteKinds, startConnectedSite } from '../support/packages/connect.ts';

let headcount: Headcount;
let browser: Browser;

beforeAll(async () => {
  // All in one day, also around midnight.
  const startedAt = Date.now();
  [headcount, browser] = await Promise.all([startHeadcount({ now: () => startedAt }), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

type Site = ConnectedSite & { project: ProjectClient; dropped(): Promise<Record<string, number>> };

const startSite = async (
  kind: (typeof siteKinds)[number],
  options: { countPeople?: boolean } = {},
): Promise<Site> => {
  const project = await headcount.addProject();
  const script = options.countPeople ? '' : project.snippet;
  const page = {
    body: `<!doctype html><title>Page</title><link rel="stylesheet" href="/style.css">${script}<p>Text`,
  };
  const pages = {
    '/': page,
    '/docs': page,
    '/docs.md': { type: 'text/markdown', body: '# Docs' },
    '/llms.txt': { type: 'text/plain', body: '# Site' },
    '/style.css': { type: 'text/css', body: 'p {}' },
    '/data.json': { type: 'application/json', body: '{}' },
    '/robots.txt': { type: 'text/plain', body: '' },
    '/healthz': { type: 'text/plain', body: 'ok' },
    '/broken': { ...page, status: 500 },
    '/old': { ...page, status: 301 },
  };
  const site = await startConnectedSite(kind, pages, {
    server: headcount.url,
    key: project.ingestKey,
    ...options,
  });
  onTestFinished(() => site.stop());
  const dropped = async () => {
    await headcount.context.ingest.drain();
    const path = `/v1/analytics/${project.projectId}/dropped`;
    const reply = await project.get<{ dropped: { reason: string; hits: number }[] }>(path);
    return Object.fromEntries(reply.dropped.map(({ reason, hits }) => [reason, hits]));
  };
  return { ...site, project, dropped };
};

/** A client without scripts; `from` is what a proxy on this machine says. */
const read = (site: ConnectedSite, path: string, userAgent: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { redirect: 'manual', headers: { 'user-agent': userAgent, ...headers } }).then(
    (answer) => answer.text(),
  );

/** Opens pages one after the other; on each waits until all that tell of it have told. */
const browse = async (site: Site, paths: string[], tellings: number, userAgent?: string) => {
  const context = await browser.newContext({ ...personalContext, ...(userAgent && { userAgent }) });
  const page = await context.newPage();
  const told = async () => {
    const views = Object.values(await site.project.views()).map(({ total }) => total);
    return [...views, (await site.dropped()).same_view ?? 0].reduce((sum, count) => sum + count, 0);
  };
  for (const [index, path] of paths.entries()) {
    await page.goto(site.url + path);
    await site.flush();
    await expect.poll(told, { interval: 20 }).toBe((index + 1) * tellings);
  }
  await context.close();
};

describe.each(siteKinds)('a site with %s and the script', (kind) => {
  test('counts people by the script and AI by its reports, each once', async () => {
    const site = await startSite(kind);
    await browse(site, ['/', '/docs', '/docs'], 1);
    await read(site, '/', gptBot, { 'x-forwarded-for': '20.171.206.7' });
    await read(site, '/docs', gptBot, { 'x-forwarded-for': '20.171.206.7' });
    await read(site, '/docs.md?x=1', claudeCode, { 'x-forwarded-for': '198.51.100.7' });
    await read(site, '/llms.txt', claudeCode, { 'x-forwarded-for': '198.51.100.7' });
    await read(site, '/docs', googlebot);
    await site.flush();
    expect(await site.project.views()).toEqual({
      '/': { human: 1, ai: 2, total: 3 },
      '/docs': { human: 2, ai: 2, total: 4 },
    });
    expect(await site.project.visitors()).toEqual({
      '/': { human: 1, ai: 2, total: 3 },
      '/docs': { human: 1, ai: 2, total: 3 },
    });
    expect(await site.dropped()).toEqual({ left_to_script: 3, bot: 1 });
    const { clients } = await site.project.get<{ clients: unknown[] }>(
      `/v1/analytics/${site.project.projectId}/ai-clients`,
    );
    expect(clients).toMatchObject([
      { client: 'Claude Code', proof: 'claimed', visitors: 1, views: 2 },
      { client: 'GPTBot', proof: 'verified', visitors: 1, views: 2 },
    ]);
    expect(site.log).toEqual([]);
  });

  test('counts an AI client that runs the script once for each page it loads', async () => {
    const site = await startSite(kind);
    await browse(site, ['/', '/docs', '/docs'], 2, manus);
    await site.flush();
    expect(await site.project.views()).toEqual({
      '/': { human: 0, ai: 1, total: 1 },
      '/docs': { human: 0, ai: 2, total: 2 },
    });
    expect(await site.project.visitors()).toMatchObject({ '/': { total: 1 }, '/docs': { total: 1 } });
    expect(await site.dropped()).toEqual({ same_view: 3 });
  });

  test('reports pages that were read, and nothing else', async () => {
    const site = await startSite(kind);
    for (const path of [
      '/style.css',
      '/data.json',
      '/robots.txt',
      '/healthz',
      '/broken',
      '/old',
      '/nowhere',
    ]) {
      await read(site, path, gptBot);
    }
    await read(site, '/', gptBot, { 'sec-purpose': 'prefetch;prerender' });
    await read(site, '/', gptBot, { rsc: '1' });
    await read(site, '/', gptBot, { 'sec-fetch-dest': 'empty' });
    await fetch(`${site.url}/`, { method: 'POST', headers: { 'user-agent': gptBot } });
    await fetch(`${site.url}/docs`, { method: 'HEAD', headers: { 'user-agent': gptBot } });
    await site.flush();
    expect(await site.project.views()).toEqual({ '/docs': { human: 0, ai: 1, total: 1 } });
    expect(await site.dropped()).toEqual({});
  });
});

describe.each(siteKinds)('a site with %s alone', (kind) => {
  test('counts people too, with their addresses and where they came from', async () => {
    const site = await startSite(kind, { countPeople: true });
    const person = { accept: 'text/html', 'x-forwarded-for': '203.0.113.9, 127.0.0.1' };
    await read(site, '/', chromeUserAgent, { ...person, referer: 'https://news.example/story' });
    await read(site, '/docs', chromeUserAgent, { ...person, referer: `${site.url}/` });
    await read(site, '/docs', chromeUserAgent, { ...person, 'x-forwarded-for': '203.0.113.10' });
    await site.flush();
    expect(await site.project.visitors()).toEqual({
      '/': { human: 1, ai: 0, total: 1 },
      '/docs': { human: 2, ai: 0, total: 2 },
    });
    const { sources } = await site.project.get<{ sources: { source: string; human: number }[] }>(
      `/v1/analytics/${site.project.projectId}/sources`,
    );
    expect(sources).toMatchObject([
      { source: '(direct)', human: 1 },
      { source: 'news.example', human: 1 },
    ]);
  });
});

test('what is asked for again and not changed was read again', async () => {
  const site = await startSite('express');
  const first = await fetch(`${site.url}/docs`, { headers: { 'user-agent': gptBot } });
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(`${site.url}/docs`, {
    headers: { 'user-agent': gptBot, 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  expect(again.status).toBe(304);
  const style = await fetch(`${site.url}/style.css`, { headers: { 'user-agent': gptBot } });
  const headers = {
    'user-agent': gptBot,
    'if-none-match': style.headers.get('etag') ?? '',
    'cache-control': 'max-age=0',
  };
  expect((await fetch(`${site.url}/style.css`, { headers })).status).toBe(304);
  await site.flush();
  expect(await site.project.views()).toEqual({ '/docs': { human: 0, ai: 2, total: 2 } });
});
