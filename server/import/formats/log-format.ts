import { closingQuote } from '../bytes.ts';
import { ImportError } from '../import-error.ts';
import { fieldOf, readRequest } from './combined.ts';
import {
  clearEntry,
  isAddressList,
  type LineParser,
  type LogEntry,
  lastAddress,
  withoutPort,
} from './entry.ts';
import { readTarget } from './fields.ts';
import { bytesOf } from './json-line.ts';
import { parseTime } from './time.ts';

type Take = (value: string, entry: LogEntry) => void;

type TextField = 'forwardedFor' | 'method' | 'target' | 'host' | 'referrer' | 'userAgent' | 'contentType';

function into(field: TextField): Take {
  return (value, entry) => {
    entry[field] = value;
  };
}

/**
 * What is done with the variables that matter (https://nginx.org/en/docs/varindex.html); others are passed over. nginx has no
 * `remote_addr_port`, `request_url` (a whole address), `request_with_url` and `haproxy_…`, which formats of others need.
 */
const takes: Readonly<Record<string, Take>> = {
  remote_addr: (value, entry) => {
    entry.address ||= value;
  },
  remote_addr_port: (value, entry) => {
    // HAProxy has no brackets around an IPv6 address.
    entry.address = value.startsWith('[') ? withoutPort(value) : value.replace(/:\d+$/, '');
  },
  realip_remote_addr: () => undefined,
  http_x_forwarded_for: into('forwardedFor'),
  time_local: takeTime,
  time_iso8601: takeTime,
  msec: takeTime,
  request: (value, entry) => readRequest(value, 0, value.length, entry),
  request_url: readTarget,
  request_with_url: (value, entry) => {
    readRequest(value, 0, value.length, entry);
    readTarget(entry.target, entry);
  },
  request_method: into('method'),
  request_uri: into('target'),
  uri: (value, entry) => {
    entry.target ||= value;
  },
  status: (value, entry) => {
    entry.status = Number(value) || 0;
  },
  body_bytes_sent: takeBytes,
  bytes_sent: takeBytes,
  http_host: into('host'),
  host: into('host'),
  server_name: (value, entry) => {
    entry.host ||= value;
  },
  scheme: (value, entry) => {
    entry.secure = value === 'https';
  },
  http_referer: into('referrer'),
  http_user_agent: into('userAgent'),
  sent_http_content_type: into('contentType'),
  haproxy_frontend: (value, entry) => {
    entry.secure = value.endsWith('~');
  },
  haproxy_captures: readCaptures,
};

function takeTime(value: string, entry: LogEntry): void {
  const at = parseTime(value);
  if (Number.isNaN(entry.at) || !Number.isNaN(at)) entry.at = at;
}

function takeBytes(value: string, entry: LogEntry): void {
  if (entry.bytes < 0) entry.bytes = bytesOf(value);
}

const host = /^(?:[a-z\d.-]*\.[a-z][a-z\d-]*|localhost)\.?(?::\d+)?$/i;
const product = /^(?:Mozilla\b|[^\s/]+\/v?\d)/;

/**
 * The headers of the request that HAProxy is configured to capture, `{…|…}`, without their names and in any order, so that they are
 * known by what they look like. Other characters than ASCII are written as `#e9`.
 */
function readCaptures(value: string, entry: LogEntry): void {
  const captures = (/^\{([^}]*)\}/.exec(value)?.[1] ?? '')
    .split('|')
    .map((text) =>
      text.replace(/#([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
    .filter((text) => text !== '');
  const take = (isIt: (text: string) => boolean) => {
    const at = captures.findIndex(isIt);
    return at < 0 ? '' : (captures.splice(at, 1)[0] as string);
  };
  entry.referrer = take((text) => /^https?:\/\//i.test(text));
  entry.host = take((text) => host.test(text));
  entry.forwardedFor = take(isAddressList);
  entry.userAgent =
    take((text) => product.test(text)) || (captures.length === 1 ? (captures[0] as string) : '');
}

/** Any other header of the request: one of them may identify the sender. */
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
  /** The text between this variable and the next; empty at the end of the line. */
  after: string;
}

interface Template {
  before: string;
  fields: Field[];
  /** What is taken for said where the format has no place for it. */
  method: string;
  status: number;
}

/** `log_format main escape=json '…' '…';` as in a configuration, or only the text between the quotes. */
function formatOf(text: string): string {
  const statement = /^\s*log_format\s+\S+\s+(?:escape=\w+\s+)?(.*?);?\s*$/s.exec(text)?.[1];
  if (statement === undefined) return text;
  const parts = [...statement.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+)/gs)];
  return parts
    .map(([, single, double, bare]) => (single ?? double ?? bare ?? '').replace(/\\(['"\\])/g, '$1'))
    .join('');
}

function compile(text: string, lacksUserAgents: boolean): Template {
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
  check(names, fields, lacksUserAgents);
  // Logs without a method or a status have requests that went well.
  const method = ['request', 'request_method', 'request_with_url'].some((name) => names.includes(name))
    ? ''
    : 'GET';
  return { before, fields, method, status: names.includes('status') ? 0 : 200 };
}

function check(names: readonly string[], fields: readonly Field[], lacksUserAgents: boolean): void {
  const joined = fields.findIndex(({ after }, i) => after === '' && i < fields.length - 1);
  if (joined >= 0) {
    throw new ImportError(
      'log_format',
      `--log-format has $${names[joined]} and $${names[joined + 1]} with nothing between them, so that it is not clear where one ends.`,
    );
  }
  const needs: [string, readonly string[]][] = [
    ['the address', ['remote_addr', 'remote_addr_port', 'http_x_forwarded_for']],
    ['the time', ['time_local', 'time_iso8601', 'msec']],
    ['the address of the page', ['request', 'request_uri', 'uri', 'request_url', 'request_with_url']],
    ...(lacksUserAgents
      ? []
      : [['the user agent', ['http_user_agent', 'haproxy_captures']] as [string, string[]]]),
  ];
  for (const [thing, any] of needs) {
    if (any.some((name) => names.includes(name))) continue;
    throw new ImportError(
      'log_format',
      `--log-format lacks ${thing}: it needs ${any.map((name) => `$${name}`).join(' or ')}.`,
    );
  }
}

/**
 * A parser for what nginx writes with this `log_format`.
 *
 * @param isOpenEnded lines may end behind the user agent, as formats of others got more fields over the years
 * @throws ImportError
 */
export function logFormatParser(
  format: string,
  { lacksUserAgents = false, isOpenEnded = false } = {},
): LineParser {
  const { before, fields, method, status } = compile(format, lacksUserAgents);
  const userAgent = fields.findIndex(({ take }) => take === takes.http_user_agent);
  const last = isOpenEnded && userAgent >= 0 ? userAgent : fields.length - 1;
  return {
    lacksUserAgents,
    parse(line, entry) {
      if (!line.startsWith(before)) return 'unreadable';
      clearEntry(entry);
      entry.method = method;
      entry.status = status;
      entry.lacksUserAgent = lacksUserAgents;
      let at = before.length;
      for (const [i, { take, after }] of fields.entries()) {
        // Some pad numbers.
        while (at > 0 && line.charCodeAt(at) === 32 && line.charCodeAt(at - 1) === 32) at++;
        const found = endOf(line, at, after);
        const end = found < 0 && i === last && isOpenEnded && line.endsWith('"') ? line.length - 1 : found;
        if (end < 0 && i > last) break;
        if (end < 0) return 'unreadable';
        take?.(fieldOf(line.slice(at, end)), entry);
        at = end + after.length;
      }
      entry.address ||= lastAddress(entry.forwardedFor);
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
