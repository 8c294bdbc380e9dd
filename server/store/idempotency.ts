/** A request that may be sent again: same key and same request, same answer. */
export interface Idempotency {
  key: string;
  /** Hash of what was asked; another one with the same key is a mistake. */
  requestHash: string;
}

/** How long a request can be sent again under its key. */
export const idempotencyMs = 24 * 60 * 60 * 1000;
