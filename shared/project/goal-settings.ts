import { z } from 'zod';
import { plainText } from '../name.ts';
import { betweenSteps, stepsOf } from './goals.ts';

/** What each day is asked about: the more, the longer it takes to seal one. */
const maxGoals = 20;
const maxFunnels = 10;
const maxSteps = 5;

/** What begins with a slash is a path, or a glob of paths; all else is the name of an event. */
const goal = plainText
  .min(1, 'must be the name of an event, such as Sign up, or a path, such as /thanks')
  .max(1024, 'must have at most 1,024 characters')
  .refine(
    (text) => text.startsWith('/') || text.length <= 100,
    'must have at most 100 characters, as the name of an event',
  );

const funnel = z
  .string()
  .overwrite((text) =>
    text
      .split('>')
      .map((step) => step.trim())
      .join(betweenSteps),
  )
  .refine((text) => {
    const steps = stepsOf(text);
    const areGoals = steps.every((step) => goal.safeParse(step).success);
    return areGoals && steps.length >= 2 && steps.length <= maxSteps;
  }, `must be 2 to ${maxSteps} events or paths with > between them, such as /prices > /cart > Order`);

const list = (item: z.ZodType<string, string>, max: number, words: string) =>
  z
    .array(item)
    .max(max, `must be at most ${max}`)
    .refine((texts) => new Set(texts).size === texts.length, `must name each ${words} once`)
    .default([]);

/**
 * What people are to do, and in which order on one day: how many did is counted from the first whole day on, and of what
 * is added to others from the day before, if that is not sealed.
 */
export const goalSettings = {
  goals: list(goal, maxGoals, 'goal'),
  funnels: list(funnel, maxFunnels, 'funnel'),
};
