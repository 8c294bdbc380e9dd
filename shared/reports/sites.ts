import { z } from 'zod';
import { type Reply, reply } from '../reply.ts';
import { filterParameters, paging, reportQuery, wholeNumber } from './analytics.ts';
import { measured } from './replies.ts';

/** `GET /v1/analytics/{projectId}/freshness` */
export const freshnessQuery = z.object({
  ...filterParameters(['path']),
  client: z
    .string()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters')
    .optional()
    .describe(
      'When this AI client read each page, or with `*` each of those that ever came; left out: any of them.',
    ),
  unreadFor: wholeNumber('1 to 3650')
    .transform(Number)
    .refine((days) => days >= 1 && days <= 3650, 'must be from 1 to 3650')
    .optional()
    .meta({
      parameter: { type: 'integer', minimum: 1, maximum: 3650 },
      description: 'Only pages that were not read for so many days, today included; not with `client=*`.',
    }),
  search: reportQuery.shape.search,
  ...paging({ max: 250, standard: 50 }),
  format: reportQuery.shape.format,
});

export type FreshnessQuery = z.infer<typeof freshnessQuery>;

/** Actions for the requests of an AI client. */
const ruleActions = ['allow', 'slow', 'refuse', 'pay'] as const;
export type RuleAction = (typeof ruleActions)[number];

/** Where rules are pasted. */
const ruleTargets = ['robots', 'nginx', 'caddy', 'worker'] as const;
export type RuleTarget = (typeof ruleTargets)[number];

const action = (purpose: string) =>
  z
    .enum(ruleActions, { error: `must be one of ${ruleActions.join(', ')}` })
    .default('allow')
    .describe(
      `For clients that read for ${purpose}: allow, slow down, refuse (403), or ask for payment (402).`,
    );

const choice = /^[^:,]{1,60}:(?:allow|slow|refuse|pay)$/;

/** `GET /v1/analytics/{projectId}/ai-rules` */
export const aiRulesQuery = z.object({
  target: z
    .enum(ruleTargets, { error: `must be one of ${ruleTargets.join(', ')}` })
    .default('robots')
    .describe('Where the rules are pasted: robots.txt, nginx, Caddy, or a Cloudflare Worker.'),
  training: action('training'),
  search: action('search'),
  assistant: action('somebody who asked'),
  coding: action('an agent that codes'),
  browser: action("an agent in a person's browser"),
  clients: z
    .string()
    .max(20_000, 'must have at most 20,000 characters')
    .default('')
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .refine(
      (parts) => parts.every((part) => choice.test(part)),
      'must be such as GPTBot:refuse,ClaudeBot:slow',
    )
    .meta({
      parameter: { type: 'string', default: '' },
      description: 'Exceptions by client, such as `GPTBot:refuse,ClaudeBot:slow`.',
    }),
});

export type AiRulesQuery = z.infer<typeof aiRulesQuery>;

const day = z.iso.date();
const days = z.int();

export const freshnessReply = reply('Freshness', () => ({
  site: z
    .object({
      host: z.string(),
      robots: z
        .enum(['found', 'missing', 'unreachable'])
        .nullable()
        .describe('Result of fetching its robots.txt; null: not fetched yet.'),
      pages: z.int().min(0).nullable().describe('How many its sitemaps list; null: none was read yet.'),
      fetchedAt: z.iso.datetime().nullable().describe('When it was last looked at.'),
      trouble: z.string().nullable().describe('What could not be read then.'),
    })
    .nullable()
    .describe('The site as `siteHost` of the project names it; null: nothing is fetched.'),
  pages: z.array(
    z.object({
      path: z.string(),
      lastmod: day.nullable().describe('When the page was last changed, as the sitemap says.'),
      client: z.string().nullable().describe('The AI client; null: any.'),
      firstRead: day.nullable().describe('Null: it never read the page.'),
      lastRead: day.nullable(),
      readSince: day.nullable().describe('The first read on or after `lastmod`.'),
      daysUntilRead: days.nullable().describe('From `lastmod` to `readSince`.'),
      daysSinceRead: days.nullable().describe('From `lastRead` to today.'),
    }),
  ),
  hasMore: z.boolean().describe('Whether there are rows after these.'),
  measured: measured(),
}));

/** `GET /v1/analytics/{projectId}/freshness`: by `lastmod`, the latest first, then path and client. */
export type FreshnessReply = Reply<typeof freshnessReply>;

export const aiRulesReply = reply('AiRules', () => ({
  target: z.string(),
  text: z.string().describe('What to paste.'),
  place: z.string().describe('Where it belongs, in a sentence.'),
  notes: z.array(z.string()).describe('What these rules cannot do, a sentence each.'),
  clients: z.array(
    z.object({
      client: z.string(),
      operator: z.string(),
      purpose: z.string(),
      action: z.enum(ruleActions),
      isReachable: z.boolean().describe('Whether rules of this kind can name it.'),
    }),
  ),
}));

/** `GET /v1/analytics/{projectId}/ai-rules` */
export type AiRulesReply = Reply<typeof aiRulesReply>;
