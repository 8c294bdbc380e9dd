import { fromDay } from '../../counting/calendar.ts';
import { otherName } from '../../counting/names/name-cap.ts';
import { isSameRows, type SearchNumbers, type SearchPeriod, type SearchRow } from '../../store/searches.ts';
import { ImportError } from '../import-error.ts';
import { nothing } from './search-row.ts';

/** Of each day or range: as many as Search Console shows, so that the tables stay small. */
export const maxSearchNames = 1000;

/** Names in memory at once, of all periods: some 500 MB at the worst. */
const maxHeld = 2_000_000;

export interface PeriodRows {
  period: SearchPeriod;
  rows: SearchRow[];
  /** How many names are counted under `otherName`. */
  others: number;
}

interface FilePeriod {
  period: SearchPeriod;
  file: string;
  rows: Map<string, SearchRow>;
}

/** The rows of all files, by period. */
export class SearchPeriods {
  /** By period, one for each file with it. */
  readonly #byPeriod = new Map<string, FilePeriod[]>();
  #held = 0;

  /** Adds up lines of one name. */
  add(file: string, period: SearchPeriod, { name, ...numbers }: SearchRow): void {
    const { rows } = this.#ofFile(file, period);
    const known = rows.get(name);
    if (known) {
      Object.assign(known, sum(known, numbers));
      return;
    }
    rows.set(name, { name, ...numbers });
    if (++this.#held > maxHeld)
      throw new ImportError(
        'unreadable',
        'The files have more names than can be held in memory. Give fewer days at a time. Nothing was counted.',
      );
  }

  #ofFile(file: string, period: SearchPeriod): FilePeriod {
    const key = Object.values(period).join(' ');
    const known = this.#byPeriod.get(key) ?? [];
    this.#byPeriod.set(key, known);
    const own = known.find((one) => one.file === file);
    if (own) return own;
    const made: FilePeriod = { period, file, rows: new Map() };
    known.push(made);
    return made;
  }

  /** Each period once, those of early days first. @throws ImportError where two files have different rows for it */
  finish(): PeriodRows[] {
    const periods = Array.from(this.#byPeriod.values(), (files) => {
      const [first, ...others] = files.map((one) => ({ ...one, rows: [...one.rows.values()] }));
      if (!first) throw new Error('A period without a file.');
      const other = others.find(({ rows }) => !isSameRows(first.rows, rows));
      if (other) throw conflicting(first.file, other.file, first.period);
      return { period: first.period, ...capped(first.rows) };
    });
    return periods.sort((a, b) => a.period.from - b.period.from || a.period.to - b.period.to);
  }
}

function conflicting(one: string, other: string, { from, to }: SearchPeriod): ImportError {
  const days = from === to ? `${fromDay(from)}` : `${fromDay(from)} to ${fromDay(to)}`;
  return new ImportError(
    'unreadable',
    `${one} and ${other} have different numbers for ${days}. Give the one that was exported last. Nothing was counted.`,
  );
}

/** The largest by name, and all others together. */
function capped(rows: SearchRow[]): { rows: SearchRow[]; others: number } {
  if (rows.length <= maxSearchNames) return { rows, others: 0 };
  const sorted = rows.sort(
    (a, b) =>
      b.clicks - a.clicks ||
      b.citations - a.citations ||
      b.impressions - a.impressions ||
      (a.name < b.name ? -1 : 1),
  );
  const rest = sorted.slice(maxSearchNames - 1);
  const numbers = rest.reduce<SearchNumbers>(sum, nothing);
  return {
    rows: [...sorted.slice(0, maxSearchNames - 1), { name: otherName, ...numbers }],
    others: rest.length,
  };
}

/** Positions that one of them lacks are those of the other. */
function sum(a: SearchNumbers, b: SearchNumbers): SearchNumbers {
  const added = (one: number | null, other: number | null) => (one === null ? other : one + (other ?? 0));
  return {
    clicks: a.clicks + b.clicks,
    impressions: a.impressions + b.impressions,
    positions: added(a.positions, b.positions),
    citations: a.citations + b.citations,
    pages: added(a.pages, b.pages),
  };
}
