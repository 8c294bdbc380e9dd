import { type ReportedHit, reportedHit } from '../../../shared/hit.ts';
import { textFromBytes, toBytes } from '../bytes.ts';
import { clearEntry, type LineParser } from './entry.ts';
import { parseTime } from './time.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

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
function headersOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.toLowerCase(),
      // A field that occurs twice is one list (RFC 9110, section 5.3).
      Array.isArray(field) ? field.map(textOf).join(', ') : textOf(field),
    ]),
  );
}

/**
 * What Vercel's log drains send, a JSON object a line (https://vercel.com/docs/drains/reference/logs). A request has
 * one line from the proxy and perhaps more from functions, all with its id.
 */
export const vercelParser = (): LineParser => ({
  parse(text, entry) {
    const line = parseObject(text);
    if (!line) return 'unreadable';
    const { proxy } = line;
    if (!isObject(proxy)) return 'other';
    clearEntry(entry);
    entry.at = parseTime(proxy.timestamp ?? line.timestamp);
    entry.address = textOf(proxy.clientIp);
    entry.method = textOf(proxy.method);
    entry.target = textOf(proxy.path);
    // -1: a page made anew in the background, which nobody asked for.
    entry.status = numberOf(proxy.statusCode ?? line.statusCode);
    entry.bytes = bytesOf(proxy.responseByteSize);
    entry.host = textOf(proxy.host);
    entry.secure = proxy.scheme !== 'http';
    entry.userAgent = textOf(proxy.userAgent);
    entry.referrer = textOf(proxy.referer);
    entry.requestId = textOf(line.requestId);
    return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
  },
});

/** The items of `POST /v1/hits`, one a line. An item without a status was reported as a page; `at` is required. */
export const jsonlParser = (): LineParser => ({
  parse(line, entry) {
    const item = reportedHit.safeParse(parseObject(line));
    if (!item.success || item.data.at === undefined) return 'unreadable';
    const hit: ReportedHit = item.data;
    const url = URL.parse(hit.url);
    if (!url) return 'unreadable';
    clearEntry(entry);
    entry.at = Date.parse(item.data.at);
    entry.address = hit.ip;
    entry.method = hit.method ?? 'GET';
    entry.target = toBytes(hit.url);
    entry.status = hit.status ?? 200;
    entry.contentType = toBytes(hit.type ?? (hit.status === undefined ? 'text/html' : ''));
    entry.bytes = hit.bytes ?? -1;
    entry.host = url.host;
    entry.secure = url.protocol === 'https:';
    entry.userAgent = toBytes(hit.userAgent);
    entry.referrer = toBytes(hit.referrer ?? '');
    entry.headers = headersOf(hit.headers);
    return 'request';
  },
});
