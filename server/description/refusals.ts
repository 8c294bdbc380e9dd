import type { ErrorCode } from '../errors.ts';
import { accessRules } from '../http/access.ts';
import type { Route } from '../http/route.ts';

/** What any request may be refused with, whatever it asks for: broken, slow or too large ones, defects, and too much work. */
export const generalRefusals = {
  client: ['invalid', 'too_slow', 'too_large', 'unknown_expectation', 'head_too_large'],
  server: ['internal', 'overloaded'],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** What an operation may refuse besides, by whom it is for, what it reads, and what it says itself. */
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
