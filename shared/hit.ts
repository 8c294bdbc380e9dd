import { z } from 'zod';
import { countedDropReasonNames, dropReasonNames } from './drop-reasons.ts';
import { type Reply, reply } from './reply.ts';
import type { DimensionFrom } from './reports/dimensions.ts';
import { visibleSeconds } from './visible-time.ts';

export type { CountedDropReason, DropReason } from './drop-reasons.ts';

const projectId = z.string().min(1).max(100);
const address = z.string().min(1).max(8192);

export const maxEventProperties = 10;

/** Too long a name is cut, never rejected, so that no count is lost. */
const eventName = z.string().regex(/\S/, 'must have a name').max(8192);

const eventProperties = z
  .record(z.string().min(1).max(8192), z.union([z.string().max(8192), z.number(), z.boolean()]))
  .refine(
    (properties) => Object.keys(properties).length <= maxEventProperties,
    `must have at most ${maxEventProperties} properties`,
  );

/**
 * What the tracker sends on every view (`POST /v1/hit`); short, as it travels with each. Lengths are bounded by the
 * body's: separate checks would add a tenth to the garbage of a hit.
 */
export const trackerHit = z.object({
  p: z.string().describe('Project id.'),
  u: z.string().describe('Address of the page.'),
  r: z
    .string()
    .optional()
    .describe(
      'Referrer; for a navigation inside the page its address before. On a landing page followed by the fragment directive, from `:~` on, where the browser reveals it.',
    ),
  h: z
    .unknown()
    .optional()
    .describe('There at all: routes live in the fragment, which then counts as part of the path.'),
  a: z
    .string()
    .optional()
    .describe(
      'Letters for signs of a program that controls the page: `w` webdriver, others name an AI client.',
    ),
  s: z
    .unknown()
    .optional()
    .describe(
      'How often 256 pixels go into the width of the viewport. Anything else than a whole number is ignored.',
    ),
  e: eventName.optional().describe('Name of an event: no view, but something that happened on the page.'),
  v: eventProperties
    .optional()
    .describe(`Properties of the event, at most ${maxEventProperties}, each a text, a number or a boolean.`),
  t: z
    .literal(visibleSeconds, `must be one of ${visibleSeconds.join(', ')}`)
    .optional()
    .describe('No view, but that the page has been in sight for so many seconds since its view.'),
});

export type TrackerHit = z.infer<typeof trackerHit>;

/** Whether it is a view that says nothing the schema would object to, as nearly all hits are: the schema takes ten times as long. */
export function isPlainView(value: unknown): value is TrackerHit {
  if (typeof value !== 'object' || value === null) return false;
  const { p, u, r, a, e, v, t } = value as Partial<Record<keyof TrackerHit, unknown>>;
  return (
    typeof p === 'string' &&
    typeof u === 'string' &&
    (r === undefined || typeof r === 'string') &&
    (a === undefined || typeof a === 'string') &&
    e === undefined &&
    v === undefined &&
    t === undefined
  );
}

const screens = ['xs', 'sm', 'md', 'lg', 'xl'] as const;

/** What only a page knows of its visitor; null: it does not say. `s` is the class of the viewport's width, from 0 on. */
export function seenByPage({ s }: { s?: unknown }): Record<DimensionFrom<'page'>, string | null> {
  const isClass = typeof s === 'number' && Number.isInteger(s) && s >= 0;
  return { screen: (isClass && screens[Math.min(Math.max(s, 1), screens.length) - 1]) || null };
}

/** One view of a page that the site's own server or an access log saw. */
export const reportedHit = z.object({
  url: address.describe('Absolute address of the page.'),
  method: z.string().max(20).optional().describe('Request method; left out: GET.'),
  ip: z
    .string()
    .max(100)
    .describe(
      "The visitor's address, IPv4 or IPv6; where the batch names trusted proxies, that of the connection.",
    ),
  userAgent: z.string().max(8192),
  referrer: z.string().max(8192).nullish(),
  at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When it was seen (RFC 3339); left out: now. At most 24 hours back.'),
  headers: z
    .record(z.string().max(100), z.string().max(8192))
    .optional()
    .describe(
      'Request headers that identify the client, by lower-case name, such as accept, sec-fetch-mode and signature.',
    ),
  status: z
    .int()
    .min(100)
    .max(599)
    .optional()
    .describe(
      'The response; left out: a page. Another is no view, but listed among what AI clients could not read.',
    ),
  type: z.string().max(200).optional().describe('Media type of the response, such as `text/markdown`.'),
  bytes: z.int().min(0).optional().describe('Length of the body that was sent, where it is known.'),
  event: z
    .object({
      name: eventName.describe('What happened, such as `Sign up`; cut after 100 characters.'),
      properties: eventProperties
        .optional()
        .describe(
          `At most ${maxEventProperties}; values are texts, numbers or booleans, cut after 100 characters.`,
        ),
    })
    .optional()
    .describe('Something that happened on the page: it is counted by its name, and not as a view.'),
});

export type ReportedHit = z.infer<typeof reportedHit>;

export const maxHitsPerBatch = 1000;

/** `POST /v1/hits`. The hits are parsed one by one, as a bad one does not spoil the batch; `each` is what one shall be. */
export const hitBatch = z.object({
  project: projectId.optional().describe('Needed with a key that is good for all projects.'),
  people: z
    .enum(['count', 'skip'], { error: 'must be "count" or "skip"' })
    .default('count')
    .describe('`skip`: people are counted by the script, the reports are for AI. Left out: `count`.'),
  trustedProxies: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'As in HEADCOUNT_TRUSTED_PROXIES: the X-Forwarded-For, -Proto and -Host among the headers of a hit are believed if its `ip` is one of these. Left out: none.',
    ),
  hits: z
    .array(z.unknown())
    .max(maxHitsPerBatch, `must have at most ${maxHitsPerBatch} hits`)
    .meta({ each: reportedHit }),
});

export type HitBatch = z.infer<typeof hitBatch>;

export const countedDropReason = z.enum(countedDropReasonNames);

const dropReason = z.enum(dropReasonNames).meta({ id: 'DropReason' });

/** What `POST /v1/hits` answers. */
export const batchReply = reply('Batch', () => ({
  accepted: z.int().min(0),
  dropped: z.array(
    z.object({
      index: z.int().min(0).describe('Its place in the batch, from 0.'),
      reason: dropReason,
      error: z.string().optional().describe('What is wrong with a hit that is `invalid`.'),
    }),
  ),
}));

export type BatchReply = Reply<typeof batchReply>;
