import type { Response } from 'express';
import { type Cell, maxCsvRows, sendCsv } from '../analytics/csv.ts';

/** A page of rows, or all of them as a file. */
export interface TableQuery {
  limit: number;
  offset: number;
  format: 'json' | 'csv';
}

interface Table<Row> {
  /** Of the file, without its ending. */
  name: string;
  /** Of the file, by the names of the fields of a row. */
  columns: readonly (keyof Row & string)[];
  rows: readonly Row[];
  maxMs: number;
}

/** A page of the rows, or nothing where a file was sent. */
export async function sendTable<Row extends object>(
  res: Response,
  { limit, offset, format }: TableQuery,
  { name, columns, rows, maxMs }: Table<Row>,
): Promise<{ rows: Row[]; hasMore: boolean } | undefined> {
  if (format === 'json') {
    return { rows: rows.slice(offset, offset + limit), hasMore: rows.length > offset + limit };
  }
  const cells = rows.slice(0, maxCsvRows).map((row) => columns.map((column) => toCell(row[column])));
  await sendCsv(res, { name, columns, rows: cells, isCut: rows.length > maxCsvRows, maxMs });
  return undefined;
}

function toCell(value: unknown): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(' ') : String(value);
}
