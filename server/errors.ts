import type { ServerResponse } from 'node:http';

const statusOf = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_type: 415,
  too_many: 429,
  internal: 500,
  overloaded: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

export interface ErrorDetail {
  message: string;
  path: string;
}

/** A refusal that the client is told about: `message` is a sentence that says what to do. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string> } & ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return statusOf[this.code];
  }
}

export function overloaded(message: string, retryAfterSeconds = 1): ApiError {
  return new ApiError('overloaded', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/** The one place that turns an error into HTTP. Nothing may have been sent before. */
export function sendError(res: ServerResponse, error: ApiError): void {
  const body: { error: string; details?: ErrorDetail[] } = { error: error.message };
  if (error.details.length > 0) body.details = error.details;
  const text = JSON.stringify(body);
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  res.statusCode = error.status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
