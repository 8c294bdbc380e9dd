const months: Readonly<Record<string, number>> = {
  Jan: 0,
  Feb: 1,
  Mar: 2,
  Apr: 3,
  May: 4,
  Jun: 5,
  Jul: 6,
  Aug: 7,
  Sep: 8,
  Oct: 9,
  Nov: 10,
  Dec: 11,
};

/** Reads `10/Oct/2026:13:55:36 +0200`, remembering the hour, as neighbours in a log share it. */
export class LocalTime {
  #hourText = '';
  #zoneText = '';
  #hourMs = Number.NaN;

  /** Milliseconds since 1970; NaN for anything else. */
  parse(text: string, start: number): number {
    const hourText = text.slice(start, start + 14);
    const zoneText = text.slice(start + 20, start + 26);
    if (hourText !== this.#hourText || zoneText !== this.#zoneText) {
      this.#hourText = hourText;
      this.#zoneText = zoneText;
      this.#hourMs = parseHour(hourText, zoneText);
    }
    if (text.charCodeAt(start + 14) !== 58 || text.charCodeAt(start + 17) !== 58) return Number.NaN;
    const minutes = twoDigits(text, start + 15);
    const seconds = twoDigits(text, start + 18);
    return minutes < 60 && seconds <= 60 ? this.#hourMs + minutes * 60_000 + seconds * 1000 : Number.NaN;
  }
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function parseHour(hourText: string, zoneText: string): number {
  const [, day, name, year, hour] = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d)$/.exec(hourText) ?? [];
  const [, sign, hours, minutes] = /^ ([+-])(\d\d)(\d\d)$/.exec(zoneText) ?? [];
  const month = months[name ?? ''];
  if (month === undefined || Number(hour) > 23) return Number.NaN;
  const utc = Date.UTC(Number(year), month, Number(day), Number(hour));
  // A date that does not exist would be another one.
  if (new Date(utc).getUTCDate() !== Number(day)) return Number.NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? utc + offset : utc - offset;
}

/** A number of seconds, milliseconds, microseconds or nanoseconds since 1970, depending on its size. */
export function fromEpoch(value: number): number {
  let ms = value * 1000;
  while (ms > 1e14) ms /= 1000;
  return Math.floor(ms);
}

/** HAProxy has milliseconds in place of the zone, and Apache's `%t` brackets around it. */
const localTime = /^\[?(\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d)(?:(?:\.\d+)?( [+-]\d{4})?)\]?$/;

/** The time in a JSON log: a number since 1970, RFC 3339, or as nginx writes it. NaN: nothing of these. */
export function parseTime(value: unknown): number {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string') return Number.NaN;
  if (/^\d+(\.\d+)?$/.test(value)) return fromEpoch(Number(value));
  const local = localTime.exec(value);
  if (local) return new LocalTime().parse(`${local[1]}${local[2] ?? ' +0000'}`, 0);
  // Without an offset it is taken for UTC, never for the zone of this machine.
  const iso = /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/.exec(
    value,
  );
  if (!iso) return Number.NaN;
  const [, year, month, day, clock, zone = 'Z'] = iso;
  return Date.parse(
    `${year}-${month}-${day}T${(clock as string).replace(',', '.')}${zone.replace('UTC', 'Z').replace(/^(...)(\d\d)$/, '$1:$2')}`,
  );
}
