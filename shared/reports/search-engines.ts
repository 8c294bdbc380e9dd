import { z } from 'zod';
import { lazily, type Reply, reply } from '../reply.ts';
import { oneOf, paging, range } from './analytics.ts';

/** Numbers of search engines for owners of sites: as commands name the exports, and as they are shown. */
export const searchTools = {
  'search-console': 'Google Search Console',
  bing: 'Bing Webmaster Tools',
  'bing-ai': 'Bing AI Performance',
} as const;

export type SearchTool = keyof typeof searchTools;
export const searchToolNames = Object.keys(searchTools) as [SearchTool, ...SearchTool[]];

/** What their numbers are about, besides the site. */
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

const number = z.int().min(0);
const hasMore = z.boolean().describe('Whether there are rows after these.');
const date = z.iso.date();
const ofTool = z.enum(searchToolNames);

const numbers = lazily(() => ({
  clicks: number.nullable().describe('Null: the tool does not report it.'),
  impressions: number.nullable().describe('Null: the tool does not report it.'),
  position: z
    .number()
    .nullable()
    .describe(
      'On average, weighted by impressions; null: the tool does not report it, or nothing was shown.',
    ),
  citations: number
    .nullable()
    .describe('How often answers of AI named pages as sources; null: the tool does not report it.'),
}));

export const searchEnginesReply = reply('SearchEngines', () => ({
  searchEngines: z.array(
    z.object({
      date: date.nullable().describe('Null: the whole range.'),
      tool: ofTool,
      from: date.describe('The first day with numbers.'),
      to: date.describe('The last day with numbers.'),
      days: number.describe('How many days have numbers.'),
      ...numbers(),
      citedPages: number.nullable().describe('Pages that were cited on the day; null for a whole range.'),
      people: number.describe(
        'People who came from there on the days with numbers, as counted here, each once a day. Never added to clicks.',
      ),
    }),
  ),
  hasMore,
}));

/** `GET /v1/analytics/{projectId}/search-engines` */
export type SearchEnginesReply = Reply<typeof searchEnginesReply>;

export const searchNamesReply = reply('SearchNames', () => ({
  of: z.enum(searchNameKinds),
  periods: z
    .array(
      z.object({
        tool: ofTool,
        from: date,
        to: date.describe('The last day, inclusive.'),
        isByDay: z
          .boolean()
          .describe(
            'True: rows are sums of the days asked for. False: the tool has numbers for this range only, which may have other days, too.',
          ),
      }),
    )
    .describe('Which days the rows are of, by tool.'),
  names: z.array(z.object({ tool: ofTool, name: z.string(), from: date, to: date, ...numbers() })),
  hasMore,
}));

/** `GET /v1/analytics/{projectId}/search-names` */
export type SearchNamesReply = Reply<typeof searchNamesReply>;
