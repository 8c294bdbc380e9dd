import { clearEntry, type LineKind, type LineParser, type LogEntry } from './entry.ts';
import { bytesOf, type JsonObject, parseObject, textOf } from './json-line.ts';
import { fromEpoch, parseTime } from './time.ts';

/** The order of the fields where no line says it (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html). */
const usualFields =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol'.split(
    ' ',
  );

type Fields = (name: string) => string;

/** CloudFront's standard logs: version 1, and version 2 as W3C, plain text or JSON. */
export function cloudfrontParser(): LineParser {
  let columns = new Map(usualFields.map((name, i) => [name, i]));
  const readText = (line: string, entry: LogEntry): LineKind => {
    const cells = line.split('\t');
    if (cells.length < 2) return 'unreadable';
    // Version 2 as plain text has the names in its first line.
    if (cells.includes('c-ip')) {
      columns = toColumns(cells);
      return 'other';
    }
    return read((name) => cells[columns.get(name) ?? -1] ?? '', entry);
  };
  return {
    parse(line, entry) {
      if (line.startsWith('#')) {
        const fields = /^#Fields: *(.*)$/.exec(line)?.[1];
        if (fields !== undefined) columns = toColumns(fields.trim().split(/[ \t]+/));
        return 'other';
      }
      clearEntry(entry);
      if (!line.startsWith('{')) return readText(line, entry);
      const object: JsonObject | undefined = parseObject(line);
      return object ? read((name) => textOf(object[name]), entry) : 'unreadable';
    },
  };
}

function toColumns(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name, i) => [name, i]));
}

function read(field: Fields, entry: LogEntry): LineKind {
  entry.at = timeOf(field);
  entry.address = told(field('c-ip'));
  entry.method = told(field('cs-method'));
  const query = told(field('cs-uri-query'));
  entry.target = told(field('cs-uri-stem')) + (query === '' ? '' : `?${query}`);
  entry.status = Number(field('sc-status')) || 0;
  entry.bytes = bytesOf(field('sc-bytes'));
  // cs(Host) is the name of the distribution, not of the site.
  entry.host = told(field('x-host-header')) || told(field('cs(Host)'));
  entry.secure = field('cs-protocol') === 'https' || field('cs-protocol') === 'wss';
  entry.referrer = decode(told(field('cs(Referer)')));
  entry.userAgent = decode(told(field('cs(User-Agent)')));
  entry.contentType = decode(told(field('sc-content-type')));
  return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
}

function timeOf(field: Fields): number {
  const date = field('date');
  if (date !== '') return parseTime(`${date}T${field('time')}Z`);
  const stamp = field('timestamp(ms)') || field('timestamp');
  return stamp === '' ? Number.NaN : fromEpoch(Number(stamp));
}

function told(text: string): string {
  return text === '-' ? '' : text;
}

/** Values are percent-encoded; older logs encoded the percent sign of a space once more. */
function decode(text: string): string {
  const once = decodeOnce(text);
  return once.includes('%20') ? decodeOnce(once) : once;
}

function decodeOnce(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
