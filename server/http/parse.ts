import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import { notUtf8 } from './body.ts';

/** Checks a value from outside against its schema. @throws ApiError `invalid`, with a detail per field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => ({
    message: sentence(issue, subject),
    path: issue.path.join('.'),
  }));
  const what = [details[0]?.path, details[0]?.message].filter(Boolean).join(' ');
  throw new ApiError('invalid', `${subject} is not valid: ${what}.`, { details });
}

function sentence(issue: z.core.$ZodIssue, subject: string): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  // Express makes a list of a query parameter that stands twice.
  if (issue.code === 'invalid_type' && issue.expected === 'string' && Array.isArray(issue.input)) {
    return subject === 'The query' ? 'must be given only once' : 'must be text, not a list';
  }
  // Zod's own words, unless the schema has some; a field that is not there is one of none.
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid option')) {
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
  }
  return issue.message.replace(/^Invalid input: expected/, 'must be');
}

/** A byte order mark may stand before it (RFC 8259, section 8.1). @throws ApiError `invalid` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    // What UTF-16 and UTF-32 look like where no mark tells of them.
    throw text.includes('\0') ? notUtf8() : new ApiError('invalid', 'The body must be JSON.');
  }
}
