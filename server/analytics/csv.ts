import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Rows of a file; the largest come first, so what is cut off is the smallest. */
export const maxCsvRows = 50_000;
const rowsPerChunk = 500;

export type Cell = string | number | null;

interface Table {
  /** Of the file, without its ending. */
  name: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** There were more rows than `maxCsvRows`. */
  isCut: boolean;
}

/** Answers with a file (RFC 4180), which the browser saves. */
export async function sendCsv(res: Response, { name, columns, rows, isCut }: Table): Promise<void> {
  const file = isCut ? `${name}-first-${rows.length}-rows` : name;
  res
    .status(200)
    .type('text/csv; charset=utf-8; header=present')
    .set('Content-Disposition', `attachment; filename="${file}.csv"`);
  await pipeline(Readable.from(chunksOf(columns, rows)), res);
}

function* chunksOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): Generator<string> {
  yield lineOf(columns);
  for (let i = 0; i < rows.length; i += rowsPerChunk) {
    yield rows
      .slice(i, i + rowsPerChunk)
      .map(lineOf)
      .join('');
  }
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

/**
 * Texts are always quoted, as some spreadsheets cut at semicolons and tabs too. What one would take for a formula
 * gets an apostrophe: https://owasp.org/www-community/attacks/CSV_Injection
 */
function toCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const harmless = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(cell)
    ? `'${cell}`
    : cell;
  return `"${harmless.replaceAll('"', '""')}"`;
}
