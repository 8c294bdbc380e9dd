import { dirname } from 'node:path';
import { searchTools } from '../../../shared/reports/search-engines.ts';
import { type CsvLine, lineError, readLines } from '../history/csv.ts';
import type { ExportedFile } from '../history/exported-files.ts';
import { Row } from '../history/row.ts';
import { showable } from '../import-result.ts';
import { type ApiDimension, isJson, readAnswer } from './api-answer.ts';
import { bing, bingAi } from './bing.ts';
import { isQuoted, readQuotedLines } from './quoted-lines.ts';
import { filterColumns, searchConsole, whyOfPart } from './search-console.ts';
import type { ExportRow, SearchTable } from './search-row.ts';

const tables: readonly SearchTable[] = [...searchConsole, ...bing, ...bingAi];

/** A file of a known format. */
export interface SearchFile {
  name: string;
  /** The archive or folder that it is in: files in one were exported together. */
  group: string;
  table: SearchTable;
  rows(): AsyncGenerator<{ row: Row; line: ExportRow }>;
}

/** @throws ImportError for a file of other columns, and for an export of a part of the site */
export async function knowSearchFiles(
  files: readonly ExportedFile[],
  dimensions: readonly ApiDimension[] | undefined,
): Promise<SearchFile[]> {
  const known: SearchFile[] = [];
  for (const file of files) {
    const lines = await linesOf(file, dimensions);
    const head = await headOf(lines);
    if (!head) continue;
    const columns = head.cells.map((cell) => cell.trim());
    if (filterColumns.every((column, place) => columns[place] === column)) {
      await requireWhole(file, columns, lines);
      continue;
    }
    const table = tables.find((one) => isOf(one, columns)) ?? unknownColumns(file.name, columns);
    const body = table.tool === 'search-console' && !isJson(file) ? () => readLines(file) : lines;
    known.push({
      name: file.name,
      group: dirname(file.name),
      table,
      rows: async function* () {
        for await (const row of rowsOf(file.name, columns, body)) yield { row, line: table.read(row) };
      },
    });
  }
  return known;
}

type Lines = () => AsyncGenerator<CsvLine>;

async function linesOf(file: ExportedFile, dimensions: readonly ApiDimension[] | undefined): Promise<Lines> {
  if (!isJson(file)) return (await isQuoted(file)) ? () => readQuotedLines(file) : () => readLines(file);
  if (!dimensions)
    throw lineError(
      file.name,
      'does not say what its keys are. Name the dimensions that were asked for in their order, such as --dimensions date,page',
    );
  return () => readAnswer(file, dimensions);
}

/** Undefined: the file is empty. */
async function headOf(lines: Lines): Promise<CsvLine | undefined> {
  for await (const line of lines()) return line;
  return undefined;
}

function isOf({ required, optional }: SearchTable, columns: readonly string[]): boolean {
  const isKnown = (column: string) => required.includes(column) || optional.includes(column);
  return (
    required.every((column) => columns.includes(column)) &&
    columns.every(isKnown) &&
    new Set(columns).size === columns.length
  );
}

function unknownColumns(name: string, columns: readonly string[]): never {
  const named = showable(columns.slice(0, 12).join(', '));
  const isBoth = columns.includes('page') && columns.includes('query');
  throw lineError(
    name,
    isBoth
      ? 'has pages and queries in one, which are less than all of a page, as Google leaves out rare queries. Export days with pages and days with queries apart'
      : `has the columns ${named}, which no export of ${Object.values(searchTools).join(', ')} is known to have. They are read in English: choose that language there, and export again`,
  );
}

async function requireWhole(file: ExportedFile, columns: readonly string[], lines: Lines): Promise<void> {
  for await (const row of rowsOf(file.name, columns, lines)) {
    const why = whyOfPart(row);
    if (why !== undefined)
      throw lineError(
        row.place,
        `says "${showable(`${row.text('Filter')}: ${row.text('Value')}`)}": the export ${why}`,
      );
  }
}

async function* rowsOf(name: string, columns: readonly string[], lines: Lines): AsyncGenerator<Row> {
  const places = new Map(columns.map((column, place) => [column, place]));
  let isHead = true;
  for await (const line of lines()) {
    if (!isHead) {
      if (line.cells.length !== columns.length)
        throw lineError(`${name}:${line.number}`, 'has another number of columns than the first line');
      yield new Row(name, places, line);
    }
    isHead = false;
  }
}
