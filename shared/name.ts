import { z } from 'zod';
import { isPlain, plain } from './plain-text.ts';

export const notPlain = 'must be one line of readable text, without control characters and invisible ones';

/** Any text that people read as a name: it reaches terminals, mails and logs. */
export const plainText = z
  .string()
  .overwrite((text) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''))
  .refine(isPlain, notPlain)
  .trim();

const longest = (max: number) =>
  [max, `must have at most ${max.toLocaleString('en-US')} characters`] as const;

/** What people call something. */
export const name = plainText.min(1, 'must not be empty').max(...longest(100));

/** A name as an older version may have stored it, when other characters were accepted. */
export function cleanedName(text: unknown, fallback = '?'): unknown {
  return typeof text === 'string' ? plain(text).trim() || fallback : text;
}
