import { declared, movedColumns } from '../../../database/tables/tables.ts';
import {
  type MovedCell,
  type MovedRow,
  type MovedTable,
  rowsAtATime,
  type Special,
  withoutEnded,
} from '../../moved-tables.ts';
import type { Connection } from '../connection.ts';
import { readInParts } from '../cursor.ts';

/** Reads a table in a transaction. */
export async function* readRows(
  connection: Connection,
  table: MovedTable,
  special: Special,
): AsyncGenerator<MovedRow[]> {
  const added = declared(table)?.sums ?? [];
  const columns = Object.keys(movedColumns(table));
  const cells = columns.map((column) => {
    const value = special[table]?.[column] ?? `t.${column}`;
    return `(${added.includes(column) ? `sum(${value})` : value})::text`;
  });
  const keys = columns.filter((column) => !added.includes(column)).map((column) => `t.${column}`);
  const parts = readInParts<{ cells: MovedCell[] }>(connection, {
    name: `moved_${table}`,
    sql: `select array[${cells}]::text[] as cells from ${withoutEnded(table)} t ${added.length > 0 ? `group by ${keys}` : ''}`,
    rowsAtATime: rowsAtATime(table),
  });
  for await (const rows of parts) yield rows.map((row) => row.cells);
}
