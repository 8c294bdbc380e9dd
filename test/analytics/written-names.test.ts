import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDescription } from '../../server/description/routes.ts';
import { operations } from '../../server/operations.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { FiltersReply } from '../../shared/reports/analytics.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { agents, type CountedSite, startCountedSite } from '../support/sites/counted-site.ts';

let { headcount, read, get } = {} as CountedSite;
/** What reports are below: those of the project, and those of its shared page. */
let places: Record<'project' | 'share', string>;

const tagged =
  'utm_source=News.Letter&utm_medium=E-Mail&utm_campaign=Spring_Sale%202026&ref=Product%20Hunt&q=1';

beforeAll(async () => {
  ({ headcount, read, get } = await startCountedSite());
  const { projectId } = headcount;
  const hit = (url: string, more: object = {}) => ({ url, ip: '8.8.8.8', userAgent: agents.human, ...more });
  const response = await headcount.hits([
    hit('https://example.com/de/%C3%BCberdauern-k%C3%B6nnte', { referrer: 'https://b\u00fccher.example/a' }),
    hit('https://example.com/de/%C3%BCberdauern-k%C3%B6nnte', { userAgent: agents.GPTBot }),
    hit('https://example.com/app?q=%C3%BC', { referrer: 'https://chatgpt.com/' }),
    hit('https://example.com/numbered?utm_source=1.2'),
    hit(`https://example.com/tagged?${tagged}`, { headers: { 'accept-language': 'de-AT' } }),
    hit('https://example.com/both?utm_campaign=Autumn'),
    hit('https://example.com/both?utm_campaign=autumn'),
  ]);
  expect(await response.json()).toMatchObject({ accepted: 7 });
  await headcount.hit({ u: 'https://example.com/tagged', s: 3 });
  await headcount.hit({ u: 'https://example.com/tagged', e: 'Sign up' });
  const client = await openDashboard(headcount);
  const link = await client.must<LinkReply>('POST', `/v1/admin/projects/${projectId}/links`, {
    kind: 'page',
  });
  const token = new URL(link.url).pathname.split('/').at(-1);
  places = { project: `/v1/analytics/${projectId}`, share: `/v1/share/${token}` };
});
afterAll(() => headcount.stop());

const encoded = encodeURIComponent;
const page = '/de/%C3%BCberdauern-k%C3%B6nnte';

/** By filter: a name as it is counted, and other ways to write it. */
const spellings: Record<string, readonly [counted: string, ...written: string[]]> = {
  path: [
    page,
    '/de/\u00fcberdauern-k\u00f6nnte',
    '/de/u\u0308berdauern-ko\u0308nnte',
    '/de/u%CC%88berdauern-ko%cc%88nnte',
    '/de/%c3%bcberdauern-k%c3%b6nnte/',
    'de/\u00fcberdauern-k\u00f6nnte',
    ` ${page} `,
    `${page}?utm_source=x`,
    `${page}#top`,
    `${page}/?fbclid=1#:~:text=a`,
    `https://example.com${page}?utm_source=x#top`,
    `HTTPS://EXAMPLE.com:443${page}`,
    `example.com${page}`,
    `//example.com${page}#top`,
  ],
  source: [
    'xn--bcher-kva.example',
    'b\u00fccher.example',
    'https://www.B\u00dcCHER.example/x',
    'B\u00fccher.Example.',
    'www.b\u00fccher.example',
    'bu\u0308cher.example',
    '\uff42\u00fccher\uff0eexample',
  ],
  client: [
    'GPTBot',
    'gptbot',
    ' GPTBOT ',
    'GPT Bot',
    'gpt-bot',
    'GPTBot/1.4',
    '\uff27\uff30\uff34\uff22\uff4f\uff54',
    '\u00a0gptbot\t',
  ],
  country: ['US', 'us', ' Us', 'USA', 'United States', 'united states of america', 'Vereinigte Staaten'],
  language: [
    'de-AT',
    'de-at',
    'DE_AT',
    'Austrian German',
    '\u00d6sterreichisches Deutsch',
    'O\u0308sterreichisches  Deutsch',
  ],
  device: ['desktop', 'Desktop', ' DESKTOP ', 'computer', '\uff44esktop'],
  browser: ['Chrome', 'chrome', 'Google Chrome', 'Chrome 142', 'chrome/142.0.0.0', '\uff23hrome', 'CHROME '],
  system: [
    'Windows',
    'windows',
    'Windows 10',
    'Microsoft Windows',
    '\uff37\uff49\uff4e\uff44\uff4f\uff57\uff53 10',
  ],
  screen: ['md', 'MD', 'medium', '\uff4d\uff44'],
  utmSource: ['News.Letter', 'news.letter', ' NEWS.LETTER'],
  utmMedium: ['E-Mail', 'e-mail', 'email', 'E Mail'],
  utmCampaign: [
    'Spring_Sale 2026',
    'spring_sale 2026',
    'spring-sale-2026',
    'Spring Sale 2026',
    'spring sale \uff12\uff10\uff12\uff16',
  ],
  ref: ['Product Hunt', 'product hunt', 'producthunt', 'Product_Hunt'],
  event: ['Sign up', 'sign up', 'sign-up', 'SIGNUP', '\uff33ign\u3000up'],
  operator: ['OpenAI', 'openai', 'Open AI', '\uff2fpen\u00a0AI'],
};

