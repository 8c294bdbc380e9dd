import { z } from 'zod';
import { waysIn } from '../reports/tallies.ts';
import { count, measured } from './analytics.ts';

const dayCount = z.object({ visitors: count, views: count });

export type DayCount = z.infer<typeof dayCount>;

/** What is counted of people and AI. */
export type Measure = keyof DayCount;

const coverage = z.object({
  way: z.enum(waysIn),
  from: z.iso.date().describe('The first day of the run.'),
  to: z.iso.date().describe('The last one.'),
  tool: z.string().optional().describe('Of history: the tool that counted these days.'),
});

/** A run of days on which something came in that way. */
export type Coverage = z.infer<typeof coverage>;

const measuredDay = measured
  .pick({ people: true, ai: true })
  .describe('What could be counted on this day: a way in may have joined later, or ended.');

export const seriesReply = z
  .object({
    totals: dayCount.describe('Sums of the days.'),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          ...dayCount.shape,
          measured: measuredDay,
        }),
      )
      .describe(
        'Every day of the range, oldest first, those without a view too; without a range from the first counted day to today.',
      ),
    measured,
    coverage: z.array(coverage).describe('Runs of days on which hits came in, by way.'),
    omitted: z
      .object({
        first: z.iso.date().describe('The first counted day.'),
        last: z.iso.date().describe('The day before the first of `days`.'),
      })
      .optional()
      .describe(
        'Without `dateFrom`: the counted days before the 10,000 that are listed, which the totals leave out. Missing: there are none.',
      ),
  })
  .meta({ id: 'Series' });

/** `GET /v1/analytics/{projectId}/series`: of the site, of one page, of one AI client, or of one AI client on one page. */
export type SeriesReply = z.infer<typeof seriesReply>;

export const hoursReply = z
  .object({
    now: z
      .object({ date: z.iso.date(), hour: z.int() })
      .describe("Which hour it is in the project's time zone; it has not ended."),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          hours: z.array(z.object({ hour: z.int().min(0).max(23), ...dayCount.shape })),
          measured: measuredDay,
        }),
      )
      .describe(
        'Days of the range that have hours, oldest first: today up to now, yesterday, and those before it that the project keeps hours of (`keepHoursDays`). A day is left out where its hours are not there for all of its views. Without a range there are two, on days on which clocks are turned three or one. A visitor counts in the hour of its first view of the day, so that hours add up.',
      ),
  })
  .meta({ id: 'Hours' });

/** `GET /v1/analytics/{projectId}/hours` */
export type HoursReply = z.infer<typeof hoursReply>;
