import { Readable } from 'node:stream';
import type { CsvError } from 'csv-parse';
import { ImportError } from '../import-error.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { readStart, readText } from './text.ts';

/** A line of a CSV file; one that spans several is named by its last. */
export interface CsvLine {
  number: number;
  cells: string[];
}

/** No line of an export is longer: a path, a referrer and a title are some thousand characters. */
const maxLineBytes = 1 << 20;

interface Dialect {
  delimiter: string;
  /** What begins a comment; empty: nothing does. */
  comment: string;
  /** Whether a first line of its own names the delimiter, as Excel reads it. */
  isNamed: boolean;
}

/** The delimiter: the most frequent one outside of quotes in the first line that is no comment. */
function dialectOf(start: string): Dialect {
  // Where a file begins with one; elsewhere a name may begin so.
  const comment = start.startsWith('#') ? '#' : '';
  const named = /^sep=(.)\r?\n/i.exec(start)?.[1];
  if (named !== undefined) return { delimiter: named, comment, isNamed: true };
  const head = start
    .split(/\r?\n|\r/)
    .find((line) => line.trim() !== '' && (comment === '' || line[0] !== '#'));
  const bare = (head ?? '').replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((delimiter) => [delimiter, bare.split(delimiter).length] as const);
  const [delimiter] = counts.reduce((most, one) => (one[1] > most[1] ? one : most));
  return { delimiter, comment, isNamed: false };
}

/** The lines of a file, the one with the names of columns first. @throws ImportError naming file and line */
export async function* readLines(file: ExportedFile): AsyncGenerator<CsvLine> {
  const { name } = file;
  const { parse } = await import('csv-parse');
  const { delimiter, comment, isNamed } = dialectOf(await readStart(file));
  const stream = Readable.from(readText(file));
  const parser = parse({
    info: true,
    max_record_size: maxLineBytes,
    relax_column_count: true,
    delimiter,
    comment,
    comment_no_infix: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    from_line: isNamed ? 2 : 1,
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

interface Parsed {
  record: string[];
  info: { lines: number };
}

const reasons: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: 'is longer than a line of an export',
};

function readable(name: string, error: Error | CsvError): Error {
  if (error instanceof ImportError) return error;
  if (!('code' in error) || typeof error.code !== 'string' || !/^CSV_|QUOTE/.test(error.code))
    return unreadable(name, error.message, error);
  const line = 'lines' in error ? `:${error.lines}` : '';
  return lineError(`${name}${line}`, reasons[error.code] ?? 'is not CSV: a quote is missing or out of place');
}

/** @param place file and line */
export function lineError(place: string, why: string): ImportError {
  return new ImportError('unreadable', `${place} ${why}. Nothing was counted.`);
}
