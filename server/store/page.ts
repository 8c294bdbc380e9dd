/** Some rows of a project. */
export interface PageQuery<Id = string> {
  projectId: Id;
  limit: number;
  offset: number;
}

export interface PageOfRows<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** Of rows that were read up to one more than is wanted, to know whether there are more. */
export function toPage<Row>(rows: Row[], { limit }: { limit: number }): PageOfRows<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Before and after every day that is counted, for a range without a beginning or an end. */
export const firstDay = -1e9;
export const lastDay = 1e9;

/** A request that may be sent again: same key and same request, same answer. */
export interface Idempotency {
  key: string;
  /** Hash of what was asked; another one with the same key is a mistake. */
  requestHash: string;
}

/** How long a request can be sent again under its key. */
export const idempotencyMs = 24 * 60 * 60 * 1000;
