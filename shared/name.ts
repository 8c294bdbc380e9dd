import { z } from 'zod';
import { isPlain, plain } from './plain-text.ts';

export const notPlain = 'must be one line of readable text, without control characters and invisible ones';

/** Around a text, as forms and shells leave them; `trim` would take invisible characters along. In linear time. */
function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && ' \t\r\n'.includes(text.charAt(start))) start++;
  while (end > start && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Any text that people read as a name: it reaches terminals, mails and logs. */
export const plainText = z.string().overwrite(withoutSpaces).refine(isPlain, notPlain).trim();

/** What people call something. */
export const name = plainText.min(1, 'must not be empty').max(100, 'must have at most 100 characters');

/** A name as an older version may have stored it, when other characters were accepted. */
export function cleanedName(text: unknown, fallback = '?'): unknown {
  return typeof text === 'string' ? plain(text).trim() || fallback : text;
}
