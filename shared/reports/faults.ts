import { z } from 'zod';
import { name } from '../name.ts';
import { type Reply, reply } from '../reply.ts';
import { oneOf, paging } from './analytics.ts';
import { measured, past } from './replies.ts';

/** What can be wrong with a page, the gravest first. */
export const faultKinds = [
  'not_found',
  'refused',
  'ignored',
  'unread',
  'outdated',
  'cut_off',
  'ai_heavy',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** What was done about it, in the order of the list. */
export const faultStates = [
  'open',
  'job_running',
  'pull_request',
  'merged',
  'no_change',
  'improved',
  'dismissed',
] as const;

export type FaultState = (typeof faultStates)[number];

const severities = ['high', 'medium', 'low'] as const;

export type Severity = (typeof severities)[number];

/** The query of `worklist`, which is about now. */
export const worklistQuery = z.object({
  kind: oneOf(faultKinds).optional().describe('Only faults of this kind.'),
  state: oneOf(faultStates)
    .optional()
    .describe('Only faults in this state; left out: all but dismissed ones.'),
  ...paging({ max: 250, standard: 50 }),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: all rows in a file, whatever `limit` and `offset`.'),
});

export type WorklistQuery = z.infer<typeof worklistQuery>;

/** Body of `POST …/worklist/{faultId}/assign`. */
export const assigneeBody = z.object({
  assignee: name.nullable().describe('Who looks after it, as you call them; null: nobody.'),
});

/** How many jobs one request starts. */
export const maxFixes = 10;

/** Body of `POST …/worklist/fix`. */
export const fixAllBody = z.object({
  kind: oneOf(faultKinds).describe('Faults of this kind that are open, or that a merge did not improve.'),
  limit: z
    .int()
    .min(1, 'must be at least 1')
    .max(maxFixes, `must be at most ${maxFixes}`)
    .default(maxFixes)
    .describe('How many jobs to start; the worst faults come first.'),
});

const number = z.int().min(0);
const date = z.iso.date();
const job = z
  .object({
    id: z.string(),
    status: z.enum(['active', 'completed', 'archived', 'failed']),
    prLink: z.string().nullable(),
    merged: z.boolean(),
  })
  .nullable();

const outcome = z
  .object({
    since: date.describe('The day of the merge: counts are of the days after it, up to 28.'),
    hits: number.describe('What `of` counts: what failed, was read, or was cut off.'),
    of: number.describe(
      'Requests or views of the page; days, where the page was unread, out of date or ignored.',
    ),
    hitsBefore: number.describe('The same on the 28 days before the merge.'),
    ofBefore: number,
    low: z
      .number()
      .nullable()
      .describe(
        "The 95 % interval of the difference between both shares, by Newcombe's hybrid score method; null: one side has none.",
      ),
    high: z.number().nullable(),
    hasPeople: z.boolean().describe('Whether people count among them, by the event `404` of the script.'),
    isKnown: z.boolean().describe('False: there were too few visits.'),
  })
  .nullable();

export const faultReply = reply('Fault', () => ({
  id: z.string().describe('Of its kind and page: it stays the same.'),
  path: z.string(),
  kind: z
    .enum(faultKinds)
    .describe(
      '`not_found`: answered AI clients 404 or 410, or people 404 (the event `404`). `refused`: AI clients were answered another error. `ignored`: people read it, and AI does not. `unread`: in the sitemap, and not read by AI for 60 days. `outdated`: changed, and not read by AI since. `cut_off`: longer than AI clients take. `ai_heavy`: AI reads it far more than people do.',
    ),
  state: z
    .enum(faultStates)
    .describe(
      '`merged`: not enough visits yet. `improved`, `no_change`: by the interval in `outcome`; `no_change` may be fixed again.',
    ),
  severity: z
    .enum(severities)
    .describe('By `readers`: from 100 on, from 20 on, and fewer; of `ai_heavy` one lower.'),
  readers: number.describe('Requests or views that met it in the last 28 days.'),
  detail: z.string().describe('Statuses and AI clients, or a date; empty: nothing more is known.'),
  evidence: z.string().describe('What was found, in a sentence.'),
  title: z.string().nullable().describe('Of a job for it; null: it is no longer found.'),
  prompt: z.string().nullable().describe('The same.'),
  assignee: z.string().nullable(),
  dismissedBy: z.string().nullable(),
  dismissedAt: z.iso.datetime().nullable(),
  job: job.describe('The newest one for it; null too for those who may not see jobs.'),
  outcome: outcome.describe('Whether the merge helped; null: none was merged.'),
  says: z.string().nullable().describe('The same in a sentence.'),
}));

export type FaultReply = Reply<typeof faultReply>;

export const worklistReply = reply('Worklist', () => ({
  faults: z.array(faultReply()),
  states: z
    .partialRecord(z.enum(faultStates), number)
    .describe('How many there are in each state, of this kind.'),
  kinds: z
    .partialRecord(z.enum(faultKinds), number)
    .describe('How many there are of each kind, in this state.'),
  hasMore: z.boolean().describe('Whether there are rows after these.'),
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/worklist` */
export type WorklistReply = Reply<typeof worklistReply>;

export const fixAllReply = reply('Fixes', () => ({
  started: z.array(z.object({ faultId: z.string(), path: z.string(), jobId: z.string() })),
  left: z
    .array(z.object({ faultId: z.string(), path: z.string(), reason: z.string() }))
    .describe('Faults of this kind for which none was started, and why.'),
}));

export type FixAllReply = Reply<typeof fixAllReply>;
