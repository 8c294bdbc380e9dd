import type { Route } from '../../../server/http/route.ts';
import { breaksOff } from './request-bytes.ts';
import { mayCall, type RequestPlan } from './request-plan.ts';
import type { WireAnswer, WireOutcome } from './wire.ts';

/** Of a request's head, as Node takes it. */
const maxHeadBytes = 16 * 1024;

/** What of the contract an answer breaks, in words. */
export function faultsOf(operation: Route, plan: RequestPlan, outcome: WireOutcome): string[] {
  if (outcome === 'silent') return ['there was no answer'];
  // Who leaves in the middle of a request may find nobody at the line.
  if (outcome === 'closed') return breaksOff(plan) ? [] : ['the connection was closed without an answer'];
  return [
    ...faultsOfStatus(outcome),
    ...(outcome.status >= 400 && plan.method !== 'HEAD' ? faultsOfError(outcome) : []),
    ...faultsOfAccess(operation, plan, outcome),
  ];
}

const wantedFields: Record<number, [name: string, value: RegExp]> = {
  401: ['www-authenticate', /^(Bearer|Session)$/],
  405: ['allow', /^[A-Z]+(, [A-Z]+)*$/],
  429: ['retry-after', /^[1-9]\d*$/],
  503: ['retry-after', /^[1-9]\d*$/],
};

function faultsOfStatus({ status, headers }: WireAnswer): string[] {
  if (status >= 500 && status !== 503) return [`the status is ${status}`];
  const [name, value] = wantedFields[status] ?? [];
  if (name === undefined || value?.test(headers.get(name)?.[0] ?? '')) return [];
  return [`${status} comes without ${name}`];
}

function faultsOfError({ status, headers, body }: WireAnswer): string[] {
  const type = headers.get('content-type')?.[0];
  if (type !== 'application/json; charset=utf-8') return [`${status} comes as ${type}: ${body}`];
  const { error, details, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
  const isSentence = typeof error === 'string' && /^\S.*[.!]$/s.test(error);
  const isList =
    details === undefined ||
    (Array.isArray(details) &&
      details.every(({ message, path }) => typeof message === 'string' && typeof path === 'string'));
  const isBare =
    Object.keys(rest).length === 0 && !/node_modules|\n +at |SQLITE|headcount-/.test(String(body));
  return isSentence && isList && isBare ? [] : [`${status} is answered with ${body}`];
}

/** Who may not do it is refused, and where nothing else is wrong, with 401 or 403. */
function faultsOfAccess(operation: Route, plan: RequestPlan, { status, headers }: WireAnswer): string[] {
  if (mayCall(plan.identity, operation)) return [];
  const isOpenElsewhere =
    plan.method === 'OPTIONS' || headers.get('content-type')?.[0]?.startsWith('text/html');
  if (status < 400 && !isOpenElsewhere) return [`${plan.identity} may do this: ${status}`];
  // A head that is too large is refused before anybody has read who asks.
  const refusals = plan.query.length > maxHeadBytes / 2 ? [401, 403, 431] : [401, 403];
  return plan.isPlain && !refusals.includes(status) ? [`${plan.identity} gets ${status}`] : [];
}
