import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { combined, startImport } from '../support/import/import-run.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

type Rows = Record<string, Record<string, string | number>[]>;

/** Views by the names of a report. */
async function read(project: Pick<ProjectClient, 'get' | 'projectId'>, report: string, field = report) {
  const reply = await project.get<Rows>(`/v1/analytics/${project.projectId}/${report}?limit=250`);
  return Object.fromEntries((reply[field] ?? []).map((row) => [Object.values(row)[0], row.total]));
}

test.each([
  ['facebook.com', ['https://www.facebook.com/', 'https://l.facebook.com/l.php', 'https://m.facebook.com/']],
  ['facebook.com', ['https://lm.facebook.com/', 'android-app://com.facebook.katana/']],
  ['reddit.com', ['https://old.reddit.com/r/tea', 'https://out.reddit.com/', 'https://www.reddit.com/']],
  ['x.com', ['https://t.co/k9QxT2', 'https://twitter.com/', 'https://mobile.x.com/']],
  ['google.com', ['https://www.google.de/', 'https://google.co.uk/', 'https://www.google.com/']],
  ['google.com', ['android-app://com.google.android.googlequicksearchbox/https/www.google.com']],
  ['search.yahoo.com', ['https://de.search.yahoo.com/', 'https://r.search.yahoo.com/']],
  ['Gmail', ['android-app://com.google.android.gm/', 'https://mail.google.com/']],
  ['slack.com', ['android-app://com.Slack', 'https://app.slack.com/client']],
  ['ChatGPT', ['https://chatgpt.com/', 'android-app://com.openai.chatgpt/']],
  ['en.wikipedia.org', ['https://en.m.wikipedia.org/wiki/Tea', 'https://en.wikipedia.org/wiki/Tea']],
  ['news.example', ['https://m.news.example/', 'https://amp.news.example/a', 'https://news.example:8443/']],
  ['m.example', ['https://m.example/']],
  ['googleblog.com', ['https://googleblog.com/']],
  ['com.unknown.app', ['android-app://com.unknown.app/']],
])('%s is one source: %j', async (source, referrers) => {
  const project = await headcount.addProject();
  for (const r of referrers) await project.hit({ u: 'https://example.com/', r });
  expect(await read(project, 'sources')).toEqual({ [source]: 1 });
});

test.each([
  ['facebook.com', 'https://m.facebook.com/', ['facebook', 'FB']],
  ['x.com', 'https://t.co/k9QxT2', ['twitter', 'x.com']],
  ['ChatGPT', 'https://chatgpt.com/', ['chatgpt', 'chatgpt.com', 'openai']],
  ['Perplexity', 'https://www.perplexity.ai/', ['perplexity', 'Perplexity']],
  ['Qwen', 'https://chat.qwen.ai/', ['qwen']],
  ['google.com', 'https://www.google.com/', ['google']],
  ['medium', 'https://example.com/', ['medium']],
])('%s is one source, whether %s sent people or utm_source says so: %j', async (source, r, names) => {
  const project = await headcount.addProject();
  await project.hit({ u: 'https://example.com/', r });
  for (const name of names) await project.hit({ u: `https://example.com/?utm_source=${name}` });
  expect(await read(project, 'sources')).toEqual({ [source]: 1 });
});

test('campaigns are counted by each of their parameters, and are no part of the path', async () => {
  const project = await headcount.addProject();
  const spring = 'utm_source=News&utm_medium=email&utm_campaign=Spring%20sale&ref=footer';
  await project.hit({ u: `https://example.com/tea?${spring}` });
  await project.hit({ u: 'https://example.com/tea?utm_campaign=&ref=%20&utm_medium=anna%40example.com' });
  await project.hit({ u: 'https://example.com/tea' });
  expect(await project.views()).toEqual({ '/tea': { human: 3, ai: 0, total: 3 } });
  expect(await read(project, 'utm-campaigns', 'utmCampaigns')).toEqual({ 'Spring sale': 1 });
  expect(await read(project, 'utm-sources', 'utmSources')).toEqual({ News: 1 });
  expect(await read(project, 'utm-mediums', 'utmMediums')).toEqual({ email: 1, ':email': 1 });
  expect(await read(project, 'refs')).toEqual({ footer: 1 });
  expect(await read(project, 'sources')).toEqual({ '(direct)': 1, news: 1 });
});

test('campaigns of access logs are counted too', async () => {
  const run = await startImport();
  const path = '/tea?utm_campaign=spring&ref=toot';
  const log = await run.write('access.log', combined({ at: '2026-01-02T03:04:05Z', path }));
  await run.import([log]);
  expect(await read(run.project, 'utm-campaigns', 'utmCampaigns')).toEqual({ spring: 1 });
  expect(await read(run.project, 'refs')).toEqual({ toot: 1 });
  await run.stop();
});
