import { z } from 'zod';

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

/** The query of every report; the dates are read by the project's time zone. */
export const reportQuery = z.object({
  dateFrom: z.string().optional(),
  dateTo: z.string().optional(),
  ...paging({ max: 250, standard: 50 }),
});

export type ReportQuery = z.infer<typeof reportQuery>;

/** How many: `total` counts those of either kind once. */
export interface Count {
  human: number;
  ai: number;
  total: number;
}

/** `GET /v1/analytics/{projectId}/visitors` */
export interface VisitorsReply {
  totals: Count;
  visitors: (Count & { path: string })[];
  hasMore: boolean;
}

/** `GET /v1/analytics/{projectId}/views` */
export interface ViewsReply {
  totals: Count;
  views: (Count & { path: string })[];
  hasMore: boolean;
}

/** `GET /v1/analytics/{projectId}/series`: of the site, or with `path` or `client` of one page or one AI client. */
export interface SeriesReply {
  /** Sums of the days. */
  totals: DayCount;
  /** Every day of the range, oldest first, those without a view too; without a range from the first counted day to today. */
  days: ({ date: string } & DayCount)[];
}

export interface DayCount {
  visitors: Count;
  views: Count;
}

/** `GET /v1/analytics/{projectId}/now`: visitors of the last five minutes, of this process. */
export interface NowReply {
  visitors: Count;
}
