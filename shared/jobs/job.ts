import { z } from 'zod';
import { plainText } from '../name.ts';
import { paging, wholeNumber } from '../reports/analytics.ts';
import { type ImageType, imageTypeOf, maxImageBytes, maxImages, maxImagesBytes } from './image.ts';
import { jobText } from './job-text.ts';
import { recipeNames } from './recipes.ts';

export type { EventReply, EventsReply, JobReply, JobsReply } from '../replies/job.ts';

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
      .describe('A PNG, JPEG, GIF or WebP in base64; its first bytes tell which.'),
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
  .describe('What the agent sees besides, and may put into the repository.');

/** Body of `POST …/job/{id}/message`. */
export const jobPrompt = z.object({
  prompt: jobText.describe('What the agent shall do.'),
  images: sentImages,
});

export type JobPrompt = z.infer<typeof jobPrompt>;

/** Body of `POST …/job`. */
export const jobRequest = z
  .object({
    prompt: jobText
      .optional()
      .describe('What the agent shall do; with a recipe, what more than that. One of both is needed.'),
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
