import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { CombinedCount } from '../../shared/reports/analytics.ts';
import type { countColumns } from '../../shared/reports/cells.ts';
import { isUnmeasured, type MeasuredKinds } from './measured.ts';

/** Rows of a file; the largest come first, so what is cut off is the smallest. */
export const maxCsvRows = 50_000;
export const rowsPerChunk = 500;

export type Cell = string | number | null;

export interface Table {
  /** Of the file, without its ending. */
  name: string;
  columns: readonly string[];
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>;
  /** There were more rows than `maxCsvRows`. */
  isCut: boolean;
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

const csvName = ({ name, isCut }: Table) => `${isCut ? `${name}-first-${maxCsvRows}-rows` : name}.csv`;

/** Answers with a file (RFC 4180), which the browser saves. */
export function sendCsv(res: Response, table: Table & { maxMs: number }): Promise<void> {
  return sendFile(res, {
    ...{ name: csvName(table), type: 'text/csv; charset=utf-8; header=present' },
    ...{ content: chunksOf(table), maxMs: table.maxMs },
  });
}

interface Archive {
  /** Of the file, without its ending. */
  name: string;
  /** The next is asked for when the one before is sent. */
  tables: AsyncIterable<Table>;
  maxMs: number;
}

/** Answers with one archive of all these files. */
export function sendZip(res: Response, { name, tables, maxMs }: Archive): Promise<void> {
  return sendFile(res, { name: `${name}.zip`, type: 'application/zip', content: packed(tables), maxMs });
}

async function* packed(tables: Archive['tables']): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = await import('fflate');
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const encoder = new TextEncoder();
  for await (const table of tables) {
    const entry = new ZipDeflate(csvName(table));
    zip.add(entry);
    for await (const chunk of chunksOf(table)) {
      entry.push(encoder.encode(chunk));
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  yield* ready;
}

interface SentFile {
  name: string;
  type: string;
  content: AsyncIterable<string | Uint8Array>;
  /** How long the reader may take for the whole file, in milliseconds. */
  maxMs: number;
}

async function sendFile(res: Response, { name, type, content, maxMs }: SentFile): Promise<void> {
  res.status(200).type(type).set('Content-Disposition', `attachment; filename="${name}"`);
  const signal = AbortSignal.timeout(maxMs);
  try {
    await pipeline(Readable.from(content), res, { signal });
  } catch (error) {
    // Stop where the client disconnects or takes too long.
    if (!signal.aborted && !goneCodes.includes((error as NodeJS.ErrnoException).code)) throw error;
  }
}

/** Hits are answered between the chunks. */
async function* chunksOf({ columns, rows }: Table): AsyncGenerator<string> {
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
