import { z } from 'zod';
import { searchNameKinds, searchToolNames } from '../reports/search-engines.ts';

const number = z.int().min(0);
const hasMore = z.boolean().describe('Whether there are rows after these.');
const date = z.iso.date();
const tool = z.enum(searchToolNames);

const numbers = {
  clicks: number.nullable().describe('Null: the tool does not tell it.'),
  impressions: number.nullable().describe('Null: the tool does not tell it.'),
  position: z
    .number()
    .nullable()
    .describe('On average, weighted by impressions; null: the tool does not tell it, or nothing was shown.'),
  citations: number
    .nullable()
    .describe('How often answers of AI named pages as sources; null: the tool does not tell it.'),
};

export const searchEnginesReply = z
  .object({
    searchEngines: z.array(
      z.object({
        date: date.nullable().describe('Null: the whole range.'),
        tool,
        from: date.describe('The first day with numbers.'),
        to: date.describe('The last day with numbers.'),
        days: number.describe('How many days have numbers.'),
        ...numbers,
        citedPages: number.nullable().describe('Pages that were cited on the day; null for a whole range.'),
        people: number.describe(
          "By this project's own counts: people who came from there on the days with numbers, each once a day. Never added to clicks.",
        ),
      }),
    ),
    hasMore,
  })
  .meta({ id: 'SearchEngines' });

/** `GET /v1/analytics/{projectId}/search-engines` */
export type SearchEnginesReply = z.infer<typeof searchEnginesReply>;

export const searchNamesReply = z
  .object({
    of: z.enum(searchNameKinds),
    periods: z
      .array(
        z.object({
          tool,
          from: date,
          to: date.describe('The last day, inclusive.'),
          isByDay: z
            .boolean()
            .describe(
              'True: the tool told each day, and the rows are sums of those asked for. False: it told this range as a whole, which may have days that were not asked for.',
            ),
        }),
      )
      .describe('Which days the rows are of, by tool.'),
    names: z.array(z.object({ tool, name: z.string(), from: date, to: date, ...numbers })),
    hasMore,
  })
  .meta({ id: 'SearchNames' });

/** `GET /v1/analytics/{projectId}/search-names` */
export type SearchNamesReply = z.infer<typeof searchNamesReply>;
