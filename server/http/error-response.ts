import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, damagedDatabase, type ErrorDetail, overloaded } from '../errors.ts';
import type { Log } from '../log.ts';
import { STATUS_CODES } from '../net/node-http.ts';
import { StoreError } from '../store/store.ts';
import { currentRequestId, requestIdField, requestIdOf, withRequestId } from './request-id.ts';

/** Of a body that was refused, so much is still taken in, so that its sender comes to read the answer. */
const maxRestBytes = 16_000_000;
const restMs = 2_000;

/** Known errors as they are; all others become a 500 that says nothing, and a line in the log with its id. */
export function respondWithError(log: Log, error: unknown, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) {
    log.error(`${describe(req)} broke off:`, error);
    res.destroy();
    return;
  }
  const known = error instanceof ApiError ? error : (storeError(error) ?? bodyError(error));
  if (known) {
    sendError(res, known);
    return;
  }
  // The route that every page view takes has no id until it needs one.
  const requestId = currentRequestId() ?? requestIdOf(req.headers['x-request-id']);
  withRequestId(requestId, () => log.error(`${describe(req)} failed (request ${requestId}):`, error));
  res.setHeader(requestIdField, requestId);
  sendError(res, new ApiError('internal', 'This is a defect of the server; its log has the cause.'));
}

/** Without the token of a shared page. */
function describe({ method, url = '' }: IncomingMessage): string {
  const path = url.split('?')[0]?.replace(/^(\/v1\/share|\/share|\/badge)\/[^/]+/, '$1/…');
  return `${method} ${path}`;
}

/** The store has written the cause to the log. */
function storeError(error: unknown): ApiError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === 'damaged') return damagedDatabase();
  if (error.code !== 'unavailable') return undefined;
  return overloaded('The database is not available (disk full?). Nothing was changed; retry later.', 5);
}

/** What Express and its body parser refuse (http-errors), in our words. */
function bodyError(error: unknown): ApiError | undefined {
  const { status, limit } = error as { status?: number; limit?: number };
  if (status === 413) return new ApiError('too_large', `The body must have at most ${limit} bytes.`);
  if (status === 415) {
    return new ApiError('unsupported_type', 'The Content-Encoding must be gzip, deflate or br, or left out.');
  }
  if (status !== 400) return undefined;
  if (error instanceof URIError) return new ApiError('invalid', 'The URL has an invalid percent-encoding.');
  return new ApiError('invalid', 'The request could not be read.');
}

/** The one place that turns an error into HTTP. Nothing may have been sent before. */
export function sendError(res: ServerResponse, error: ApiError): void {
  const { text, headers } = toHttp(error);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = error.status;
  if (error.code === 'too_large' && !res.req.complete) endAfterRest(res, text);
  else res.end(text);
}

/** Closing with bytes unread would take the answer away from a client that is still sending. */
function endAfterRest(res: ServerResponse, text: string): void {
  const { req } = res;
  let unread = maxRestBytes;
  const timer = setTimeout(() => res.end(), restMs).unref();
  req.on('data', (chunk: Buffer) => {
    unread -= chunk.length;
    if (unread < 0) res.end();
  });
  req.once('close', () => {
    clearTimeout(timer);
    res.end();
  });
  req.once('end', () => res.end());
  req.resume();
  res.setHeader('Connection', 'close');
  res.write(text);
}

/** The whole response to a request that cannot be parsed; it is the last one on the connection. */
export function errorMessage(error: ApiError): string {
  const { text, headers } = toHttp(error);
  const fields = { ...headers, 'X-Content-Type-Options': 'nosniff', Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${text}`;
}

function toHttp({ message, details, headers }: ApiError): { text: string; headers: Record<string, string> } {
  const body: { error: string; details?: ErrorDetail[] } = { error: message };
  if (details.length > 0) body.details = details;
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return {
    text,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length },
  };
}
