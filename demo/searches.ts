import type { Day } from '../server/counting/calendar.ts';
import type { SearchPeriod, SearchRow, SearchStore } from '../server/store/searches.ts';

/** Search Console is two days behind, as it always is. */
const lag = 2;
const days = 28;

const row = (name: string, clicks: number, impressions: number, position: number): SearchRow => ({
  ...{ name, clicks, impressions, citations: 0, pages: null },
  positions: Math.round(position * impressions * 100),
});

const cited = (name: string, citations: number, pages: number | null = null): SearchRow => ({
  ...{ name, clicks: 0, impressions: 0, positions: null, citations, pages },
});

/** Fewer people search at the weekend; 1970-01-01 was a Thursday. */
const share = (day: Day) => ((day + 3) % 7 > 4 ? 0.5 : 1) * (1 + (day % 5) / 10);

const queries = [
  row('teapot docs', 96, 410, 1.3),
  row('http 418', 61, 2_900, 6.8),
  row('install teapot npm', 44, 380, 2.1),
  row('teapot api pots', 17, 240, 3.4),
  row('how to pour tea without dripping', 2, 1_150, 18.6),
];

const pages = [
  row('/', 102, 1_240, 4.2),
  row('/docs/errors/418', 66, 3_050, 6.9),
  row('/docs/install', 48, 720, 3.1),
  row('/docs/api/pots', 21, 410, 5.2),
  row('/pricing', 4, 130, 7.7),
];

/** What the exports of search engines would contain. */
export async function addSearches(searches: SearchStore, projectId: string, today: Day): Promise<void> {
  const set = (period: SearchPeriod, rows: SearchRow[]) => searches.setPeriod(projectId, period, rows);
  const last = today - lag;
  const range = { from: last - days + 1, to: last };
  for (let day = range.from; day <= last; day++) {
    const of = { kind: 'site', from: day, to: day } as const;
    const clicks = Math.round(9 * share(day));
    await set({ tool: 'search-console', ...of }, [row('', clicks, 21 * clicks, 7.4)]);
    await set({ tool: 'bing', ...of }, [{ ...row('', clicks % 4, 3 * clicks, 0), positions: null }]);
    await set({ tool: 'bing-ai', ...of }, [cited('', 4 * clicks, 3 + (clicks % 5))]);
  }
  await set({ tool: 'search-console', kind: 'query', ...range }, queries);
  await set({ tool: 'search-console', kind: 'page', ...range }, pages);
  await set({ tool: 'search-console', kind: 'country', ...range }, [
    row('Germany', 88, 2_100, 6.1),
    row('United States', 71, 2_600, 7.9),
    row('Japan', 29, 640, 5.4),
  ]);
  await set({ tool: 'search-console', kind: 'device', ...range }, [
    row('desktop', 171, 3_900, 6.3),
    row('mobile', 62, 1_800, 8.8),
    row('tablet', 3, 70, 9.1),
  ]);
  await set({ tool: 'bing-ai', kind: 'query', ...range }, [
    cited('teapot sdk authentication example', 388),
    cited('what does http status 418 mean', 251),
  ]);
  await set({ tool: 'bing-ai', kind: 'page', ...range }, [
    cited('/docs/api/authentication', 402),
    cited('/docs/errors/418', 267),
  ]);
}
