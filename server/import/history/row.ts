import { type Day, toDay } from '../../counting/calendar.ts';
import { memoize } from '../../memo.ts';
import { showable } from '../import-result.ts';
import { type CsvLine, lineError } from './csv.ts';

/** An impossible number for a day. */
const maxNumber = 2 ** 31 - 1;

/** Written by databases and their tools where there is no value. */
const missing = new Set(['\\N', 'NULL', '(null)', '(NULL)', '<null>', '[NULL]']);

/** As languages and databases write them. */
const truths = new Set(['true', 't', '1', 'yes']);
const untruths = new Set(['false', 'f', '0', 'no']);

/** A line of an export by the names of its columns; what does not fit ends the import. */
export class Row {
  readonly #file: string;
  readonly #places: ReadonlyMap<string, number>;
  readonly #line: CsvLine;
  #isLowered = false;

  constructor(file: string, places: ReadonlyMap<string, number>, line: CsvLine) {
    this.#file = file;
    this.#places = places;
    this.#line = line;
  }

  /** File and line. */
  get place(): string {
    return `${this.#file}:${this.#line.number}`;
  }

  /** Whether it says the same. */
  isLike(other: Row): boolean {
    return this.#line.cells.join('\0') === other.#line.cells.join('\0');
  }

  has(column: string): boolean {
    return this.#places.has(column);
  }

  /** Empty where there is no such column, or no value. */
  text(column: string): string {
    const text = this.#line.cells[this.#places.get(column) ?? -1]?.trim() ?? '';
    return missing.has(text) ? '' : text;
  }

  /** `2025-03-01`, or without dashes. */
  day(column: string): Day {
    return (
      readDay(this.text(column).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')) ??
      this.fail(column, 'is not a date such as 2025-03-01')
    );
  }

  number(column: string): number {
    const text = this.text(column);
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return value <= maxNumber ? value : this.fail(column, `is not a whole number from 0 to ${maxNumber}`);
  }

  /** A required value. */
  some(column: string): string {
    return this.text(column) || this.fail(column, 'is empty');
  }

  flag(column: string): boolean {
    const text = this.text(column).toLowerCase();
    return truths.has(text) || (!untruths.has(text) && this.fail(column, 'is neither true nor false'));
  }

  /** Milliseconds since 1970. */
  moment(column: string): number {
    return readMoment(this.text(column)) ?? this.fail(column, 'is not a time such as 2025-03-01T10:15:30Z');
  }

  /** Visitors and what they did. Tools count visitors who had no view, too, which do not count here. */
  people(visitors: string, views: string): { visitors: number; views: number } {
    const people = { visitors: this.number(visitors), views: this.number(views) };
    this.#isLowered = people.visitors > people.views;
    return { ...people, visitors: Math.min(people.visitors, people.views) };
  }

  /** Whether more visitors than views were read, and only as many as views were taken. */
  get isLowered(): boolean {
    return this.#isLowered;
  }

  /** @throws ImportError */
  fail(column: string, why: string): never {
    throw lineError(
      this.place,
      `does not fit: "${showable(this.text(column))}" in the column "${column}" ${why}`,
    );
  }
}

export const readDay = memoize((text: string): Day | undefined => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    const day = toDay(Temporal.PlainDate.from(text));
    return day >= 0 ? day : undefined;
  } catch {
    return undefined;
  }
}, 10_000);

/**
 * Without a zone it is UTC (ISO 8601, RFC 3339, and as databases write it: with a space, and hours alone as the zone), or
 * seconds, milliseconds or microseconds since 1970.
 */
function readMoment(text: string): number | undefined {
  const [, epoch, ms = '0'] = /^(\d{10})(?:(\d{3})(?:\d{3})?)?$/.exec(text) ?? [];
  if (epoch !== undefined) return Number(epoch) * 1000 + Number(ms);
  const [, date, hours, seconds = ':00', zone = 'Z'] = moment.exec(text) ?? [];
  if (date === undefined || readDay(date) === undefined) return undefined;
  const [, sign, zoneHours, zoneMinutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign === undefined ? 'Z' : `${sign}${zoneHours}:${zoneMinutes}`;
  const at = Date.parse(`${date}T${hours}${seconds.replace(',', '.')}${offset}`);
  return Number.isNaN(at) ? undefined : at;
}

const moment = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)? ?([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;