/** All reports that take a name, with the parameter that takes it, and what else they need. */
async function listReports(): Promise<{ path: string; name: string; inPath: boolean }[]> {
  const { paths } = await readDescription(operations);
  return Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ name }) => Object.hasOwn(spellings, name))
      .map(({ name, in: place }) => ({ path, name, inPath: place === 'path' }))
      .filter(() => path.startsWith('/v1/analytics/{projectId}/') || path.startsWith('/v1/share/{token}/'))
      // What a browser may be asked to do, and no name of a report; and files of all that is asked here.
      .filter(({ path }) => !/\/(ai-rules|export)$/.test(path)),
  );
}

test('every report finds a name by each way to write it', async () => {
  const reports = await listReports();
  expect(reports.length).toBeGreaterThan(80);
  const seen = new Set<string>();
  for (const { path, name, inPath } of reports) {
    const [counted, ...written] = spellings[name] as [string, ...string[]];
    const ask = async (text: string) => {
      const place = path
        .replace('/v1/analytics/{projectId}', places.project)
        .replace('/v1/share/{token}', places.share)
        .replace(`{${name}}`, encoded(text))
        .replace('{client}', 'GPTBot');
      const address = headcount.url + place + (inPath ? '' : `?${name}=${encoded(text)}`);
      const response = await fetch(address, { headers: { authorization: `Bearer ${headcount.adminKey}` } });
      expect(response.status, `${path} ${text}`).toBe(200);
      return response.json();
    };
    const right = await ask(counted);
    if (JSON.stringify(right) !== JSON.stringify(await ask('nothing'))) seen.add(name);
    for (const text of written) expect(await ask(text), `${path} by ${name} "${text}"`).toEqual(right);
  }
  // Each was counted, so that no zero was held against a zero.
  expect([...Object.keys(spellings)].filter((name) => !seen.has(name))).toEqual([]);
});

describe('a filter', () => {
  test('says which names may be meant where several are', async () => {
    const response = await get('series?utmCampaign=AUTUMN');
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: 'The query is not valid: "AUTUMN" may be "Autumn" or "autumn".',
        details: [{ path: 'utmCampaign' }],
      },
    ]);
    const exact = await read<{ totals: object }>('series?utmCampaign=autumn');
    expect(await read('series?utmCampaign=Autumn')).not.toEqual(await read('series?utmCampaign=nothing'));
    expect(exact).not.toEqual(await read('series?utmCampaign=nothing'));
  });

  test.each([
    ['path', '/app?q=%C3%BC', '/app?q=\u00fc'],
    ['path', '/app?q=%C3%BC', 'https://example.com/app/?utm_source=x&q=%C3%BC'],
    ['source', 'ChatGPT', 'chatgpt'],
    ['source', 'ChatGPT', 'https://chatgpt.com/c/1'],
    ['source', '1.2', ' 1.2'],
  ])('finds the row of %s %s as %s', async (name, counted, written) => {
    const right = await read(`series?${name}=${encoded(counted)}`);
    expect(right).not.toEqual(await read(`series?${name}=nothing`));
    expect(await read(`series?${name}=${encoded(written)}`)).toEqual(right);
  });

  test.each([
    ['source', 'b-cher.example'],
    ['utmCampaign', 'Spring_Sale'],
    ['utmSource', '12'],
    ['path', '/DE'],
  ])('takes no other name: %s %s', async (name, written) => {
    expect(await read(`series?${name}=${encoded(written)}`)).toEqual(await read(`series?${name}=nothing`));
  });

  test('of a page is decoded once, as it is pasted into an address', async () => {
    const { reports } = await read<FiltersReply>('filters');
    const known = reports.filter(
      ({ report, filters }) => !report.includes('{') && filters.some((names) => names.join() === 'path'),
    );
    expect(known.length).toBeGreaterThan(10);
    for (const { report } of known)
      expect(await read(`${report}?path=${page}`), report).toEqual(
        await read(`${report}?path=${encoded(page)}`),
      );
    const numbered = await read<{ sources: object[] }>('sources?path=/numbered');
    expect(numbered.sources).toMatchObject([{ source: '1.2' }]);
  });

  test('finds a search of a host in its own letters', async () => {
    const { sources } = await read<{ sources: object[] }>(`sources?search=${encoded('B\u00fccher')}`);
    expect(sources).toMatchObject([{ source: 'xn--bcher-kva.example' }]);
  });
});

test('a goal is found by each way to write it', async () => {
  await fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ goals: ['/tagged', 'Sign up'] }),
  });
  await headcount.hit({ u: 'https://example.com/tagged', e: 'Sign up' });
  for (const [counted, ...written] of [
    ['/tagged', '/tagged/', 'tagged', 'https://example.com/tagged?x=1#top'],
    ['Sign up', 'sign up', 'Sign-Up'],
  ]) {
    const right = await read(`goals/${encoded(String(counted))}/sources`);
    for (const text of written) expect(await read(`goals/${encoded(text)}/sources`), text).toEqual(right);
  }
});
