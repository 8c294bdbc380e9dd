import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let project: ProjectClient;
beforeAll(async () => {
  headcount = await startHeadcount();
});
beforeEach(async () => {
  project = await headcount.addProject({});
});
afterAll(() => headcount.stop());

interface Row {
  language: string;
  human: number;
  ai: number;
  total: number;
}

const report = async (query = '') => {
  const { measured, ...rest } = await project.get<{ totals: object; languages: Row[]; measured: object }>(
    `/v1/analytics/${project.projectId}/languages?limit=250&${query}`,
  );
  return rest;
};

const hit = (acceptLanguage: string | undefined, changes: object = {}) => ({
  url: 'https://example.com/',
  ip: '192.0.2.1',
  userAgent: chromeUserAgent,
  ...(acceptLanguage !== undefined && { headers: { 'Accept-Language': acceptLanguage } }),
  ...changes,
});

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
  ['en', 'en'],
  ['EN-us', 'en-US'],
  ['fr;q=0.9, en', 'fr'],
  [' , ,nl-BE', 'nl-BE'],
  ['es-419,es;q=0.9', 'es-419'],
  // Script, variant and extensions are left out, and an old name is the present one.
  ['zh-Hant-TW', 'zh-TW'],
  ['sr-Latn-RS;q=1.000', 'sr-RS'],
  ['de-DE-1996-u-co-phonebk', 'de-DE'],
  ['iw-IL', 'he-IL'],
])('%j is read as %s', async (header, language) => {
  await project.hits([hit(header)]);
  expect((await report()).languages).toEqual([{ language, human: 1, ai: 0, total: 1 }]);
});

test('what names no language counts as a view without one', async () => {
  const headers = [
    undefined,
    '',
    '*',
    '*;q=0.5, de',
    'und',
    'english',
    'en_US',
    'C',
    'i-klingon',
    'x-private',
    'de;q=0',
    'de;q=9',
    'de;level=1',
    'de-',
    'de-a',
    "en'; drop table counts",
    'de-DE-1901-1994-1996-abcdefgh-abcdefgh',
    'a'.repeat(8_000),
  ];
  const response = await project.hits(headers.map((header) => hit(header)));
  expect(await response.json()).toEqual({ accepted: headers.length, dropped: [] });
  expect(await report()).toMatchObject({ totals: { human: 1, ai: 0, total: 1 }, languages: [] });
});

test('a visitor who reads in two languages on one day counts once in each', async () => {
  const other = { ip: '192.0.2.2' };
  const agent = { userAgent: 'GPTBot/1.4', ip: '192.0.2.3' };
  const german = ['de-AT', 'de-AT,en;q=0.5', 'de-AT'].map((header) => hit(header));
  await project.hits([...german, hit('en'), hit('en', other), hit('en', agent), hit(undefined, agent)]);
  expect(await report()).toEqual({
    totals: { human: 2, ai: 1, total: 3 },
    languages: [
      { language: 'en', human: 2, ai: 1, total: 3 },
      { language: 'de-AT', human: 1, ai: 0, total: 1 },
    ],
    hasMore: false,
  });
});

test('the script and the image tell it by the request itself', async () => {
  const headers = { 'User-Agent': chromeUserAgent, 'Accept-Language': 'pt-BR,pt;q=0.9' };
  const p = project.projectId;
  await fetch(`${headcount.url}/v1/hit`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ p, u: 'https://example.com/' }),
  });
  await fetch(`${headcount.url}/v1/pixel.gif?p=${p}&u=https://example.com/a`, { headers });
  await fetch(`${headcount.url}/v1/pixel.gif?p=${p}&u=https://example.com/a`, {
    headers: { ...headers, 'Accept-Language': 'it' },
  });
  expect((await report()).languages).toEqual([
    { language: 'it', human: 1, ai: 0, total: 1 },
    { language: 'pt-BR', human: 1, ai: 0, total: 1 },
  ]);
});

test('is searched and comes as a file like other reports', async () => {
  await project.hits([hit('de-AT'), hit('en', { ip: '192.0.2.2' })]);
  expect((await report('search=at')).languages).toEqual([{ language: 'de-AT', human: 1, ai: 0, total: 1 }]);
  const file = await fetch(`${headcount.url}/v1/analytics/${project.projectId}/languages?format=csv`, {
    headers: { Authorization: `Bearer ${project.adminKey}` },
  });
  expect(await file.text()).toBe(
    'language,human,ai,total\r\n"de-AT",1,0,1\r\n"en",1,0,1\r\n'.replace(
      'language,human,ai,total',
      '"language","human","ai","total"',
    ),
  );
});
