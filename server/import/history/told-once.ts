import { type Day, fromDay } from '../../counting/calendar.ts';
import { ImportError } from '../import-error.ts';
import { siteSums } from './format.ts';
import type { HistoryFile } from './formats.ts';
import type { Row } from './row.ts';

interface First {
  file: HistoryFile;
  row: Row;
}

/** Refuses files that tell the same, as it would add up. */
export class ToldOnce {
  /** The first lines of files by what they tell of a day. */
  readonly #firsts = new Map<string, Map<Day, First[]>>();

  /** @throws ImportError naming both files and the day */
  check(file: HistoryFile, { day, sums = file.sums ?? '' }: { day: Day; sums?: string }, row: Row): void {
    const firsts = this.#firstsOf(sums, day);
    const known = firsts.at(-1);
    if (known?.file === file) {
      if (file.sums === siteSums) throw toldTwice(known.row, row, file, day);
      return;
    }
    // A day of single views may go on in the next file.
    const twin = firsts.find((first) => file.sums !== null || first.row.isLike(row));
    if (twin) throw toldTwice(twin.row, row, file, day);
    firsts.push({ file, row });
  }

  /** Those that have views of a day that others have views of, too. */
  sharingFiles(): HistoryFile[] {
    const days = [...(this.#firsts.get('')?.values() ?? [])].filter((firsts) => firsts.length > 1);
    return [...new Set(days.flatMap((firsts) => firsts.map(({ file }) => file)))];
  }

  /** @throws ImportError where another file begins a day with this view */
  compare(file: HistoryFile, day: Day, row: Row): void {
    const twin = this.#firstsOf('', day).find((first) => first.file !== file && first.row.isLike(row));
    if (twin) throw toldTwice(twin.row, row, file, day);
  }

  #firstsOf(sums: string, day: Day): First[] {
    const days = this.#firsts.get(sums) ?? new Map<Day, First[]>();
    this.#firsts.set(sums, days);
    const firsts = days.get(day) ?? [];
    days.set(day, firsts);
    return firsts;
  }
}

function toldTwice(one: Row, other: Row, { sums }: HistoryFile, day: Day): ImportError {
  const what = sums === null ? 'the same view' : sums;
  return new ImportError(
    'unreadable',
    `${one.place} and ${other.place} both tell ${what} of ${fromDay(day)}, which would count twice. Give each day in one file. Nothing was counted.`,
  );
}
