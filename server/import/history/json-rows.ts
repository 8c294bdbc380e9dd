import { type CsvLine, lineError } from './csv.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { readText } from './text.ts';

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
