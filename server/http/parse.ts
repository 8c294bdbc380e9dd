import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ApiError } from '../errors.ts';

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
  // Zod's own words, unless the schema has some. Express makes a list of a query parameter that is given twice.
  const isOwn = issue.message.startsWith('Invalid input');
  if (isOwn && issue.code === 'invalid_type' && issue.expected === 'string' && Array.isArray(issue.input)) {
    return subject === 'The query' ? 'must be given only once' : 'must be text, not a list';
  }
  // A field that is not there is one of none.
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid option')) {
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
  }
  return issue.message.replace(/^Invalid input: expected/, 'must be');
}

/** It may begin with a byte order mark (RFC 8259, section 8.1). @throws ApiError `invalid` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    // What UTF-16 and UTF-32 look like where no byte order mark says so.
    throw text.includes('\0') ? notUtf8() : new ApiError('invalid', 'The body must be JSON.');
  }
}

/** Called once. */
type Settle = (body: string | ApiError) => void;

/**
 * Reads a small body as text: `too_large`, or `invalid` where the client went away in the middle. The one route that
 * every page view takes comes through here, before Express and without promises (bench/README.md).
 */
export function readBody(req: IncomingMessage, maxBytes: number, settle: Settle): void {
  const chunks: Buffer[] = [];
  let length = 0;
  req.on('data', (chunk: Buffer) => {
    if (length > maxBytes) return;
    length += chunk.length;
    if (length > maxBytes) settle(tooLarge(maxBytes));
    else chunks.push(chunk);
  });
  req.on('end', () => {
    if (length <= maxBytes)
      settle(toText(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  });
  req.on('error', () => {
    if (length <= maxBytes) settle(new ApiError('invalid', 'The body ended before it was complete.'));
  });
}

/** Bytes that are no UTF-8 become replacement characters, which texts rarely have of their own. */
export function toText(bytes: Buffer): string | ApiError {
  const text = bytes.toString();
  return text.includes('\uFFFD') && !isUtf8(bytes) ? notUtf8() : text;
}

export function notUtf8(): ApiError {
  return new ApiError('invalid', 'The body must be JSON in UTF-8.');
}

/** Calls back as soon as more has come, or is announced, than there may be; later calls change nothing. */
export function whenTooLarge(
  req: IncomingMessage,
  maxBytes: number,
  refuse: (error: ApiError) => void,
): void {
  let length = 0;
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse(tooLarge(maxBytes));
  req.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) refuse(tooLarge(maxBytes));
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `The body must have at most ${maxBytes} bytes.`, {
    headers: { Connection: 'close' },
  });
}
