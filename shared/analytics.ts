import { z } from 'zod';

export type {
  Count,
  DayCount,
  NowReply,
  SeriesReply,
  ViewsReply,
  VisitorsReply,
} from './replies/analytics.ts';

export const wholeNumber = (name: string) =>
  z.string().regex(/^\d{1,20}$/, `must be a whole number in decimal digits: ${name}`);

/** `limit` and `offset` of a list: plain decimal integers, the limit from 1 to `max`. */
export function paging({ max, standard }: { max: number; standard: number }) {
  return {
    limit: wholeNumber(`1 to ${max}`)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= max, `must be from 1 to ${max}`)
      .default(standard),
    offset: wholeNumber('0 or more')
      .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
      .default(0),
  };
}

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, {
    error: ({ input }) =>
      Array.isArray(input) ? 'must be given only once' : `must be one of ${names.join(', ')}`,
  });

/** The dates are read by the project's time zone. */
const range = { dateFrom: z.string().optional(), dateTo: z.string().optional() };

/** The query of every report that has rows. */
export const reportQuery = z.object({
  ...range,
  ...paging({ max: 250, standard: 50 }),
  /** Only rows whose name contains this, whatever the case; `totals` are those of all rows. `dropped` and `name-caps` have no names. */
  search: z.string().max(1024, 'must have at most 1,024 characters').optional(),
  /**
   * Rows of people and AI, descending: `aiShare` is (ai + 1) / (human + 1), what AI reads most against people. Other rows
   * have an order of their own.
   */
  sort: oneOf(['total', 'human', 'ai', 'aiShare']).default('total'),
  /** `csv`: all rows in a file, whatever `limit` and `offset`. */
  format: oneOf(['json', 'csv']).default('json'),
});

export type ReportQuery = z.infer<typeof reportQuery>;

/** The query of `series`. */
export const seriesQuery = z.object({
  ...range,
  path: z.string().optional(),
  /** With `path` too: what this AI client did on that page. */
  client: z.string().optional(),
  format: oneOf(['json', 'csv']).default('json'),
});

export type SeriesQuery = z.infer<typeof seriesQuery>;
