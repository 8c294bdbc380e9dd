import { fieldOf } from './combined.ts';
import { clearEntry, type LineParser, type LogEntry } from './entry.ts';
import { bytesOf, numberOf } from './json-line.ts';
import { parseTime } from './time.ts';

/** The index of the referrer; the fields before it have no bars in them. */
const referrerAt = 6;
const address = /^(https?):\/\/([^/?#]+)(.*)$/i;
const edge = /^[A-Z]{2,3}\d*$/;
const requestId = /^[\da-f]{32}$/i;

/**
 * Bunny's raw logs (https://docs.bunny.net/cdn/logging): `cache|status|time|bytes|zone|ip|referrer|url|edge|user
 * agent|request id|country`, and more where logging is extended. Addresses and user agents may have bars in them, so that
 * each of them ends before a field that looks different.
 */
export const bunnyParser = (): LineParser => ({
  parse(line, entry) {
    const cells = line.split('|');
    const url = cells.findIndex((cell, i) => i > referrerAt && address.test(cell));
    const place = cells.findIndex((cell, i) => i > url && edge.test(cell));
    const id = cells.findLastIndex((cell) => requestId.test(cell));
    if (url < 0 || place < 0 || id <= place + 1) return 'unreadable';
    const [, status, time, bytes, , ip = ''] = cells;
    const text = (from: number, to: number) => fieldOf(cells.slice(from, to).join('|'));
    clearEntry(entry);
    entry.at = parseTime(time);
    entry.address = ip;
    entry.status = numberOf(status);
    entry.bytes = bytesOf(bytes);
    entry.referrer = text(referrerAt, url);
    entry.userAgent = text(place + 1, id);
    readUrl(text(url, place), entry);
    return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
  },
});

/** Bunny does not log the method. */
function readUrl(url: string, entry: LogEntry): void {
  const [, scheme = '', host = '', rest = ''] = address.exec(url) ?? [];
  entry.method = 'GET';
  entry.secure = scheme.toLowerCase() === 'https';
  entry.host = host;
  entry.target = rest.startsWith('/') ? rest : `/${rest}`;
}
