import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { CombinedCount } from '../../shared/reports/analytics.ts';
import type { countColumns } from '../../shared/reports/cells.ts';
import { isUnmeasured, type MeasuredKinds } from './measured.ts';

/** Rows of a file; the largest come first, so what is cut off is the smallest. */
export const maxCsvRows = 50_000;
const rowsPerChunk = 500;

export type Cell = string | number | null;

interface Table {
  /** Of the file, without its ending. */
  name: string;
  columns: readonly string[];
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>;
  /** There were more rows than `maxCsvRows`. */
  isCut: boolean;
  /** How long the reader may take for the whole file, in milliseconds. */
  maxMs: number;
}

/** Empty instead of a zero that nobody measured. */
export function countCells(
  { visitors, views }: CombinedCount,
  { people, ai }: MeasuredKinds,
): Record<(typeof countColumns)[number], number | null> {
  const cellOf = (count: number | null, wasMeasured: boolean | null) =>
    count === null || isUnmeasured(count, wasMeasured) ? null : count;
  return {
    humanVisitors: cellOf(visitors.human, people),
    aiVisitors: cellOf(visitors.ai, ai),
    visitors: visitors.total,
    humanViews: cellOf(views.human, people),
    aiViews: cellOf(views.ai, ai),
    views: views.total,
  };
}

/** Of a client that went away while the file was sent, or before it began. */
const goneCodes: unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

/** Answers with a file (RFC 4180), which the browser saves. */
export async function sendCsv(res: Response, { name, columns, rows, isCut, maxMs }: Table): Promise<void> {
  const file = isCut ? `${name}-first-${maxCsvRows}-rows` : name;
  res
    .status(200)
    .type('text/csv; charset=utf-8; header=present')
    .set('Content-Disposition', `attachment; filename="${file}.csv"`);
  const signal = AbortSignal.timeout(maxMs);
  try {
    await pipeline(Readable.from(chunksOf(columns, rows)), res, { signal });
  } catch (error) {
    // Stop where the client disconnects or takes too long.
    if (!signal.aborted && !goneCodes.includes((error as NodeJS.ErrnoException).code)) throw error;
  }
}

/** Hits are answered between the chunks. */
async function* chunksOf(columns: readonly string[], rows: Table['rows']): AsyncGenerator<string> {
  let chunk = lineOf(columns);
  let length = 0;
  for await (const row of rows) {
    chunk += lineOf(row);
    if (++length % rowsPerChunk !== 0) continue;
    yield chunk;
    await nextTurn();
    chunk = '';
  }
  yield chunk;
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
