import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FiltersReply } from '../../shared/reports/analytics.ts';
import { agents, type CountedSite, startCountedSite } from '../support/sites/counted-site.ts';

let { headcount, read } = {} as CountedSite;

beforeAll(async () => {
  ({ headcount, read } = await startCountedSite());
  const hit = (url: string, referrer = '') => ({ url, referrer, ip: '192.0.2.1', userAgent: agents.human });
  const response = await headcount.hits([
    hit('https://example.com/de/%C3%BCberdauern-k%C3%B6nnte', 'https://b\u00fccher.example/a'),
    hit('https://example.com/app?q=%C3%BC', 'https://chatgpt.com/'),
    hit('https://example.com/numbered?utm_source=1.2'),
  ]);
  expect(await response.json()).toMatchObject({ accepted: 3 });
});
afterAll(() => headcount.stop());

const encoded = encodeURIComponent;
const page = '/de/%C3%BCberdauern-k%C3%B6nnte';

const spellings = [
  page,
  '/de/\u00fcberdauern-k\u00f6nnte',
  '/de/%c3%bcberdauern-k%c3%b6nnte/',
  'de/\u00fcberdauern-k\u00f6nnte',
  `https://example.com${page}?utm_source=x#top`,
];

test('every report that can be limited to a page finds it by each spelling of its path', async () => {
  const { reports } = await read<FiltersReply>('filters');
  const known = reports.filter(
    ({ report, filters }) => !report.includes('{') && filters.some((names) => names.join() === 'path'),
  );
  expect(known.length).toBeGreaterThan(10);
  for (const { report } of known) {
    const right = await read(`${report}?path=${encoded(page)}`);
    for (const spelling of [...spellings, decodeURIComponent(page)]) {
      expect(await read(`${report}?path=${encoded(spelling)}`), `${report} ${spelling}`).toEqual(right);
    }
    // As it is pasted into an address, which decodes it once.
    expect(await read(`${report}?path=${page}`), report).toEqual(right);
  }
  const { sources } = await read<{ sources: unknown[] }>(`sources?path=${page}`);
  expect(sources).toHaveLength(1);
  const numbered = await read<{ sources: object[] }>('sources?path=/numbered');
  expect(numbered.sources).toMatchObject([{ source: '1.2' }]);
});

describe('a filter finds the row that is counted in another spelling', () => {
  test.each([
    ['path', '/app?q=%C3%BC', '/app?q=\u00fc'],
    ['path', '/app?q=%C3%BC', 'https://example.com/app/?utm_source=x&q=%C3%BC'],
    ['source', 'xn--bcher-kva.example', 'b\u00fccher.example'],
    ['source', 'xn--bcher-kva.example', 'https://www.B\u00dcCHER.example/x'],
    ['source', 'ChatGPT', 'chatgpt'],
    ['device', 'desktop', 'Desktop'],
  ])('%s %s as %s', async (name, counted, written) => {
    const right = await read(`series?${name}=${encoded(counted)}`);
    expect(right).not.toEqual(await read(`series?${name}=nothing`));
    expect(await read(`series?${name}=${encoded(written)}`)).toEqual(right);
  });
});
