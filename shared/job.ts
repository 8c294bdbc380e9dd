import { z } from 'zod';
import { paging, wholeNumber } from './analytics.ts';

export type { EventReply, EventsReply, JobReply, JobsReply } from './replies/job.ts';

const jobStatuses = ['active', 'completed', 'archived', 'failed'] as const;

/** Longest prompt, in characters as people count them: code points. */
const maxPrompt = 32_000;

function isTooLong(text: string): boolean {
  if (text.length <= maxPrompt) return false;
  // One character takes one or two UTF-16 units.
  return text.length > 2 * maxPrompt || Array.from(text).length > maxPrompt;
}

/** Body of `POST …/job` and `POST …/job/{id}/message`. */
export const jobPrompt = z.object({
  prompt: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty or only white space')
    .refine((text) => !isTooLong(text), `must have at most ${maxPrompt} characters`)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode, without half characters')
    .meta({ minLength: 1, maxLength: maxPrompt, description: 'What the agent shall do.' }),
});

export type JobPrompt = z.infer<typeof jobPrompt>;

/** Body of `POST …/job`. */
export const jobRequest = jobPrompt.extend({
  asDraft: z
    .boolean()
    .optional()
    .describe('Whether its pull request is opened as a draft; left out, as the project is set.'),
});

export type JobRequest = z.infer<typeof jobRequest>;

/** Query of `GET …/jobs`. */
export const jobsQuery = z.object({
  status: z
    .enum(jobStatuses, {
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given only once' : `must be one of ${jobStatuses.join(', ')}`,
    })
    .optional()
    .describe('Only jobs in this state.'),
  ...paging({ max: 100, standard: 20 }),
});

export type JobsQuery = z.infer<typeof jobsQuery>;

/** Query of `GET …/events`. */
export const eventsQuery = z.object({
  after: wholeNumber('0 or more')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .default(0)
    .meta({
      parameter: { type: 'integer', minimum: 0, default: 0 },
      description: 'The number of an event: those that came later are wanted.',
    }),
  limit: paging({ max: 1000, standard: 100 }).limit,
});

export type EventsQuery = z.infer<typeof eventsQuery>;
