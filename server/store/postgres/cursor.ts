import type { SqlValue } from '../../database/sql.ts';
import type { Connection } from './connection.ts';

/**
 * The rows of a statement in a transaction, some at a time.
 *
 * @param name one for each statement, as a prepared `fetch` has the columns that it began with
 */
export async function* readInParts<Row extends object>(
  connection: Connection,
  {
    name,
    sql,
    values,
    rowsAtATime,
  }: { name: string; sql: string; values?: readonly SqlValue[]; rowsAtATime: number },
): AsyncGenerator<Row[]> {
  await connection.query(`declare ${name} no scroll cursor for ${sql}`, values);
  for (;;) {
    const rows = await connection.query<Row>(`fetch ${rowsAtATime} from ${name}`);
    if (rows.length === 0) break;
    yield rows;
  }
  await connection.run(`close ${name}`);
}
