import { readRequest } from './combined.ts';
import { bytesOf, headersOf, type JsonObject, jsonParser, numberOf, textOf } from './json-line.ts';
import { parseTime } from './time.ts';

/**
 * What people call the fields of a log that nginx writes with `escape=json`: its own names of variables, and those of
 * the recipes that go around. Other names need `--log-format`.
 */
const names = {
  at: ['time_iso8601', 'msec', 'time_local', 'time', 'timestamp', '@timestamp', 'ts', 'date', 'datetime'],
  address: [
    'remote_addr',
    'client_ip',
    'remote_ip',
    'clientip',
    'ip',
    'realip_remote_addr',
    'client',
    'remote',
  ],
  request: ['request', 'request_line'],
  method: ['request_method', 'method', 'http_method', 'verb'],
  target: ['request_uri', 'uri', 'url', 'path'],
  status: ['status', 'status_code', 'response', 'code', 'response_status'],
  bytes: ['body_bytes_sent', 'bytes_sent', 'bytes', 'size', 'response_size'],
  host: ['http_host', 'host', 'server_name', 'vhost', 'domain'],
  scheme: ['scheme', 'http_scheme'],
  referrer: ['http_referer', 'http_referrer', 'referer', 'referrer'],
  userAgent: ['http_user_agent', 'user_agent', 'useragent', 'agent', 'ua'],
  contentType: ['sent_http_content_type', 'content_type'],
} as const;

/** Request headers, which may tell who asks. */
const headerVariable = /^http_(?!cookie$|authorization$|host$|referer$|referrer$|user_agent$)(\w+)$/;

export const nginxJsonParser = () =>
  jsonParser((line, entry) => {
    const find = (of: readonly string[]) => of.map((name) => line[name]).find((value) => value !== undefined);
    entry.at = parseTime(find(names.at));
    entry.address = textOf(find(names.address));
    const request = textOf(find(names.request));
    if (request.includes(' ')) readRequest(request, 0, request.length, entry);
    entry.method = textOf(find(names.method)) || entry.method;
    entry.target ||= textOf(find(names.target));
    entry.status = numberOf(find(names.status) ?? 200);
    entry.bytes = bytesOf(find(names.bytes));
    // A whole address in a field of its own was put together by the server; in a request line whoever asked wrote it.
    const isWhole = !request.includes(' ') && /^https?:/i.test(entry.target);
    const whole = isWhole ? URL.parse(entry.target) : null;
    entry.host = textOf(find(names.host)) || (whole?.host ?? '');
    entry.secure = find(names.scheme) === 'https' || whole?.protocol === 'https:';
    entry.referrer = textOf(find(names.referrer));
    entry.userAgent = textOf(find(names.userAgent));
    entry.contentType = textOf(find(names.contentType));
    entry.headers = variablesOf(line);
    return true;
  });

function variablesOf(line: JsonObject): Record<string, string> | undefined {
  const found = Object.entries(line).flatMap(([name, value]) => {
    const header = headerVariable.exec(name)?.[1]?.replaceAll('_', '-');
    return header === undefined || textOf(value) === '' ? [] : [[header, value]];
  });
  return found.length === 0 ? undefined : headersOf(Object.fromEntries(found));
}
