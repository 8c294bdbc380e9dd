import { z } from 'zod';
import { notPlain, plainText } from '../name.ts';
import { isPlain } from '../plain-text.ts';
import { oneOf, paging, range } from './analytics.ts';

export type {
  ChangesReply,
  EffectReply,
} from '../replies/insights.ts';

const format = oneOf(['json', 'csv'])
  .default('json')
  .describe('`csv`: all rows in a file, whatever `limit` and `offset`.');

const page = { ...paging({ max: 250, standard: 50 }), format };

/** The query of `operators`. */
export const operatorsQuery = z.object({
  ...range,
  by: oneOf(['range', 'week', 'day'])
    .default('range')
    .describe('A row for each operator in the whole range, in each week (from Monday), or on each day.'),
  operator: z
    .string()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters')
    .optional()
    .describe('Only rows of this operator.'),
  sort: oneOf(['oldest', 'newest']).default('oldest').describe('Which week or day comes first.'),
  ...page,
});

export type OperatorsQuery = z.infer<typeof operatorsQuery>;

/** The query of `silent-clients`, which is about now. */
export const silentClientsQuery = z.object(page);

export type SilentClientsQuery = z.infer<typeof silentClientsQuery>;

/** The query of `changes` and `marks`. */
export const changesQuery = z.object({ ...range, ...page });

export type ChangesQuery = z.infer<typeof changesQuery>;

/** The query of the effect of one change. */
export const effectQuery = z.object({ format });

export type EffectQuery = z.infer<typeof effectQuery>;

const gapKinds = ['failing', 'ignored', 'ai_heavy'] as const;

/** The query of `gaps`. */
export const gapsQuery = z.object({
  ...range,
  kind: oneOf(gapKinds).optional().describe('Only gaps of this kind.'),
  ...page,
});

export type GapsQuery = z.infer<typeof gapsQuery>;

const letters = (text: string) => Array.from(text).length;

/** A path of the site, and perhaps all that begins with it. */
const markedPath = z
  .string()
  .max(1024, 'must have at most 1,024 characters')
  .regex(/^\//, 'must be a path that begins with a slash, such as /docs or /docs/*')
  .refine(isPlain, notPlain);

/** Body of `POST …/marks`. */
export const newMark = z
  .object({
    kind: oneOf(['release', 'note'])
      .default('release')
      .describe('`note`: anything else that explains the counts, such as a campaign.'),
    date: z.iso
      .date('must be a date such as 2026-11-20')
      .optional()
      .describe("The day in the project's time zone; left out: today."),
    text: plainText
      .min(1, 'must not be empty')
      .refine((text) => letters(text) <= 200, 'must have at most 200 characters')
      .describe('What was released, or happened, for the chart.'),
    paths: z
      .array(markedPath)
      .max(200, 'must be at most 200 paths')
      .default([])
      .describe(
        'Of a release: pages that it touched; `/docs/*` stands for all below. Without any its effect is not told.',
      ),
  })
  .refine(({ kind, paths }) => kind === 'release' || paths.length === 0, {
    path: ['paths'],
    message: 'must be empty: a note does not belong to pages',
  });

export type NewMark = z.infer<typeof newMark>;
