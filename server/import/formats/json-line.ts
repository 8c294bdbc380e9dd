import { textFromBytes, toBytes } from '../bytes.ts';
import { clearEntry, type LineParser, type LogEntry } from './entry.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A parser for logs with a JSON object in each line. `read` returns whether the object is a request. */
export function jsonParser(read: (line: JsonObject, entry: LogEntry) => boolean): LineParser {
  return {
    parse(line, entry) {
      const object = parseObject(line);
      if (!object) return 'unreadable';
      clearEntry(entry);
      if (!read(object, entry)) return 'other';
      return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
    },
  };
}

export function parseObject(text: string): JsonObject | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(textFromBytes(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a field; of a list its first one; a hyphen, as several servers write it, is nothing. */
export function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text === 'number') return String(text);
  return typeof text === 'string' && text !== '-' ? toBytes(text) : '';
}

export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

/** A length in bytes; -1: not logged. */
export function bytesOf(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : -1;
}

/** Headers by lower-case name; undefined where there are none. */
export function headersOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.toLowerCase(),
      // A field that occurs twice is one list (RFC 9110, section 5.3).
      Array.isArray(field) ? field.map(textOf).join(', ') : textOf(field),
    ]),
  );
}
