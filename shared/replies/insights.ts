import { z } from 'zod';
import { measured } from './analytics.ts';

const number = z.int().min(0);
const hasMore = z.boolean().describe('Whether there are rows after these.');
const date = z.iso.date();

export const operatorsReply = z
  .object({
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
    hasMore,
    measured,
  })
  .meta({ id: 'Operators' });

/** `GET /v1/analytics/{projectId}/operators` */
export type OperatorsReply = z.infer<typeof operatorsReply>;

export const silentClientsReply = z
  .object({
    lastAiView: date
      .nullable()
      .describe('The last whole day with a view by any AI client; null: none lately.'),
    silentClients: z.array(
      z.object({
        client: z.string(),
        operator: z.string().nullable(),
        purpose: z.string().nullable(),
        lastSeen: date,
        silentDays: number.describe('Whole days since then.'),
        usualViews: z.number().describe('Views on a day of the 28 before, on average.'),
        longestGap: number.describe('Days in a row without a view, at most, in those 28.'),
        probability: z.number().describe('Of such a silence if nothing had changed, at most.'),
        isAlone: z
          .boolean()
          .describe('False: no AI client was seen since; what reports views may have stopped.'),
      }),
    ),
    hasMore,
    measured,
  })
  .meta({ id: 'SilentClients' });

/** `GET /v1/analytics/{projectId}/silent-clients` */
export type SilentClientsReply = z.infer<typeof silentClientsReply>;

export const changesReply = z
  .object({
    rulesVersion: number.describe('Of the rules that tell people, AI clients and bots apart now.'),
    changes: z.array(
      z.object({
        date,
        kind: z.enum(['release', 'note', 'merge', 'rules']),
        id: z
          .string()
          .nullable()
          .describe('Of the mark, to ask for its effect; null for a change of the rules.'),
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
  })
  .meta({ id: 'Changes' });

/** `GET /v1/analytics/{projectId}/changes` */
export type ChangesReply = z.infer<typeof changesReply>;

const window = z.object({ from: date, to: date.describe('The day after the last one.') });

export const effectReply = z
  .object({
    date,
    text: z.string(),
    days: number.describe('Of each side: up to 28, in whole weeks.'),
    before: window.nullable(),
    after: window.nullable(),
    touched: z
      .array(z.string())
      .describe('Pages that the change touched, as far as can be told; 100 at most.'),
    touchedPages: number,
    untouchedPages: number,
    says: z.string().describe('The outcome in a sentence.'),
    measures: z.array(
      z.object({
        of: z.string().describe('`people`, `ai`, or the purpose of AI clients.'),
        verdict: z
          .enum(['more', 'less', 'none', 'moved_before', 'too_little', 'not_measured'])
          .describe(
            '`none`: no measurable effect. `moved_before`: the touched pages went another way than the others in the weeks before, too. `too_little`: too few views to tell. `not_measured`: on most days of one side nothing came in by a way that sees them.',
          ),
        change: z
          .number()
          .nullable()
          .describe('Of the touched pages against the others: 0.3 stands for 30 % more.'),
        low: z.number().nullable().describe('The interval: at least so much.'),
        high: z.number().nullable(),
        touchedBefore: number.describe('Views.'),
        touchedAfter: number,
        untouchedBefore: number,
        untouchedAfter: number,
      }),
    ),
  })
  .meta({ id: 'Effect' });

/** `GET /v1/analytics/{projectId}/changes/{changeId}/effect` */
export type EffectReply = z.infer<typeof effectReply>;

export const gapsReply = z
  .object({
    gaps: z.array(
      z.object({
        path: z.string(),
        kind: z.enum(['failing', 'ignored', 'ai_heavy']),
        people: number.describe('Views by people.'),
        ai: number.describe('Views by AI clients.'),
        failures: number.describe('Requests of AI clients that were refused or failed.'),
        evidence: z.string(),
        prompt: z.string().describe('For a new job.'),
      }),
    ),
    hasMore,
    measured,
  })
  .meta({ id: 'Gaps' });

/** `GET /v1/analytics/{projectId}/gaps` */
export type GapsReply = z.infer<typeof gapsReply>;
