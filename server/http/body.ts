import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

/** Called once. */
type Settle = (body: string | ApiError) => void;

/**
 * Reads a small body as text: `too_large`, or `invalid` where the client went away in the middle. The one route that
 * every page view takes comes through here, before Express and without promises (bench/README.md).
 */
export function readBody(req: IncomingMessage, maxBytes: number, settle: Settle): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const isWithin = () => length <= maxBytes;
  req.on('data', (chunk: Buffer) => {
    if (!isWithin()) return;
    length += chunk.length;
    if (!isWithin()) settle(tooLarge(maxBytes));
    else chunks.push(chunk);
  });
  req.on('end', () => {
    if (isWithin()) settle(toText(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  });
  req.on('error', () => {
    if (isWithin()) settle(new ApiError('invalid', 'The body ended before it was complete.'));
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
