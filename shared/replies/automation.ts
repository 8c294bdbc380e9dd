import { z } from 'zod';
import { newAutomation } from '../jobs/automation.ts';

const time = z.iso.datetime();

/** What it did at one time, or about one thing. */
const runReply = z
  .object({
    at: time,
    about: z
      .string()
      .nullable()
      .describe('The date that it was due on; of a trigger the path or the release; null: not noted.'),
    jobId: z.string().nullable().describe('The job that it started; null: it started none.'),
    reason: z.string().nullable().describe('Why it started none.'),
  })
  .meta({ id: 'Run' });

export const automationReply = z
  .object({
    ...newAutomation.shape,
    id: z.string(),
    createdAt: time,
    nextAt: time.nullable().describe('Null while it is off, and of what waits for something to happen.'),
    lastRun: runReply.nullable(),
  })
  .meta({ id: 'Automation' });

export type AutomationReply = z.infer<typeof automationReply>;

/** `GET …/automations`, the oldest first. */
export const automationsReply = z
  .object({ automations: z.array(automationReply) })
  .meta({ id: 'Automations' });

export type AutomationsReply = z.infer<typeof automationsReply>;

/** `GET …/automations/{id}/runs`, the newest first. */
export const runsReply = z.object({ runs: z.array(runReply), hasMore: z.boolean() }).meta({ id: 'Runs' });

export type RunsReply = z.infer<typeof runsReply>;

/** `GET …/recipes` */
export const recipesReply = z
  .object({
    recipes: z.array(z.object({ name: z.string(), title: z.string(), prompt: z.string() })),
  })
  .meta({ id: 'Recipes' });

export type RecipesReply = z.infer<typeof recipesReply>;
