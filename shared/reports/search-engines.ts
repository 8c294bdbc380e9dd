import { z } from 'zod';
import { oneOf, paging, range } from './analytics.ts';

/** What search engines tell owners of sites: as commands name the exports, and as they are shown. */
export const searchTools = {
  'search-console': 'Google Search Console',
  bing: 'Bing Webmaster Tools',
  'bing-ai': 'Bing AI Performance',
} as const;

export type SearchTool = keyof typeof searchTools;
export const searchToolNames = Object.keys(searchTools) as [SearchTool, ...SearchTool[]];

/** What their numbers are of, besides the site. */
export const searchNameKinds = ['query', 'page', 'country', 'device'] as const;
export type SearchNameKind = (typeof searchNameKinds)[number];

const page = {
  ...paging({ max: 250, standard: 50 }),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: all rows in a file, at most 50,000, whatever `limit` and `offset`.'),
};
const tool = oneOf(searchToolNames).optional().describe('Only numbers of this tool.');

/** The query of `search-engines`. */
export const searchEnginesQuery = z.object({
  ...range,
  by: oneOf(['range', 'day'])
    .default('range')
    .describe('A row for each tool in the whole range, or on each day.'),
  tool,
  ...page,
});

export type SearchEnginesQuery = z.infer<typeof searchEnginesQuery>;

/** The query of `search-names`. */
export const searchNamesQuery = z.object({
  ...range,
  of: oneOf(searchNameKinds).default('query').describe('What the rows are of.'),
  tool,
  ...page,
});

export type SearchNamesQuery = z.infer<typeof searchNamesQuery>;
