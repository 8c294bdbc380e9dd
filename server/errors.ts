export const statusOf = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  unknown_expectation: 417,
  too_many: 429,
  head_too_large: 431,
  internal: 500,
  overloaded: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

export interface ErrorDetail {
  message: string;
  path: string;
}

/** An error for the client: `message` is a sentence that says what to do. */
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

/** So many within so long. */
export interface RateLimit {
  limit: number;
  windowMs: number;
}

export function overloaded(message: string, retryAfterSeconds = 1): ApiError {
  return new ApiError('overloaded', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/** Trying again does not help, so that no time is named. */
export function damagedDatabase(): ApiError {
  return new ApiError(
    'overloaded',
    'The database is damaged where this needs it; nothing was changed. "headcount check" lists what is hurt.',
  );
}

/** Fields as in https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
export function tooMany(
  message: string,
  { name, limit, windowMs, retryAfterMs }: RateLimit & { name: string; retryAfterMs: number },
): ApiError {
  const seconds = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
  return new ApiError('too_many', message, {
    headers: {
      'Retry-After': seconds,
      'RateLimit-Policy': `"${name}";q=${limit};w=${windowMs / 1000}`,
      RateLimit: `"${name}";r=0;t=${seconds}`,
    },
  });
}

/** @param about such as `The key is not valid` */
export function invalid(about: string, field: string, message: string): ApiError {
  return new ApiError('invalid', `${about}: ${field} ${message}.`, { details: [{ message, path: field }] });
}
