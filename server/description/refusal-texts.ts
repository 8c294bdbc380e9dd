import type { ErrorCode } from '../errors.ts';

interface RefusalText {
  says: string;
  headers?: Readonly<Record<string, string>>;
}

const retryAfter = { 'Retry-After': 'Seconds until it may be tried again.' };

/** When a request is refused with what. */
export const refusalTexts: Readonly<Record<ErrorCode, RefusalText>> = {
  invalid: {
    says: 'Malformed, against a rule, or not possible in this state (an archived job, a project without a repository).',
  },
  unauthorized: {
    says: 'No key, no `Bearer ` before it, or one that is unknown, revoked or expired.',
    headers: { 'WWW-Authenticate': '`Bearer`, or `Session` where the dashboard is meant.' },
  },
  forbidden: {
    says: 'A key or user without access to this project or operation, or a key from a network that it may not be used from; the same whether or not the project exists.',
  },
  not_found: { says: 'Nothing of that name: a job, a link, or (for keys of all projects) a project.' },
  method_not_allowed: {
    says: 'The address is known, the method is another.',
    headers: { Allow: 'The methods that work.' },
  },
  too_slow: { says: 'The request took too long to arrive.' },
  too_large: { says: 'The body is too large.' },
  unsupported_type: { says: 'The body is not JSON in UTF-8.' },
  unknown_expectation: { says: 'It expects more than `100-continue`.' },
  too_many: {
    says: 'A limit was reached.',
    headers: {
      ...retryAfter,
      RateLimit: 'What is left of the limit.',
      'RateLimit-Policy': 'The limit.',
    },
  },
  head_too_large: { says: 'The head of the request is too large.' },
  internal: {
    says: 'A defect of Headcount.',
    headers: { 'X-Request-Id': 'The id of the request, which the log has too.' },
  },
  overloaded: {
    says: 'Overloaded, stopping, or storage is not writable: nothing was stored.',
    headers: retryAfter,
  },
};
