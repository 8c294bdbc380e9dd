import { z } from 'zod';
import { cleanedName, name } from '../name.ts';
import { type Reply, reply } from '../reply.ts';
import { paging } from '../reports/analytics.ts';
import { jobText } from './job-text.ts';
import { recipeNames } from './recipes.ts';
import { readRepository } from './repository.ts';

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type Weekday = (typeof weekdays)[number];

const hour = z
  .int('must be a whole number: 0 to 23')
  .min(0, 'must be from 0 to 23')
  .max(23, 'must be from 0 to 23')
  .describe("In the project's time zone.");

/** The times or events that start jobs. */
const occasion = z.discriminatedUnion(
  'kind',
  [
    z.object({
      kind: z.literal('weekly'),
      weekdays: z
        .array(z.enum(weekdays, `must be one of ${weekdays.join(', ')}`))
        .min(1, 'must name a weekday'),
      hour,
    }),
    z.object({
      kind: z.literal('monthly'),
      day: z
        .int('must be a whole number: 1 to 31')
        .min(1, 'must be from 1 to 31')
        .max(31, 'must be from 1 to 31')
        .describe('Of the month; where that is shorter, its last day.'),
      hour,
    }),
    z.object({
      kind: z.literal('missing_page'),
      requests: z
        .int('must be a whole number')
        .min(2, 'must be at least 2')
        .max(1_000_000, 'must be at most 1000000')
        .default(10)
        .describe('By AI clients, for one path within 14 days.'),
    }),
    z.object({
      kind: z.literal('unread_page'),
      days: z
        .int('must be a whole number')
        .min(14, 'must be from 14 to 365')
        .max(365, 'must be from 14 to 365')
        .default(60)
        .describe('Without a view by any AI client.'),
    }),
    z.object({
      kind: z.literal('release'),
      repository: z
        .string()
        .max(2000, 'must have at most 2000 characters')
        .refine(
          (address) => !('fault' in readRepository(address)),
          'must be an address such as https://github.com/owner/name, without a user name or token',
        )
        .describe('Whose tags are watched; it is read without a token.'),
    }),
  ],
  'must have the kind weekly, monthly, missing_page, unread_page or release',
);

export type Occasion = z.infer<typeof occasion>;

/** What people say of an automation. */
const fields = {
  name,
  when: occasion,
  recipe: z
    .enum(recipeNames, `must be one of ${recipeNames.join(', ')}`)
    .nullable()
    .describe('What the agent shall do, where it is one of the recipes.'),
  prompt: jobText.nullable().describe('What it shall do, or additions to the recipe.'),
  jobsPerWeek: z
    .int('must be a whole number: 1 to 50')
    .min(1, 'must be from 1 to 50')
    .max(50, 'must be from 1 to 50')
    .describe('How many jobs it may start in any 7 days.'),
  enabled: z.boolean().describe('Whether it starts jobs.'),
};

/** Triggers may find many things at once, and people review the jobs. */
export const usualJobsPerWeek = 3;

const nothingToDo = { error: 'must be given, or a recipe', path: ['prompt'] };

/** Body of `POST …/automations`. */
export const newAutomation = z
  .object({
    ...fields,
    recipe: fields.recipe.default(null),
    prompt: fields.prompt.default(null),
    jobsPerWeek: fields.jobsPerWeek.default(usualJobsPerWeek),
    enabled: fields.enabled.default(false),
  })
  .refine(({ prompt, recipe }) => prompt !== null || recipe !== null, nothingToDo);

/** Body of `PATCH …/automations/{id}`: fields that are left out stay. */
export const automationPatch = z.object(fields).partial();

/** As it is kept. */
export const automationSettings = z
  .object({ ...fields, name: z.preprocess((text) => cleanedName(text), name) })
  .omit({ enabled: true })
  .refine(({ prompt, recipe }) => prompt !== null || recipe !== null, nothingToDo);

export type AutomationSettings = z.infer<typeof automationSettings>;

/** Query of `GET …/runs`. */
export const runsQuery = z.object(paging({ max: 100, standard: 20 }));

/** At times; otherwise when something happens. */
export function isSchedule({ kind }: Pick<Occasion, 'kind'>): boolean {
  return kind === 'weekly' || kind === 'monthly';
}

const time = z.iso.datetime();

/** A run, at a time or for a path or release. */
const runReply = reply('Run', () => ({
  at: time,
  about: z
    .string()
    .nullable()
    .describe('The date that it was due on; of a trigger the path or the release; null: not noted.'),
  jobId: z.string().nullable().describe('The job that it started; null: it started none.'),
  reason: z.string().nullable().describe('Why it started none.'),
}));

export const automationReply = reply('Automation', () => ({
  ...newAutomation.shape,
  id: z.string(),
  createdAt: time,
  nextAt: time.nullable().describe('Null while it is off, and of what waits for something to happen.'),
  lastRun: runReply().nullable(),
}));

export type AutomationReply = Reply<typeof automationReply>;

/** `GET …/automations`, the oldest first. */
export const automationsReply = reply('Automations', () => ({ automations: z.array(automationReply()) }));

export type AutomationsReply = Reply<typeof automationsReply>;

/** `GET …/automations/{id}/runs`, the newest first. */
export const runsReply = reply('Runs', () => ({ runs: z.array(runReply()), hasMore: z.boolean() }));

export type RunsReply = Reply<typeof runsReply>;

/** `GET …/recipes` */
export const recipesReply = reply('Recipes', () => ({
  recipes: z.array(z.object({ name: z.string(), title: z.string(), prompt: z.string() })),
}));

export type RecipesReply = Reply<typeof recipesReply>;
