import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const requests = new AsyncLocalStorage<string>();

export const requestIdField = 'X-Request-Id';

/** Of the request that is being answered; undefined outside of any. */
export function currentRequestId(): string | undefined {
  return requests.getStore();
}

/** Runs a function, with everything that it starts, as part of the request with this id. */
export function withRequestId<T>(id: string, run: () => T): T {
  return requests.run(id, run);
}

/** The one that a proxy gave the request, if it fits into a line, or a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}
