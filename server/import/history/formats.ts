import { type HistoryTool, historyTools } from '../../../shared/reports/history.ts';
import { ImportError } from '../import-error.ts';
import { showable } from '../import-result.ts';
import { lineError } from './csv.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { findTable, type HistoryFormat, type Lookup, type ReadLine, type Table } from './format.ts';
import { ga4 } from './ga4.ts';
import { goatcounter } from './goatcounter.ts';
import type { HistorySite } from './history-site.ts';
import { matomo } from './matomo.ts';
import { plausible } from './plausible.ts';
import { Row } from './row.ts';
import { type ExportedTable, openTables, requireWhole } from './tables.ts';
import { umami } from './umami.ts';

const formats: Readonly<Record<HistoryTool, HistoryFormat>> = { plausible, goatcounter, umami, ga4, matomo };

/** Lines that others refer to, all in memory: some 500 MB at the worst. */
const maxReferred = 3_000_000;

/** A file of a known format. */
export interface HistoryFile {
  name: string;
  /** Null: each line is a view. */
  sums: string | null;
  /** Null: there is no place for its data here. */
  lines: (() => AsyncGenerator<ReadLine>) | null;
  /** Columns that nobody knows, which are not read. */
  skipped: readonly string[];
}

export interface HistoryFiles {
  format: HistoryFormat;
  files: HistoryFile[];
}

export interface KnowOptions {
  /** Where somebody named it. */
  tool?: HistoryTool | undefined;
  /** The one of several sites of a database, by the tool's own id. */
  website?: string | undefined;
}

/** A table under the names that the format has for its columns. */
interface Known {
  exported: ExportedTable;
  columns: string[];
  table: Table | undefined;
}

/** Knows the tool by the columns of the files. @throws ImportError */
export async function knowFiles(
  files: readonly ExportedFile[],
  { tool, website }: KnowOptions,
  site: HistorySite,
): Promise<HistoryFiles> {
  const tables = await openTables(files);
  const candidates = tool ? [formats[tool]] : Object.values(formats);
  for (const format of candidates) {
    const known = tables.map((exported) => knowTable(format, exported));
    if (!known.some(({ table }) => table && !table.key)) continue;
    const lookup = await readReferred(format, known);
    const websites = websitesOf(website);
    const readable = known.filter(({ table }) => !table?.key);
    return { format, files: readable.map((one) => knowFile(format, one, { site, lookup, websites })) };
  }
  throw unknownFiles(files, candidates);
}

function knowTable(format: HistoryFormat, exported: ExportedTable): Known {
  const columns = format.rename ? (format.rename(exported) ?? []) : exported.columns;
  return { exported, columns, table: findTable(format, columns, exported.title) };
}

function unknownFiles(files: readonly ExportedFile[], candidates: readonly HistoryFormat[]): ImportError {
  const tools = candidates.map(({ tool }) => historyTools[tool]).join(', ');
  const named = files.length === 1 ? `${files[0]?.name} is` : 'The files are';
  return new ImportError(
    'unreadable',
    `${named} no export that is known (of ${tools}): the first line has to name the columns, and sums have to be of days. Nothing was counted.`,
  );
}

/** Lines that others refer to, such as the sessions of views. */
async function readReferred(format: HistoryFormat, known: readonly Known[]): Promise<Lookup> {
  const tables = new Map<string, Map<string, Record<string, string>>>();
  const texts = new Map<string, string>();
  let lines = 0;
  for (const one of known) {
    const { key, kept = [] } = one.table ?? {};
    if (!key) continue;
    const rows = tables.get(key.table) ?? new Map<string, Record<string, string>>();
    tables.set(key.table, rows);
    for await (const row of readRows(format, one)) {
      if (++lines > maxReferred)
        throw unreadable(one.exported.name, 'others refer to its lines, which are more than fit into memory');
      const there = kept.filter((column) => row.text(column) !== '');
      rows.set(
        row.some(key.column),
        Object.fromEntries(there.map((column) => [column, shared(row.text(column))])),
      );
    }
  }
  return (table, key) => tables.get(table)?.get(key);

  /** Few names are in many lines. */
  function shared(text: string): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size < 100_000) texts.set(text, text);
    return text;
  }
}

const placesOf = (columns: readonly string[]) => new Map(columns.map((column, place) => [column, place]));

