import { showable } from '../import-result.ts';
import { type CsvLine, lineError, readLines } from './csv.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { createdColumns, isDump, readDumpedLines, readTextLines, tablesOf } from './sql-dump.ts';
import { readStart, readText } from './text.ts';

/** Lines of cells under named columns, in whichever way a file has them. */
export interface ExportedTable {
  /** As errors name it. */
  name: string;
  /** As the file or the database calls it: `website_event`, `hit_stats`. */
  title: string;
  /** Where the columns are named. */
  place: string;
  /** Of JSON, they may become more while lines are read. */
  columns: string[];
  /** The first lines. */
  sample: CsvLine[];
  /** One of several of a file, of which not all are of interest. */
  isPart: boolean;
  /** Lines may have fewer cells than there are columns. */
  isRagged: boolean;
  lines(): AsyncGenerator<CsvLine>;
}

const sampleLines = 20;

/** The tables of files. Empty ones are none. @throws ImportError */
export async function openTables(files: readonly ExportedFile[]): Promise<ExportedTable[]> {
  const tables: ExportedTable[] = [];
  const names = new Set(files.map(({ name }) => name));
  for (const file of files) {
    // It only names the columns of the text next to it.
    if (/\.sql$/i.test(file.name) && names.has(file.name.replace(/sql$/i, 'txt'))) continue;
    tables.push(...(await openFile(file, files)));
  }
  return tables;
}

async function openFile(file: ExportedFile, files: readonly ExportedFile[]): Promise<ExportedTable[]> {
  const start = await readStart(file);
  refuseBinary(file.name, start);
  if (isDump(start)) return await dumpedTables(file);
  if (/^\s*[{[]/.test(start)) {
    return /\.(jsonl|ndjson)(\.gz|\.zst)?$/i.test(file.name) || /^\s*\{[^\n]*\}\s*\n\s*\{/.test(start)
      ? await tableOf(file, true, (columns) => readJsonLines(file, columns))
      : await tableOf(file, false, (columns) => readJsonRows(file, columns));
  }
  const definition = files.find(
    ({ name }) => name === file.name.replace(/txt$/i, 'sql') && name !== file.name,
  );
  if (definition) {
    const columns = await createdColumns(definition);
    return [await withSample(file, columns, 1, { lines: () => readTextLines(file) })];
  }
  // Databases quote no cell of such a text.
  const head = start.split(/\r?\n/, 1)[0]?.split('\t') ?? [];
  const isText = head.includes('session_id') && head.every((column) => /^[\w$]+$/.test(column));
  return await headedTable(file, () => (isText ? readTextLines(file) : readLines(file)));
}

/** Written by pg_dump and COPY for their own use. */
function refuseBinary(name: string, start: string): void {
  if (start.startsWith('PGDMP'))
    throw unreadable(
      name,
      "it is pg_dump's own format: dump it with --format=plain, or turn it to SQL with pg_restore --file",
    );
  if (start.startsWith('PGCOPY\n'))
    throw unreadable(name, 'it is binary: copy the table as CSV, with its header');
}

async function dumpedTables(file: ExportedFile): Promise<ExportedTable[]> {
  const tables = await tablesOf(file);
  if (tables.length === 0) throw unreadable(file.name, 'it is SQL without a row of a table');
  return await Promise.all(
    tables.map(({ name, columns }) =>
      withSample({ ...file, name: `${file.name} (${showable(name)})` }, columns, 1, {
        title: name,
        isPart: true,
        lines: () => readDumpedLines(file, name),
      }),
    ),
  );
}

/** The first line names the columns. */
async function headedTable(
  file: ExportedFile,
  read: () => AsyncGenerator<CsvLine>,
): Promise<ExportedTable[]> {
  for await (const { cells, number } of read()) {
    if (cells.length === 1 && cells[0]?.trim() === 'No data available') return [];
    const columns = cells.map((cell) => cell.trim());
    return [await withSample(file, columns, number, { lines: () => withoutFirst(read()) })];
  }
  return [];
}

async function* withoutFirst(lines: AsyncGenerator<CsvLine>): AsyncGenerator<CsvLine> {
  let isFirst = true;
  for await (const line of lines) {
    if (!isFirst) yield line;
    isFirst = false;
  }
}

async function tableOf(
  file: ExportedFile,
  isPart: boolean,
  read: (columns: string[]) => AsyncGenerator<CsvLine>,
): Promise<ExportedTable[]> {
  const columns: string[] = [];
  const table = await withSample(file, columns, 1, { isPart, isRagged: true, lines: () => read(columns) });
  return table.sample.length === 0 ? [] : [table];
}

async function withSample(
  { name }: ExportedFile,
  columns: string[],
  line: number,
  more: Pick<ExportedTable, 'lines'> & Partial<ExportedTable>,
): Promise<ExportedTable> {
  const sample: CsvLine[] = [];
  for await (const one of more.lines()) {
    sample.push(one);
    if (sample.length === sampleLines) break;
  }
  const title = name.split(/[/\\]/).at(-1)?.split('.')[0] ?? '';
  return { name, title, place: `${name}:${line}`, columns, sample, isPart: false, isRagged: false, ...more };
}

/** @throws ImportError */
export function requireWhole({ columns, isRagged, name }: ExportedTable, { cells, number }: CsvLine): void {
  if (isRagged ? cells.length > columns.length : cells.length !== columns.length)
    throw lineError(`${name}:${number}`, 'has another number of columns than the first line');
}

/** Objects of JSON as lines of cells: a new field is a new column. */

const maxLineLength = 1 << 20;

/** An answer is one text, which is held. */
const maxJsonLength = 1 << 28;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? '{…}' : String(value);
}

function lineOf(row: Json, number: number, columns: string[]): CsvLine {
  for (const name of Object.keys(row)) if (!columns.includes(name)) columns.push(name);
  return { number, cells: columns.map((name) => (Object.hasOwn(row, name) ? cellOf(row[name]) : '')) };
}

/** JSON lines (https://jsonlines.org): an object in each. @throws ImportError */
export async function* readJsonLines(file: ExportedFile, columns: string[]): AsyncGenerator<CsvLine> {
  let number = 0;
  let rest = '';
  const read = function* (lines: readonly string[]): Generator<CsvLine> {
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield lineOf(parse(`${file.name}:${number}`, line), number, columns);
    }
  };
  for await (const piece of readText(file)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength)
      throw lineError(`${file.name}:${number + 1}`, 'is longer than a line of an export');
    yield* read(lines);
  }
  yield* read([rest]);
}

