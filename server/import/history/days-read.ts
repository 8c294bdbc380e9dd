import { type Day, fromDay } from '../../counting/calendar.ts';
import { ImportError } from '../import-error.ts';
import { DaySums } from './day-sums.ts';
import { type Reading, type ReadLine, siteSums } from './format.ts';
import type { HistoryFile } from './formats.ts';
import { type LeftOut, leftOut } from './history-site.ts';
import type { Row } from './row.ts';

/** Names in memory at once, of all days: some 500 MB at the worst. */
const maxHeld = 3_000_000;

/** The result of the first reading, which finds all that does not fit. */
export interface Survey {
  lines: number;
  /** Lines by day. */
  linesOf: Map<Day, number>;
  left: Record<LeftOut, number>;
  /** Lines with more visitors than views, of whom only as many count. */
  lowered: number;
}

type DayReading = Exclude<Reading, { left: LeftOut }>;

/** @param onLine answers whether to go on */
export async function surveyFiles(
  files: readonly HistoryFile[],
  onLine: (lines: number) => boolean,
): Promise<Survey> {
  const left = Object.fromEntries(leftOut.map((reason) => [reason, 0])) as Survey['left'];
  const survey: Survey = { lines: 0, linesOf: new Map(), left, lowered: 0 };
  const days = new UniqueDays();
  for (const file of files) {
    for await (const line of file.lines?.() ?? []) {
      survey.lines++;
      noteLine(survey, line);
      if ('day' in line.reading) days.check(file, line.reading, line.row);
      if (!onLine(survey.lines)) return survey;
    }
  }
  for (const file of days.sharingFiles()) {
    for await (const { row, reading } of file.lines?.() ?? [])
      if ('day' in reading) days.compare(file, reading.day, row);
  }
  return survey;
}

function noteLine(survey: Survey, { row, reading }: ReadLine): void {
  const { linesOf, left } = survey;
  if ('left' in reading) {
    left[reading.left]++;
    return;
  }
  linesOf.set(reading.day, (linesOf.get(reading.day) ?? 0) + 1);
  if (row.isLowered) survey.lowered++;
}

/**
 * Days as soon as their last line was read. Files are read side by side, each as far as the day that comes first, so that
 * of files in the order of days one day is in memory at a time, and of others no more than fits.
 */
export async function* readDays(
  files: readonly HistoryFile[],
  { linesOf }: Pick<Survey, 'linesOf'>,
): AsyncGenerator<DaySums> {
  const missing = new Map(linesOf);
  const held = new Map<Day, DaySums>();
  let names = 0;
  const readers = await openReaders(files);
  try {
    for (let next = firstOf(readers); next; next = firstOf(readers)) {
      const { day, add } = next.reading;
      const sums = held.get(day) ?? new DaySums(day);
      held.set(day, sums);
      names -= sums.size;
      add(sums);
      names += sums.size;
      const left = (missing.get(day) ?? 0) - 1;
      missing.set(day, left);
      if (left === 0) {
        held.delete(day);
        names -= sums.size;
        yield sums;
      } else if (names > maxHeld) throw mixedDays(held.size);
      await next.advance();
    }
    const [day] = held.keys();
    if (day !== undefined) throw changedFiles(day);
  } finally {
    for (const reader of readers) await reader.close();
  }
}

function mixedDays(days: number): ImportError {
  return new ImportError(
    'unreadable',
    `The lines of ${days} days are mixed, and have more names than fit into memory: sort the export by time, and give the same command again.`,
  );
}

/** Other lines came than at the first reading, so that a day is not whole, or was taken for whole too early. */
function changedFiles(day: Day): ImportError {
  return new ImportError(
    'unreadable',
    `The files changed while they were read, and lines of ${fromDay(day)} or more days were left. Take the tool's days out again with --remove, and give the files once they stay as they are.`,
  );
}

interface Reader {
  reading: DayReading | undefined;
  advance(): Promise<void>;
  close(): Promise<unknown>;
}

async function openReaders(files: readonly HistoryFile[]): Promise<Reader[]> {
  const readers = files.flatMap(({ lines }) => (lines ? [readerOf(lines())] : []));
  for (const reader of readers) await reader.advance();
  return readers;
}

function readerOf(lines: AsyncGenerator<ReadLine>): Reader {
  const reader: Reader = {
    reading: undefined,
    advance: async () => {
      reader.reading = undefined;
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        const { reading } = next.value;
        if ('left' in reading) continue;
        reader.reading = reading;
        return;
      }
    },
    close: () => lines.return(undefined),
  };
  return reader;
}

function firstOf(readers: readonly Reader[]): (Reader & { reading: DayReading }) | undefined {
  let first: (Reader & { reading: DayReading }) | undefined;
  for (const reader of readers) {
    if (isAtLine(reader) && (!first || reader.reading.day < first.reading.day)) first = reader;
  }
  return first;
}

function isAtLine(reader: Reader): reader is Reader & { reading: DayReading } {
  return reader.reading !== undefined;
}

interface First {
  file: HistoryFile;
  row: Row;
}

/** Rejects files with the same days, which would count twice. */
export class UniqueDays {
  /** The first lines of files, by day and by what they are sums of. */
  readonly #firsts = new Map<string, Map<Day, First[]>>();

  /** @throws ImportError naming both files and the day */
  check(file: HistoryFile, { day, sums = file.sums ?? '' }: { day: Day; sums?: string }, row: Row): void {
    const firsts = this.#firstsOf(sums, day);
    const known = firsts.at(-1);
    if (known?.file === file) {
      if (file.sums === siteSums) throw duplicateDay(known.row, row, file, day);
      return;
    }
    // A day of single views may go on in the next file.
    const twin = firsts.find((first) => file.sums !== null || first.row.isLike(row));
    if (twin) throw duplicateDay(twin.row, row, file, day);
    firsts.push({ file, row });
  }

  /** Files with views of a day that is in other files, too. */
  sharingFiles(): HistoryFile[] {
    const days = [...(this.#firsts.get('')?.values() ?? [])].filter((firsts) => firsts.length > 1);
    return [...new Set(days.flatMap((firsts) => firsts.map(({ file }) => file)))];
  }

  /** @throws ImportError where another file begins a day with this view */
  compare(file: HistoryFile, day: Day, row: Row): void {
    const twin = this.#firstsOf('', day).find((first) => first.file !== file && first.row.isLike(row));
    if (twin) throw duplicateDay(twin.row, row, file, day);
  }

  #firstsOf(sums: string, day: Day): First[] {
    const days = this.#firsts.get(sums) ?? new Map<Day, First[]>();
    this.#firsts.set(sums, days);
    const firsts = days.get(day) ?? [];
    days.set(day, firsts);
    return firsts;
  }
}

function duplicateDay(one: Row, other: Row, { sums }: HistoryFile, day: Day): ImportError {
  const what = sums === null ? 'the same view' : sums;
  return new ImportError(
    'unreadable',
    `${one.place} and ${other.place} both have ${what} of ${fromDay(day)}, which would count twice. Give each day in one file. Nothing was counted.`,
  );
}
