import { type HistoryTool, historyTools } from '../../../shared/reports/history.ts';
import { ImportError } from '../import-error.ts';
import { showable } from '../import-result.ts';
import { type CsvLine, lineError, readLines } from './csv.ts';
import type { ExportedFile } from './exported-files.ts';
import { findTable, type HistoryFormat, type ReadLine } from './format.ts';
import { ga4 } from './ga4.ts';
import { goatcounter } from './goatcounter.ts';
import type { HistorySite } from './history-site.ts';
import { plausible } from './plausible.ts';
import { Row } from './row.ts';
import { umami } from './umami.ts';

const formats: Readonly<Record<HistoryTool, HistoryFormat>> = { plausible, goatcounter, umami, ga4 };

/** A file of which it is known how to read it. */
export interface HistoryFile {
  name: string;
  /** Null: it tells single views. */
  sums: string | null;
  /** Null: what it tells has no place here. */
  lines: (() => AsyncGenerator<ReadLine>) | null;
}

export interface HistoryFiles {
  format: HistoryFormat;
  files: HistoryFile[];
}

/** Knows the tool by the columns of the files. @param tool where somebody named it @throws ImportError */
export async function knowFiles(
  files: readonly ExportedFile[],
  tool: HistoryTool | undefined,
  site: HistorySite,
): Promise<HistoryFiles> {
  const heads = await Promise.all(files.map(async (file) => ({ file, head: await headOf(file) })));
  const candidates = tool ? [formats[tool]] : Object.values(formats);
  const known = heads.flatMap(({ file, head }) => (head ? [tableOf(file, head)] : []));
  const format = candidates.find((one) => known.some(({ columns }) => findTable(one, columns)));
  if (!format) throw unknownFiles(files, candidates);
  return { format, files: known.map((table) => knowFile(format, table, site)) };
}

/** Undefined: the file is empty. */
async function headOf(file: ExportedFile): Promise<CsvLine | undefined> {
  for await (const line of readLines(file)) return line;
  return undefined;
}

/** A file whose first line was read. */
interface HeadedFile {
  file: ExportedFile;
  columns: string[];
  /** Where that line is. */
  place: string;
}

function tableOf(file: ExportedFile, { cells, number }: CsvLine): HeadedFile {
  const columns = cells.map((cell) => cell.trim());
  const place = `${file.name}:${number}`;
  const twice = columns.find((column, i) => columns.indexOf(column) !== i);
  if (twice !== undefined) throw lineError(place, `names the column "${showable(twice)}" twice`);
  return { file, columns, place };
}

function unknownFiles(files: readonly ExportedFile[], candidates: readonly HistoryFormat[]): ImportError {
  const tools = candidates.map(({ tool }) => historyTools[tool]).join(', ');
  const named = files.length === 1 ? `${files[0]?.name} is` : 'The files are';
  return new ImportError(
    'unreadable',
    `${named} no export that is known (of ${tools}): the first line has to name the columns. Nothing was counted.`,
  );
}

function knowFile(format: HistoryFormat, headed: HeadedFile, site: HistorySite): HistoryFile {
  const { file, columns, place } = headed;
  const title = historyTools[format.tool];
  const table = findTable(format, columns);
  if (!table) throw lineError(file.name, `has no columns of an export of ${title}`);
  const unknown = columns.find((column) => ![...table.required, ...table.optional].includes(column));
  if (unknown !== undefined) {
    const named = `has the column "${showable(unknown)}"`;
    throw lineError(place, `${named}, which no export of ${title} is known to have`);
  }
  const { read, sums = null } = table;
  const lines = async function* (): AsyncGenerator<ReadLine> {
    for await (const row of readRows(format, headed)) if (read) yield { row, reading: read(row, site) };
  };
  return { name: file.name, sums, lines: read && lines };
}

async function* readRows(
  { isTotal = () => false }: HistoryFormat,
  { file, columns }: HeadedFile,
): AsyncGenerator<Row> {
  const places = new Map(columns.map((column, place) => [column, place]));
  let isHead = true;
  for await (const line of readLines(file)) {
    const { cells, number } = line;
    if (!isHead && !isTotal(cells)) {
      if (cells.length !== columns.length)
        throw lineError(`${file.name}:${number}`, 'has another number of columns than the first line');
      yield new Row(file.name, places, line);
    }
    isHead = false;
  }
}
