import { z } from 'zod';

const time = z.iso.datetime();
const count = z.int().min(0);

export const jobReply = z
  .object({
    id: z.string(),
    status: z.enum(['active', 'completed', 'archived', 'failed']),
    source: z.object({
      repository: z.string(),
      ref: z
        .string()
        .describe('The branch that pull requests go to; empty until the repository could be asked for it.'),
    }),
    model: z
      .string()
      .describe(
        'The model that answered last, or the agent of your own; before that, the one that is to work.',
      ),
    prLink: z.string().nullable().describe('The newest pull request; null while the job is active.'),
    createdAt: time,
    archivedAt: time.nullable(),
    branch: z.string().nullable().describe("The job's own branch, once it was pushed."),
    failure: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the newest turn failed.'),
    noChange: z
      .string()
      .nullable()
      .describe(
        'Why the newest turn changed nothing, in the words of the agent; null where it did, or failed.',
      ),
    usage: z
      .object({
        steps: count,
        inputTokens: count,
        outputTokens: count,
        cachedTokens: count.describe('Among those of the input.'),
        cost: z
          .number()
          .min(0)
          .nullable()
          .describe('In dollars; null where the price of the model is not known.'),
      })
      .nullable()
      .describe('What all turns took so far; null before the first step, and with an agent of your own.'),
    startedBy: z
      .object({
        automation: z.string(),
        name: z.string().describe('As the automation was called then.'),
        kind: z.enum(['schedule', 'trigger']),
      })
      .nullable()
      .describe('The automation that started it; null where a person or a program asked for it.'),
    reverts: z
      .string()
      .nullable()
      .describe('The merged pull request that it takes back; null where it was asked for something else.'),
    merged: z.boolean().describe('Whether its newest pull request was merged, as far as that was noticed.'),
  })
  .meta({ id: 'Job' });

export type JobReply = z.infer<typeof jobReply>;

/** `GET …/jobs` */
export const jobsReply = z.object({ jobs: z.array(jobReply), hasMore: z.boolean() }).meta({ id: 'Jobs' });

export type JobsReply = z.infer<typeof jobsReply>;

/** A line of a job's transcript. */
export const eventReply = z
  .object({
    number: z.int().min(1),
    turn: z.int().min(0),
    at: time,
    type: z.string().describe('Such as `message`, `text`, `tool`, `phase`, `completed` or `failed`.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });

export type EventReply = z.infer<typeof eventReply>;

/** `GET …/job/{id}/events`, oldest first. */
export const eventsReply = z
  .object({ events: z.array(eventReply), hasMore: z.boolean() })
  .meta({ id: 'Events' });

export type EventsReply = z.infer<typeof eventsReply>;
