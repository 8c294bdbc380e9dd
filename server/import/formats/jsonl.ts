import { type ReportedHit, reportedHit } from '../../../shared/hit.ts';
import { toBytes } from '../bytes.ts';
import { clearEntry, type LineParser } from './entry.ts';
import { headersOf, parseObject } from './json-line.ts';

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
