export interface PageOfRows<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** Of rows that were read up to one more than is wanted, which tells whether there are more. */
export function toPage<Row>(rows: Row[], { limit }: { limit: number }): PageOfRows<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
