import { z } from 'zod';
import { count, measured } from './analytics.ts';

const visitors = z.array(z.int().min(0));
const known = z.array(z.int().min(0).nullable());

const project = z.object({
  id: z.string(),
  name: z.string(),
  timeZone: z.string().describe('In which its days begin and end.'),
  totals: z.object({ visitors: count, views: count }).describe('Of the whole range.'),
  firstDay: z.iso.date().describe('Of the range.'),
  daily: z
    .object({ human: known, ai: known, total: visitors })
    .describe(
      'Visitors of every day of the range, the oldest first; null in place of a zero on a day on which hits came in and nobody measured these.',
    ),
  measured,
});

export const glanceReply = z
  .object({
    projects: z.array(project),
    hasMore: z.boolean().describe('Whether there are projects after these.'),
  })
  .meta({ id: 'Glance' });

/** `GET /v1/analytics` */
export type GlanceReply = z.infer<typeof glanceReply>;
