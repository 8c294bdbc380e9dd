import { z } from 'zod';

/** Longest prompt, in characters as people count them: code points. */
export const maxPrompt = 32_000;

function isTooLong(text: string): boolean {
  if (text.length <= maxPrompt) return false;
  // One character takes one or two UTF-16 units.
  return text.length > 2 * maxPrompt || Array.from(text).length > maxPrompt;
}

/** The prompt of an agent. */
export const jobText = z
  .string()
  .refine((text) => text.trim() !== '', 'must not be empty or only white space')
  .refine((text) => !isTooLong(text), `must have at most ${maxPrompt} characters`)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode, without half characters')
  .meta({ minLength: 1, maxLength: maxPrompt });
