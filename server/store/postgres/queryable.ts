import type { SqlValue } from '../../database/sql.ts';

/** Where statements go: each in a transaction of its own, or all in one. */
export interface Queryable {
  /**
   * Answers the rows. The text is a constant: it is prepared once on each connection, and kept. A `bigint` comes as a number;
   * what may not fit into one, such as a visitor, is selected as `text`, or in an array, which comes as BigInts.
   */
  query<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
}
