import { z } from 'zod';
import type { Report } from '../reports/report.ts';
import { type CountedPath, reports } from '../reports/reports.ts';
import {
  clientPathsReply,
  clientsReply,
  count,
  droppedReply,
  eventsReply,
  hasMore,
  landingsReply,
  measured,
  nameCapsReply,
  number,
  propertiesReply,
  timeReply,
  visitPagesReply,
} from './analytics.ts';
import { conversionsReply, funnelsReply, goalsReply } from './goals.ts';

/** What is more than rows, or says more of them. */
const own: Partial<Record<CountedPath, z.ZodType<object>>> = {
  'ai-clients': clientsReply,
  'ai-clients/:client/paths': clientPathsReply,
  'assistant-landings': landingsReply,
  'entry-pages': visitPagesReply,
  'exit-pages': visitPagesReply,
  'time-on-page': timeReply,
  events: eventsReply,
  'events/:event/properties': propertiesReply,
  goals: goalsReply,
  'goals/:goal/entry-pages': conversionsReply('pages', 'path'),
  'goals/:goal/sources': conversionsReply('sources', 'source'),
  'goals/:goal/countries': conversionsReply('countries', 'country'),
  funnels: funnelsReply,
  dropped: droppedReply,
  'name-caps': nameCapsReply,
};

/** A column means the same in all of these; any other is a text. */
const columnTypes: Readonly<Record<string, z.ZodType>> = {
  ...count.shape,
  visitors: number,
  views: number,
  requests: number,
  hits: number,
  bytes: number,
  cost: z.number().min(0).nullable().describe('By the price of the project; null: it names none.'),
};

/** What a report answers. */
export const replyOf = (path: CountedPath): z.ZodType<object> => own[path] ?? rowsReply(reports[path]);

/** Rows of the columns, and totals of what is counted of people and AI. */
function rowsReply({ field = 'rows', columns = [], tellsMeasured }: Report): z.ZodType<object> {
  const row = Object.fromEntries(columns.map((name) => [name, columnTypes[name] ?? z.string()]));
  return z.object({
    ...(columns.includes('total') && {
      totals: count.describe('Of the whole range, whatever the page and the search.'),
    }),
    [field]: z.array(z.object(row)),
    hasMore,
    ...(tellsMeasured && { measured }),
  });
}
