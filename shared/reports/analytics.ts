import { z } from 'zod';
import { channelNames } from './channels.ts';
import { dimensions } from './dimensions.ts';
import type { FilterName } from './pairs.ts';

export type {
  BoundedCount,
  ClaimCheck,
  ClientPathsReply,
  ClientsReply,
  CombinedCount,
  CombinedSeriesReply,
  ConversionsReply,
  Count,
  DayCount,
  DroppedReply,
  EventsReply,
  FiltersReply,
  FunnelsReply,
  GlanceReply,
  GoalsReply,
  HoursReply,
  LiveReply,
  Measure,
  Measured,
  NowReply,
  PropertiesReply,
  SeriesReply,
  TimeReply,
  UnmeasuredDays,
  ViewsReply,
  VisitorsReply,
  VisitPagesReply,
} from './replies.ts';

export const wholeNumber = (name: string) =>
  z.string().regex(/^\d{1,20}$/, `must be a whole number in decimal digits: ${name}`);

/**
 * `limit` and `offset` of a list: plain decimal integers, the limit from 1 to `max`. `parameter` is what the description of
 * the API says of them, as everything in a query is text.
 */
export function paging({ max, standard }: { max: number; standard: number }) {
  return {
    limit: wholeNumber(`1 to ${max}`)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= max, `must be from 1 to ${max}`)
      .default(standard)
      .meta({
        parameter: { type: 'integer', minimum: 1, maximum: max, default: standard },
        description: 'Rows of a page.',
      }),
    offset: wholeNumber('0 or more')
      .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
      .default(0)
      .meta({ parameter: { type: 'integer', minimum: 0, default: 0 }, description: 'Rows before the page.' }),
  };
}

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, {
    error: ({ input }) =>
      Array.isArray(input) ? 'must be given only once' : `must be one of ${names.join(', ')}`,
  });

const dates = "`YYYY-MM-DD`, or an ISO 8601 date-time, of which the day in the project's time zone counts";

/** The range of a query. */
export const range = {
  dateFrom: z
    .string()
    .optional()
    .describe(
      `The first day: ${dates}. Left out: from the beginning; for \`hours\` yesterday, and for all projects at once 29 days before the last.`,
    ),
  dateTo: z
    .string()
    .optional()
    .describe(`The day after the last one, in the same forms. Left out: to the end.`),
};

const limitedTo = (name: FilterName) =>
  z
    .string({
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given only once: several values are written a|b' : undefined,
    })
    .optional()
    .describe(
      name === 'path' || name === 'client' || name === 'channel'
        ? `Only views ${{ path: 'of this page', client: 'by this AI client', channel: `of this channel: ${channelNames.join(', ')}` }[name]}.`
        : `Only views with this name in the report \`${dimensions[name].report}\`.`,
    );

/** How several values of a filter are written. */
export const manyValues =
  '`DE|AT`: one of them. `!DE`: not this one. `*docs*`: all that contain this. Of pages also globs, `/docs/**`.';

/** The filter parameters of a report. */
export function filterParameters(
  names: readonly FilterName[],
): Record<FilterName, ReturnType<typeof limitedTo>> {
  const parameters = Object.fromEntries(names.map((name) => [name, limitedTo(name)]));
  return parameters as Record<FilterName, ReturnType<typeof limitedTo>>;
}

/** The query of every report that has rows, except for its filters. */
export const reportQuery = z.object({
  ...range,
  ...paging({ max: 250, standard: 50 }),
  search: z
    .string()
    .max(1024, 'must have at most 1,024 characters')
    .optional()
    .describe('Only rows with a name that contains this, whatever the case; `totals` are those of all rows.'),
  sort: oneOf(['total', 'human', 'ai', 'aiShare'])
    .default('total')
    .describe(
      'For rows of people and AI, descending: `aiShare` is (ai + 1) / (human + 1), what AI reads most against people. Other rows have an order of their own.',
    ),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: all rows in a file, at most 50,000, whatever `limit` and `offset`.'),
});

const people = oneOf(['any', 'none'])
  .optional()
  .describe(
    '`none`: only pages without a known view by people; see `lacksPeople`. No rows where people were measured on no day.',
  );

/** What rows of AI can be limited to besides, where a report takes it. */
export const peopleParameter = (isTaken = false) => (isTaken ? { people } : {}) as { people: typeof people };

export type ReportQuery = z.infer<typeof reportQuery> & { people?: z.infer<typeof people> };

/** The query of `series`, except for its filters. */
export const seriesQuery = z.object({
  ...range,
  format: oneOf(['json', 'csv']).default('json').describe('`csv`: all rows in a file.'),
});

export type SeriesQuery = z.infer<typeof seriesQuery>;

/** The query of the overview of all projects. */
export const glanceQuery = z.object({
  ...range,
  ...paging({ max: 1000, standard: 250 }),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: the totals of all projects in a file, whatever `limit` and `offset`.'),
});

export type GlanceQuery = z.infer<typeof glanceQuery>;
