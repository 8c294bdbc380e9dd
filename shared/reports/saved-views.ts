import { z } from 'zod';
import { plainText } from '../name.ts';
import { type Reply, reply } from '../reply.ts';
import { isWritten } from './combined.ts';
import { type FilterName, filterNames } from './pairs.ts';
import { moreRangeKeys, rangeKeys } from './ranges.ts';

/** A project has so many at most. */
export const maxSavedViews = 100;

const keys = [...rangeKeys, ...moreRangeKeys];
const isDay = z.iso.date();

/** The first and the last, such as 2026-11-01..2026-11-20. */
function isDays(text: string): boolean {
  const [first = '', last = '', ...more] = text.split('..');
  return more.length === 0 && [first, last].every((day) => isDay.safeParse(day).success) && first <= last;
}

const filter = z
  .partialRecord(z.enum(filterNames), z.string().min(1).max(1024, 'must have at most 1,024 characters'))
  .superRefine((values, context) => {
    for (const [name, written] of Object.entries(values))
      if (!isWritten(name as FilterName, written))
        context.addIssue({ code: 'custom', path: [name], message: 'is not written as a filter of a report' });
  });

/** The fields of a new one. */
const fields = {
  name: plainText.min(1, 'must not be empty').max(80, 'must have at most 80 characters'),
  page: z
    .enum(['overview', 'ai', 'search', 'conversions', 'fix', 'measurement'])
    .describe('Of the dashboard.'),
  range: z
    .string()
    .refine((range) => keys.some((key) => key === range) || isDays(range), {
      error: `must be ${keys.join(', ')}, or days such as 2026-11-01..2026-11-20`,
    })
    .describe('Days by their name, or from the first to the last.'),
  compare: z
    .string()
    .refine((compare) => ['none', 'before', 'year'].includes(compare) || isDays(compare), {
      error: 'must be none, before, year, or days such as 2026-11-01..2026-11-20',
    })
    .describe('The days before, the year before, or days from the first to the last.'),
  measure: z.enum(['visitors', 'views']),
  filter: filter.describe('As in the query of a report.'),
};

export const newSavedView = z.object({
  name: fields.name,
  page: fields.page.default('overview'),
  range: fields.range.default('30d'),
  compare: fields.compare.default('none'),
  measure: fields.measure.default('visitors'),
  filter: fields.filter.default({}),
});

export type NewSavedView = z.infer<typeof newSavedView>;

/** What is not given stays. */
export const savedViewPatch = z.object(fields).partial();

export const savedViewReply = reply('SavedView', () => ({
  id: z.string(),
  ...fields,
  createdAt: z.iso.datetime(),
}));

export type SavedViewReply = Reply<typeof savedViewReply>;

export const savedViewsReply = reply('SavedViews', () => ({
  views: z.array(savedViewReply()).describe('By name.'),
}));

export type SavedViewsReply = Reply<typeof savedViewsReply>;
