import { showable } from '../import-result.ts';
import { type CsvLine, lineError, readLines } from './csv.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { readJsonLines, readJsonRows } from './json-rows.ts';
import { createdColumns, isDump, readDumpedLines, readTextLines, tablesOf } from './sql-dump.ts';
import { readStart } from './text.ts';

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
    // It only names the columns of the text beside it.
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

/** What pg_dump and COPY write for themselves alone. */
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
