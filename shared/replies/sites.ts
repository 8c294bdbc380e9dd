import { z } from 'zod';
import { measured } from './analytics.ts';

const day = z.iso.date();
const days = z.int();

export const freshnessReply = z
  .object({
    site: z
      .object({
        host: z.string(),
        robots: z
          .enum(['found', 'missing', 'unreachable'])
          .nullable()
          .describe('What became of its robots.txt; null: not fetched yet.'),
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
    measured,
  })
  .meta({ id: 'Freshness' });

/** `GET /v1/analytics/{projectId}/freshness`: by `lastmod`, the latest first, then path and client. */
export type FreshnessReply = z.infer<typeof freshnessReply>;

const action = z.enum(['allow', 'slow', 'refuse', 'pay']);

export const aiRulesReply = z
  .object({
    target: z.string(),
    text: z.string().describe('What to paste.'),
    place: z.string().describe('Where it belongs, in a sentence.'),
    notes: z.array(z.string()).describe('What these rules cannot do, a sentence each.'),
    clients: z.array(
      z.object({
        client: z.string(),
        operator: z.string(),
        purpose: z.string(),
        action,
        isReachable: z.boolean().describe('Whether rules of this kind can name it.'),
      }),
    ),
  })
  .meta({ id: 'AiRules' });

/** `GET /v1/analytics/{projectId}/ai-rules` */
export type AiRulesReply = z.infer<typeof aiRulesReply>;