/** Sites of a database of which views are read: one alone, as others would add up. */
function websitesOf(wanted: string | undefined) {
  let seen: string | undefined;
  return {
    isOther: (id: string) => wanted !== undefined && id !== wanted,
    /** @throws ImportError */
    check(id: string, row: Row): void {
      seen ??= id;
      if (id === seen) return;
      throw lineError(
        row.place,
        `is of another website than the lines before (${showable(seen)} and ${showable(id)}): name the one that is meant with --website <id>`,
      );
    },
  };
}

interface Reading {
  site: HistorySite;
  lookup: Lookup;
  websites: ReturnType<typeof websitesOf>;
}

function knowFile(format: HistoryFormat, known: Known, reading: Reading): HistoryFile {
  const { exported, columns, table } = known;
  const title = historyTools[format.tool];
  if (!table) {
    if (!exported.isPart) throw lineError(exported.name, `has no columns of an export of ${title}`);
    return { name: exported.name, sums: null, lines: null, skipped: [] };
  }
  const twice = columns.find((column, i) => columns.indexOf(column) !== i);
  if (twice !== undefined) throw lineError(exported.place, `names the column "${showable(twice)}" twice`);
  const { read, sums = null, required, optional, isKnown = () => false } = table;
  const skipped = read
    ? columns.filter((column) => ![...required, ...optional].includes(column) && !isKnown(column))
    : [];
  const lines = async function* (): AsyncGenerator<ReadLine> {
    if (!read) return;
    const once = sums === null || skipped.length === 0 ? undefined : onlyLines(format, known, skipped);
    for await (const row of readRows(format, known)) {
      once?.(row);
      yield { row, reading: readLine(table, row, reading) };
    }
  };
  return { name: exported.name, sums, lines: read && lines, skipped };
}

function readLine(
  { read, siteColumn }: Table,
  row: Row,
  { site, lookup, websites }: Reading,
): ReadLine['reading'] {
  const website = siteColumn !== undefined && row.has(siteColumn) ? row.text(siteColumn) : undefined;
  if (website !== undefined && websites.isOther(website)) return { left: 'foreign_host' };
  const reading = read?.(row, site, lookup) ?? { left: 'no_views' };
  if (website !== undefined && 'day' in reading) websites.check(website, row);
  return reading;
}

/**
 * An unknown column may split the sums of a day, whose visitors cannot be added then: it has texts, or there are several lines
 * that are otherwise of the same.
 *
 * @throws ImportError
 */
function onlyLines(
  { tool, measures = [] }: HistoryFormat,
  { exported, columns }: Known,
  skipped: readonly string[],
): (row: Row) => void {
  const names = columns.filter((column) => !measures.includes(column) && !skipped.includes(column));
  const seen = new Set<string>();
  return (row) => {
    const splitting = skipped.find((column) => !isNumber(row.text(column)));
    const key = names.map((column) => row.text(column)).join('\0');
    if (splitting === undefined && !seen.has(key)) {
      seen.add(key);
      return;
    }
    throw lineError(
      exported.place,
      `has the column "${showable(splitting ?? skipped[0] ?? '')}", which no export of ${historyTools[tool]} is known to have, and which parts the lines of a day, so that visitors cannot be added: export it without`,
    );
  };
}

const isNumber = (text: string) => /^[-+\d.,:%$€£ ]*$/.test(text);

async function* readRows(format: HistoryFormat, { exported, columns }: Known): AsyncGenerator<Row> {
  const { isTotal = () => false, isRagged = false, totalled = {} } = format;
  let places = placesOf(columns);
  let total: Row | undefined;
  const sums = new Map(Object.keys(totalled).map((column) => [column, 0]));
  for await (const line of exported.lines()) {
    if (isTotal(line.cells)) {
      total = new Row(exported.name, places, line);
      continue;
    }
    requireWhole({ ...exported, isRagged: isRagged || exported.isRagged }, line);
    if (format.rename === undefined && places.size !== columns.length) places = placesOf(columns);
    const row = new Row(exported.name, places, line);
    for (const [column, sum] of sums) sums.set(column, sum + (Number(row.text(column)) || 0));
    yield row;
  }
  for (const [column, sum] of total ? sums : []) requireAll(total as Row, column, sum, totalled[column] ?? 0);
}

/** @throws ImportError where lines are missing, as of a file that was cut or of rows that were not shown */
function requireAll(total: Row, column: string, sum: number, tolerance: number): void {
  const all = Number(total.text(column).replaceAll(',', '')) || 0;
  if (sum >= all * (1 - tolerance)) return;
  throw lineError(
    total.place,
    `says that all lines have ${all} in the column "${column}", and those of the file have ${sum}: lines are missing. Show all rows and export again. If the tool itself left some out, delete this line`,
  );
}
