import type { ErrorCode } from '../errors.ts';
import { accessRules } from '../http/access.ts';
import type { Route } from '../http/route.ts';

/** Errors that any request may get: malformed, slow or too large requests, defects, and overload. */
export const generalRefusals = {
  client: ['invalid', 'too_slow', 'too_large', 'unknown_expectation', 'head_too_large'],
  server: ['internal', 'overloaded'],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Further errors of an operation: by its access, its query and body, and those that it declares. */
export function refusalsOf({ access, method, query, body, refusals = [] }: Route): Set<ErrorCode> {
  const { refuses, keys, session } = accessRules[access];
  const found = new Set<ErrorCode>([...refuses, ...refusals]);
  if (query) found.add('invalid');
  if (body) {
    found.add('invalid').add('too_large');
    if (body.anyType !== true) found.add('unsupported_type');
  }
  // A session counts only for what comes from the dashboard's own origin.
  if (session && !keys && method !== 'GET') found.add('forbidden');
  return found;
}

interface RefusalText {
  says: string;
  headers?: Readonly<Record<string, string>>;
}

const retryAfter = { 'Retry-After': 'Seconds until it may be tried again.' };

/** When a request gets which error. */
export const refusalTexts: Readonly<Record<ErrorCode, RefusalText>> = {
  invalid: {
    says: 'Malformed, not allowed by a rule, or not possible in this state (an archived job, a project without a repository).',
  },
  unauthorized: {
    says: 'No key, no `Bearer ` before it, or one that is unknown, revoked or expired.',
    headers: { 'WWW-Authenticate': '`Bearer`, or `Session` where the dashboard is meant.' },
  },
  forbidden: {
    says: 'A key or user without access to this project or operation, or a key from a network that it may not be used from; the same whether or not the project exists.',
  },
  not_found: { says: 'There is no such job, link or (for keys of all projects) project.' },
  method_not_allowed: {
    says: 'The address does not have this method.',
    headers: { Allow: 'The methods that work.' },
  },
  conflict: { says: 'Something else has the name already.' },
  too_slow: { says: 'The request took too long to arrive.' },
  too_large: { says: 'The body is too large.' },
  unsupported_type: { says: 'The body is not JSON in UTF-8.' },
  unknown_expectation: { says: 'It expects more than `100-continue`.' },
  too_many: {
    says: 'A limit was reached.',
    headers: {
      ...retryAfter,
      RateLimit: 'The remaining part of the limit.',
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
