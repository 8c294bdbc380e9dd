import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, overloaded, sendError } from '../errors.ts';
import type { Log } from '../log.ts';
import { StoreError } from '../store/store.ts';

/** Known errors as they are; all others become a 500 that says nothing, and a line in the log with its id. */
export function respondWithError(log: Log, error: unknown, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) {
    log.error(`${req.method} ${req.url?.split('?')[0]} broke off:`, error);
    res.destroy();
    return;
  }
  const known = error instanceof ApiError ? error : (storeError(error) ?? bodyError(error));
  if (known) {
    sendError(res, known);
    return;
  }
  const requestId = randomUUID();
  log.error(`${req.method} ${req.url?.split('?')[0]} failed (request ${requestId}):`, error);
  res.setHeader('X-Request-Id', requestId);
  sendError(res, new ApiError('internal', 'This is a defect of the server; its log has the cause.'));
}

/** The store has told the log. */
function storeError(error: unknown): ApiError | undefined {
  if (!(error instanceof StoreError) || error.code !== 'unavailable') return undefined;
  return overloaded('The database cannot be used at the moment: nothing was changed, try again.', 5);
}

/** What Express and its body parser refuse (http-errors), in our words. */
function bodyError(error: unknown): ApiError | undefined {
  const { status, limit } = error as { status?: number; limit?: number };
  if (status === 413) return new ApiError('too_large', `The body must have at most ${limit} bytes.`);
  if (status === 415) {
    return new ApiError(
      'unsupported_type',
      'The body may be packed with gzip, deflate or br, or not at all.',
    );
  }
  if (status !== 400) return undefined;
  if (error instanceof URIError)
    return new ApiError('invalid', 'The address has a broken percent escape in it.');
  return new ApiError('invalid', 'The request could not be read.');
}