function parse(place: string, line: string): Json {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw lineError(place, 'is no object of JSON');
}

/**
 * Rows of one text of JSON: a list of objects, one object, or either by day, as Matomo answers for several days
 * (https://developer.matomo.org/api-reference/reporting-api). @throws ImportError
 */
export async function* readJsonRows(file: ExportedFile, columns: string[]): AsyncGenerator<CsvLine> {
  let text = '';
  for await (const piece of readText(file)) {
    text += piece;
    if (text.length > maxJsonLength) throw unreadable(file.name, 'it is longer than an answer of JSON');
  }
  const value = parseWhole(file.name, text);
  if (isObject(value) && value.result === 'error')
    throw unreadable(file.name, `it is the error of an API (${cellOf(value.message).slice(0, 200)})`);
  let number = 0;
  for (const row of rowsIn(value)) yield lineOf(row, ++number, columns);
}

function parseWhole(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(name, 'it is not JSON');
  }
}

function* rowsIn(value: unknown): Generator<Json> {
  if (Array.isArray(value)) {
    for (const row of value) if (isObject(row)) yield row;
    return;
  }
  if (!isObject(value)) return;
  const entries = Object.entries(value);
  if (!entries.some(([key]) => /^\d{4}-\d\d/.test(key))) {
    yield value;
    return;
  }
  for (const [date, rows] of entries) {
    for (const row of Array.isArray(rows) ? rows : [rows]) if (isObject(row)) yield { date, ...row };
  }
}
