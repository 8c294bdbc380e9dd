import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

/** https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header @throws ApiError `invalid` */
export function readIdempotencyKey({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(String(key))) {
    throw new ApiError('invalid', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
  }
  return String(key);
}

export function keyReused(): ApiError {
  return new ApiError(
    'invalid',
    'This Idempotency-Key was used with another body: use a new key for a new request.',
  );
}
