import { statSync } from 'node:fs';
import { type SearchTool, searchTools } from '../../../shared/reports/search-engines.ts';
import type { Day } from '../../counting/calendar.ts';
import type { SearchKind, SearchPeriod, SearchRow, SearchStore } from '../../store/searches.ts';
import { lineError } from '../history/csv.ts';
import { type HistorySite, type LeftOut, leftOut } from '../history/history-site.ts';
import type { Row } from '../history/row.ts';
import { ImportError } from '../import-error.ts';
import type { SearchFile } from './known-files.ts';
import { type PeriodRows, SearchPeriods } from './search-periods.ts';

export interface DayRange {
  from: Day;
  to: Day;
}

export interface SearchReading {
  periods: PeriodRows[];
  lines: number;
  left: Record<LeftOut, number>;
  /** Lines of days that are older than the project keeps counts. */
  forgotten: number;
  /** Files with no data that has a place here. */
  unread: string[];
}

export interface ReadingOptions {
  site: HistorySite;
  /** The days of files without days, where nothing else names them. */
  range: DayRange | undefined;
  /** The project keeps nothing of days before this one; null: it keeps all. */
  keptFrom: Day | null;
  /** Answers whether to go on. */
  onLine(lines: number): boolean;
}

/** Reads all files before anything is stored. @throws ImportError */
export async function readSearchFiles(
  files: readonly SearchFile[],
  options: ReadingOptions,
): Promise<SearchReading> {
  const left = Object.fromEntries(leftOut.map((reason) => [reason, 0])) as SearchReading['left'];
  const reading: SearchReading = { periods: [], lines: 0, left, forgotten: 0, unread: [] };
  const periods = new SearchPeriods();
  // Files with days show the range of the other files of the same export.
  const inOrder = [...files].sort((a, b) => Number(a.table.day === null) - Number(b.table.day === null));
  const ranges = new Map<string, DayRange>();
  for (const file of inOrder) {
    const { kind } = file.table;
    if (kind === null) reading.unread.push(file.name);
    else if (!(await readFile(file, kind, { reading, periods, ranges, options }))) return reading;
  }
  reading.periods = periods.finish();
  return reading;
}

interface Progress {
  reading: SearchReading;
  periods: SearchPeriods;
  /** Of the days of the site, by what was exported together: Bing exports each file by itself. */
  ranges: Map<string, DayRange>;
  options: ReadingOptions;
}

/** Answers whether to go on. */
async function readFile(
  file: SearchFile,
  kind: SearchKind,
  { reading, periods, ranges, options }: Progress,
): Promise<boolean> {
  const { site, keptFrom, onLine } = options;
  const { tool, day: dayColumn, required } = file.table;
  const column = required.find((name) => /page$|pages$/i.test(name)) ?? '';
  const whole = dayColumn === null ? (ranges.get(file.group) ?? options.range) : undefined;
  if (dayColumn === null && !whole) throw lineError(file.name, noDays(tool));
  for await (const { row, line } of file.rows()) {
    reading.lines++;
    if (!onLine(reading.lines)) return false;
    const { day, ...numbers } = line;
    const period: SearchPeriod = { tool, kind, ...(whole ?? { from: day as Day, to: day as Day }) };
    if (kind === 'site' && tool === 'search-console') widen(ranges, file.group, period);
    const found =
      kind === 'page'
        ? pageOf({ row, column }, numbers.name, site)
        : { name: nameOf(kind, numbers.name, site) };
    if ('left' in found) reading.left[found.left]++;
    else if (keptFrom !== null && period.to < keptFrom) reading.forgotten++;
    else periods.add(file.name, period, { ...numbers, ...found });
  }
  return true;
}

const noDays = (tool: SearchTool): string =>
  tool === 'search-console'
    ? 'has no days, and there is no file with the days of the site next to it. Give the archive as it was exported, or name the days, such as --days 2026-08-01..2026-08-31'
    : `has no days. Name those that were chosen in ${searchTools[tool]}, such as --days 2026-08-01..2026-08-31`;

function widen(ranges: Map<string, DayRange>, group: string, { from, to }: DayRange): void {
  const known = ranges.get(group);
  ranges.set(group, known ? { from: Math.min(known.from, from), to: Math.max(known.to, to) } : { from, to });
}

function pageOf(
  { row, column }: { row: Row; column: string },
  address: string,
  site: HistorySite,
): { name: string } | { left: LeftOut } {
  const url = URL.parse(address);
  if (!url) return row.fail(column, 'is not the address of a page');
  const found = site.page(url.host, `${url.pathname}${url.search}`);
  return 'left' in found ? found : { name: found.path };
}

function nameOf(kind: SearchKind, name: string, site: HistorySite): string {
  if (kind === 'query') return site.query(name);
  return kind === 'device' ? name.toLowerCase() : name;
}

export type Outcome = 'added' | 'same' | 'replaced';

/** Stores the periods, a transaction for each. @throws ImportError where the project is gone */
export async function keepPeriods(
  { periods }: SearchReading,
  setPeriod: (period: SearchPeriod, rows: SearchRow[]) => ReturnType<SearchStore['setPeriod']>,
  isStopped: () => boolean,
): Promise<{ period: SearchPeriod; outcome: Outcome }[]> {
  const kept: { period: SearchPeriod; outcome: Outcome }[] = [];
  for (const { period, rows } of periods) {
    if (isStopped()) break;
    const outcome = await setPeriod(period, rows);
    if (outcome === 'gone')
      throw new ImportError('project_removed', 'The project was removed in the meantime.');
    kept.push({ period, outcome });
  }
  return kept;
}

/** The state of files, to detect later changes. */
export function lookAt(paths: readonly string[]): () => void {
  const look = (path: string) => {
    const { size, mtimeMs, ino } = statSync(path);
    return `${size} ${mtimeMs} ${ino}`;
  };
  const before = paths.map(look);
  return () => {
    const changed = paths.find((path, i) => look(path) !== before[i]);
    if (changed !== undefined)
      throw new ImportError(
        'unreadable',
        `${changed} changed while it was read. Give it again when nothing writes to it. Nothing was counted.`,
      );
  };
}
