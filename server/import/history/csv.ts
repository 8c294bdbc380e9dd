import type { CsvError } from 'csv-parse';
import { ImportError } from '../import-error.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';

/** A line of a CSV file; one that spans several is named by its last. */
export interface CsvLine {
  number: number;
  cells: string[];
}

/** No line of an export is longer: a path, a referrer and a title are some thousand characters. */
const maxLineBytes = 1 << 20;

/** The lines of a file, the one with the names of columns first. @throws ImportError naming file and line */
export async function* readLines({ name, open }: ExportedFile): AsyncGenerator<CsvLine> {
  const { parse } = await import('csv-parse');
  const comment = (await hasComments(name, open)) ? '#' : '';
  const stream = await open();
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: maxLineBytes,
    relax_column_count: true,
    comment,
    comment_no_infix: true,
    skip_empty_lines: true,
  });
  stream.on('error', (error) => parser.destroy(error));
  stream.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>)
      yield { number: info.lines, cells: record };
  } catch (error) {
    throw readable(name, error as Error);
  } finally {
    stream.destroy();
    parser.destroy();
  }
}

/** Where a file begins with one; elsewhere a name may begin so. */
async function hasComments(name: string, open: ExportedFile['open']): Promise<boolean> {
  try {
    for await (const start of await open()) return /^\uFEFF?#/.test(String(start.subarray(0, 4)));
    return false;
  } catch (error) {
    throw readable(name, error as Error);
  }
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

const reasons: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: 'is longer than a line of an export',
};

function readable(name: string, error: Error | CsvError): Error {
  if (error instanceof ImportError) return error;
  if (!('code' in error) || typeof error.code !== 'string' || !error.code.startsWith('CSV_'))
    return unreadable(name, error.message, error);
  const line = 'lines' in error ? `:${error.lines}` : '';
  return lineError(`${name}${line}`, reasons[error.code] ?? 'is not CSV: a quote is missing or out of place');
}

/** @param place file and line */
export function lineError(place: string, why: string): ImportError {
  return new ImportError('unreadable', `${place} ${why}. Nothing was counted.`);
}
