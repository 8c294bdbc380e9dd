import { z } from 'zod';
import { plainText } from '../name.ts';
import { lazily, type Reply, reply } from '../reply.ts';
import { paging, wholeNumber } from '../reports/analytics.ts';
import { type ImageType, imageTypeOf, maxImageBytes, maxImages, maxImagesBytes } from './image.ts';
import { jobText } from './job-text.ts';
import { recipeNames } from './recipes.ts';

const jobStatuses = ['active', 'completed', 'archived', 'failed'] as const;

/** An image that comes with a prompt. */
export interface SentImage {
  name: string;
  type: ImageType;
  content: Uint8Array<ArrayBuffer>;
}

const wrongImage = 'must be a PNG, JPEG, GIF or WebP image';

const sentImage = z
  .object({
    name: plainText
      .regex(/^.{1,100}$/u, 'must have 1 to 100 characters')
      .describe('What people call it, such as the name of its file.'),
    content: z
      .string()
      .max(Math.ceil(maxImageBytes / 3) * 4, `must have at most ${maxImageBytes} bytes`)
      .meta({ format: 'byte' })
      .describe('A PNG, JPEG, GIF or WebP in base64; its first bytes decide which.'),
  })
  .transform(({ name, content: text }, { addIssue }): SentImage => {
    const content = decodeBase64(text);
    const type = content && imageTypeOf(content);
    if (type) return { name, type, content };
    const message = content ? wrongImage : `${wrongImage} in base64`;
    addIssue({ code: 'custom', message, path: ['content'] });
    return z.NEVER;
  });

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

const sentImages = z
  .array(sentImage)
  .max(maxImages, `must be at most ${maxImages}`)
  .refine(
    (images) => images.reduce((sum, { content }) => sum + content.length, 0) <= maxImagesBytes,
    `must have at most ${maxImagesBytes} bytes together`,
  )
  .default([])
  .describe('Images that the agent sees, and may put into the repository.');

/** Body of `POST …/job/{id}/message`. */
export const jobPrompt = z.object({
  prompt: jobText.describe('What the agent shall do.'),
  images: sentImages,
});

/** Body of `POST …/job`. */
export const jobRequest = z
  .object({
    prompt: jobText
      .optional()
      .describe('What the agent shall do; with a recipe, additions to it. One of both is needed.'),
    recipe: z
      .enum(recipeNames, { error: `must be one of ${recipeNames.join(', ')}` })
      .optional()
      .describe('Work that documentation needs again and again, in place of a prompt.'),
    images: sentImages,
    asDraft: z
      .boolean()
      .optional()
      .describe('Whether its pull request is opened as a draft; left out, as the project is set.'),
  })
  .refine(({ prompt, recipe }) => prompt !== undefined || recipe !== undefined, {
    error: 'is missing',
    path: ['prompt'],
  });

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

const time = z.iso.datetime();
const count = lazily(() => z.int().min(0));

export const jobReply = reply('Job', () => ({
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
  stopped: z
    .boolean()
    .describe('Whether a person stopped the agent in the newest turn; its job is then `completed`.'),
  usage: z
    .object({
      steps: count(),
      inputTokens: count(),
      outputTokens: count(),
      cachedTokens: count().describe('Among those of the input.'),
      cost: z
        .number()
        .min(0)
        .nullable()
        .describe('In dollars; null where the price of the model is not known.'),
    })
    .nullable()
    .describe('Usage of all turns so far; null before the first step, and with an agent of your own.'),
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
}));

export type JobReply = Reply<typeof jobReply>;

/** `GET …/jobs` */
export const jobsReply = reply('Jobs', () => ({ jobs: z.array(jobReply()), hasMore: z.boolean() }));

export type JobsReply = Reply<typeof jobsReply>;

/** A line of a job's transcript. */
export const eventReply = reply('Event', () => ({
  number: z.int().min(1),
  turn: z.int().min(0),
  at: time,
  type: z
    .string()
    .describe('Such as `message`, `text`, `tool`, `phase`, `completed`, `failed` or `stopped`.'),
  data: z.record(z.string(), z.unknown()),
}));

export type EventReply = Reply<typeof eventReply>;

/** `GET …/job/{id}/events`, oldest first. */
export const eventsReply = reply('Events', () => ({ events: z.array(eventReply()), hasMore: z.boolean() }));

export type EventsReply = Reply<typeof eventsReply>;
