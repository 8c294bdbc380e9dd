import type { z } from 'zod';
import { ApiError } from './errors.ts';

/** Checks a value from outside against its schema. @throws ApiError `invalid`, with a detail per field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => ({
    message: sentence(issue),
    path: issue.path.join('.'),
  }));
  const [first] = details;
  const where = first?.path ? `${first.path}: ` : '';
  throw new ApiError('invalid', `${subject} is not valid: ${where}${first?.message ?? 'unknown reason'}.`, {
    details,
  });
}

/** @throws ApiError `invalid` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid', 'The body must be JSON.');
  }
}

function sentence(issue: z.core.$ZodIssue): string {
  // Express gives an array where a query parameter stands twice.
  if (issue.code === 'invalid_type' && Array.isArray(issue.input)) return 'must be given only once';
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  return issue.message;
}
