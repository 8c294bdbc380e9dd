import { z } from 'zod';
import { notPlain, plainText } from '../name.ts';
import { isPlain } from '../plain-text.ts';
import { lazily, type Reply, reply } from '../reply.ts';
import { filterParameters, oneOf, paging, range } from './analytics.ts';
import { measured, past } from './replies.ts';

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

/** The query of `changes` and `annotations`. */
export const changesQuery = z.object({ ...range, ...page });

/** The query of the effect of one change. */
export const effectQuery = z.object({ format });

const gapKinds = ['failing', 'ignored', 'ai_heavy'] as const;

/** The query of `gaps`. */
export const gapsQuery = z.object({
  ...range,
  kind: oneOf(gapKinds).optional().describe('Only gaps of this kind.'),
  ...filterParameters(['path']),
  ...page,
});

const letters = (text: string) => Array.from(text).length;

/** A path of the site, and perhaps all that begins with it. */
const affectedPath = z
  .string()
  .max(1024, 'must have at most 1,024 characters')
  .regex(/^\//, 'must be a path that begins with a slash, such as /docs or /docs/*')
  .refine(isPlain, notPlain);

/** Body of `POST …/annotations`. */
export const newAnnotation = z
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
      .describe('The release or event, for the chart.'),
    paths: z
      .array(affectedPath)
      .max(200, 'must be at most 200 paths')
      .default([])
      .describe(
        'Of a release: pages that it changed; `/docs/*` means all below. Without any its effect is not measured.',
      ),
  })
  .refine(({ kind, paths }) => kind === 'release' || paths.length === 0, {
    path: ['paths'],
    message: 'must be empty: a note does not belong to pages',
  });

const number = z.int().min(0);
const hasMore = z.boolean().describe('Whether there are rows after these.');
const date = z.iso.date();

export const operatorsReply = reply('Operators', () => ({
  operators: z.array(
    z.object({
      date: date.nullable().describe('The first day of the week, or the day; null: the whole range.'),
      operator: z.string(),
      aiViews: number.describe('Views by its AI clients.'),
      visits: number.describe('People who came from its assistants, each once a day.'),
      ratio: z
        .number()
        .nullable()
        .describe(
          'AI views for each visit, of the days on which both were measured; null: none of them had a visit.',
        ),
    }),
  ),
  purposes: z
    .array(z.object({ purpose: z.string().nullable(), views: number }))
    .describe('AI views in the whole range by what they are for, the most first; null: not known.'),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/operators` */
export type OperatorsReply = Reply<typeof operatorsReply>;

export const silentClientsReply = reply('SilentClients', () => ({
  lastAiView: date.nullable().describe('The last whole day with a view by any AI client; null: none lately.'),
  silentClients: z.array(
    z.object({
      client: z.string(),
      operator: z.string().nullable(),
      purpose: z.string().nullable(),
      lastSeen: date,
      silentDays: number.describe('Whole days since then on which AI was measured.'),
      usualViews: z.number().describe('Views on a day of the 28 before, on average.'),
      longestGap: number.describe('Days in a row without a view, at most, in those 28.'),
      probability: z.number().describe('Of such a silence if nothing had changed, at most.'),
      isAlone: z
        .boolean()
        .describe('False: no AI client was seen since; what reports views may have stopped.'),
    }),
  ),
  hasMore,
  measured: measured(),
  ...past(),
}));

export const changesReply = reply('Changes', () => ({
  rulesVersion: number.describe('Of the current rules that distinguish people, AI clients and bots.'),
  changes: z.array(
    z.object({
      date,
      kind: z.enum(['release', 'note', 'merge', 'rules']),
      id: z
        .string()
        .nullable()
        .describe('Of the annotation, to ask for its effect; null for a change of the rules.'),
      text: z.string(),
      url: z.string().nullable(),
      fromVersion: number.nullable().describe('Of the rules before; null for other changes.'),
      toVersion: number.nullable(),
      addedViews: number
        .nullable()
        .describe('Of a change of the rules: views since, in the range, by AI clients that it added.'),
    }),
  ),
  hasMore,
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/changes` */
export type ChangesReply = Reply<typeof changesReply>;

const window = lazily(() => z.object({ from: date, to: date.describe('The day after the last one.') }));

export const effectReply = reply('Effect', () => ({
  date,
  text: z.string(),
  days: number.describe('Of each side: up to 28, in whole weeks.'),
  before: window().nullable(),
  after: window().nullable(),
  affected: z.array(z.string()).describe('Pages that the change affected, as far as known; 100 at most.'),
  affectedPages: number,
  otherPages: number,
  says: z.string().describe('The outcome in a sentence.'),
  measures: z.array(
    z.object({
      of: z.string().describe('`people`, `ai`, or the purpose of AI clients.'),
      verdict: z
        .enum(['more', 'less', 'none', 'moved_before', 'too_little', 'not_measured'])
        .describe(
          '`none`: no measurable effect. `moved_before`: the affected pages moved apart from the others before, too. `too_little`: too few views. `not_measured`: most days of one side were not measured.',
        ),
      change: z
        .number()
        .nullable()
        .describe('Of the affected pages against the others: 0.3 means 30 % more.'),
      low: z.number().nullable().describe('The interval: at least so much.'),
      high: z.number().nullable(),
      affectedBefore: number.describe('Views.'),
      affectedAfter: number,
      otherBefore: number,
      otherAfter: number,
    }),
  ),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/changes/{changeId}/effect` */
export type EffectReply = Reply<typeof effectReply>;

export const gapsReply = reply('Gaps', () => ({
  gaps: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['failing', 'ignored', 'ai_heavy']),
      people: number.describe('Views by people.'),
      ai: number.describe('Views by AI clients.'),
      failures: number.describe('Requests of AI clients that were refused or failed.'),
      evidence: z.string(),
      prompt: z.string().describe('For a new job.'),
      job: z
        .object({
          id: z.string(),
          status: z.enum(['active', 'completed', 'archived', 'failed']),
          prLink: z.string().nullable(),
          merged: z.boolean(),
        })
        .nullable()
        .describe('The newest job with such a prompt; null too for those who may not see jobs.'),
    }),
  ),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/gaps` */
export type GapsReply = Reply<typeof gapsReply>;
