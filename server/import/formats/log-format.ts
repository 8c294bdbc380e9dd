import { closingQuote } from '../bytes.ts';
import { ImportError } from '../import-error.ts';
import { fieldOf, readRequest } from './combined.ts';
import { clearEntry, type LineParser, type LogEntry } from './entry.ts';
import { bytesOf } from './json-line.ts';
import { parseTime } from './time.ts';

type Take = (value: string, entry: LogEntry) => void;

/** What is done with the variables that matter (https://nginx.org/en/docs/varindex.html); others are passed over. */
const takes: Readonly<Record<string, Take>> = {
  remote_addr: (value, entry) => {
    entry.address ||= value;
  },
  realip_remote_addr: () => undefined,
  time_local: takeTime,
  time_iso8601: takeTime,
  msec: takeTime,
  request: (value, entry) => readRequest(value, 0, value.length, entry),
  request_method: (value, entry) => {
    entry.method = value;
  },
  request_uri: (value, entry) => {
    entry.target = value;
  },
  uri: (value, entry) => {
    entry.target ||= value;
  },
  status: (value, entry) => {
    entry.status = Number(value) || 0;
  },
  body_bytes_sent: takeBytes,
  bytes_sent: takeBytes,
  http_host: takeHost,
  host: takeHost,
  server_name: (value, entry) => {
    entry.host ||= value;
  },
  scheme: (value, entry) => {
    entry.secure = value === 'https';
  },
  http_referer: (value, entry) => {
    entry.referrer = value;
  },
  http_user_agent: (value, entry) => {
    entry.userAgent = value;
  },
  sent_http_content_type: (value, entry) => {
    entry.contentType = value;
  },
};

function takeTime(value: string, entry: LogEntry): void {
  const at = parseTime(value);
  if (Number.isNaN(entry.at) || !Number.isNaN(at)) entry.at = at;
}

function takeBytes(value: string, entry: LogEntry): void {
  if (entry.bytes < 0) entry.bytes = bytesOf(value);
}

function takeHost(value: string, entry: LogEntry): void {
  entry.host = value;
}

/** Any other header of the request: one of them may tell who asks. */
function takeHeader(name: string): Take | undefined {
  if (!name.startsWith('http_')) return undefined;
  const header = name.slice('http_'.length).replaceAll('_', '-');
  return (value, entry) => {
    if (value === '') return;
    entry.headers ??= {};
    entry.headers[header] = value;
  };
}

interface Field {
  take: Take | undefined;
  /** What stands between this variable and the next; empty at the end of the line. */
  after: string;
}

interface Template {
  before: string;
  fields: Field[];
  /** What is taken for said where the format has no place for it. */
  method: string;
  status: number;
}

/** `log_format main escape=json '…' '…';` as it stands in a configuration, or only what is between the quotes. */
function formatOf(text: string): string {
  const statement = /^\s*log_format\s+\S+\s+(?:escape=\w+\s+)?(.*?);?\s*$/s.exec(text)?.[1];
  if (statement === undefined) return text;
  const parts = [...statement.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+)/gs)];
  return parts
    .map(([, single, double, bare]) => (single ?? double ?? bare ?? '').replace(/\\(['"\\])/g, '$1'))
    .join('');
}

function compile(text: string): Template {
  const pieces = formatOf(text).split(/\$\{?([a-z0-9_]+)\}?/);
  const [before = ''] = pieces;
  const fields: Field[] = [];
  const names: string[] = [];
  for (let i = 1; i < pieces.length; i += 2) {
    const name = pieces[i] as string;
    names.push(name);
    const take = Object.hasOwn(takes, name) ? takes[name] : takeHeader(name);
    fields.push({ take, after: pieces[i + 1] as string });
  }
  check(names, fields);
  // Logs without a method or a status tell of requests that went well.
  const method = names.includes('request') || names.includes('request_method') ? '' : 'GET';
  return { before, fields, method, status: names.includes('status') ? 0 : 200 };
}

function check(names: readonly string[], fields: readonly Field[]): void {
  const joined = fields.findIndex(({ after }, i) => after === '' && i < fields.length - 1);
  if (joined >= 0) {
    throw new ImportError(
      'log_format',
      `--log-format has $${names[joined]} and $${names[joined + 1]} with nothing between them, so that nobody can tell where one ends.`,
    );
  }
  const needs: [string, readonly string[]][] = [
    ['the address', ['remote_addr']],
    ['the time', ['time_local', 'time_iso8601', 'msec']],
    ['the address of the page', ['request', 'request_uri', 'uri']],
    ['the user agent', ['http_user_agent']],
  ];
  for (const [thing, any] of needs) {
    if (any.some((name) => names.includes(name))) continue;
    throw new ImportError(
      'log_format',
      `--log-format lacks ${thing}: it needs ${any.map((name) => `$${name}`).join(' or ')}.`,
    );
  }
}

/** A parser for what nginx writes with this `log_format`. @throws ImportError */
export function logFormatParser(format: string): LineParser {
  const { before, fields, method, status } = compile(format);
  return {
    parse(line, entry) {
      if (!line.startsWith(before)) return 'unreadable';
      clearEntry(entry);
      entry.method = method;
      entry.status = status;
      let at = before.length;
      for (const { take, after } of fields) {
        const end = endOf(line, at, after);
        if (end < 0) return 'unreadable';
        take?.(fieldOf(line.slice(at, end)), entry);
        at = end + after.length;
      }
      return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
    },
  };
}

/** A quote that nginx escaped does not end a value. */
function endOf(line: string, at: number, after: string): number {
  if (after === '') return line.length;
  if (!after.startsWith('"')) return line.indexOf(after, at);
  let end = closingQuote(line, at);
  while (end >= 0 && !line.startsWith(after, end)) end = closingQuote(line, end + 1);
  return end;
}
