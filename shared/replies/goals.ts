import { z } from 'zod';
import { hasMore, number } from './analytics.ts';

const conversionTotals = {
  people: number
    .nullable()
    .describe('People of the days on which the goal was measured, each once a day; null: on no day.'),
  conversions: number.nullable().describe('Those of them who reached it, each once a day.'),
  measuredDays: number.describe(
    'Days of the range with people on which it was measured, from beginning to end.',
  ),
  unmeasuredDays: number.describe(
    'Those on which it was not, as it was not set or their details are deleted. No number includes them.',
  ),
};

export const goalsReply = z
  .object({
    cappedViews: number.describe(
      'Views and events of people in the range whose page or name counts as `(other)`, so that they reach no goal.',
    ),
    goals: z
      .array(z.object({ goal: z.string(), ...conversionTotals }))
      .describe('Those that are set, in the order in which they are.'),
    hasMore,
  })
  .meta({ id: 'Goals' });

/** `GET /v1/analytics/{projectId}/goals` */
export type GoalsReply = z.infer<typeof goalsReply>;

/** `GET /v1/analytics/{projectId}/goals/{goal}/entry-pages`, `sources` and `countries` */
export function conversionsReply(field: string, by: 'path' | 'source' | 'country') {
  const row = z.object({ [by]: z.string(), people: number, conversions: number });
  return z
    .object({
      totals: z
        .object(conversionTotals)
        .describe(
          'Whatever the page and the search. People without a view on the day are counted here, but in none of the rows.',
        ),
      [field]: z
        .array(row)
        .describe(
          '`people` are those whose visits began so on the same days; rows without conversions are left out.',
        ),
      hasMore,
    })
    .meta({ id: `GoalBy${by[0]?.toUpperCase()}${by.slice(1)}` });
}

export interface ConversionsReply {
  totals: z.infer<z.ZodObject<typeof conversionTotals>>;
  hasMore: boolean;
  [field: string]: unknown;
}

export const funnelsReply = z
  .object({
    funnels: z
      .array(
        z.object({
          funnel: z.string(),
          step: z.int().min(1),
          goal: z.string().describe('The event or path that the step is.'),
          began: number.nullable().describe('People who made the first step.'),
          ...conversionTotals,
          conversions: number
            .nullable()
            .describe('People who made this step and all before it on one day, each once a day.'),
        }),
      )
      .describe('A row for each step of each funnel that is set, in the order in which they are.'),
    hasMore,
  })
  .meta({ id: 'Funnels' });

/** `GET /v1/analytics/{projectId}/funnels` */
export type FunnelsReply = z.infer<typeof funnelsReply>;
