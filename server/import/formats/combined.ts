import { closingQuote, unescapeField } from '../bytes.ts';
import { isAddressList, type LineKind, type LineParser, type LogEntry } from './entry.ts';
import { LocalTime } from './time.ts';

const space = 32;
const quote = 34;
const hyphen = 45;

interface Variant {
  /** Apache's variants too that have `host` or `host:port` in front, such as vhost_combined. */
  withHost: boolean;
  /** Apache's common format, which ends after the bytes. */
  isCommon?: boolean;
}

/**
 * The combined format of nginx and Apache: `ip - user [time] "request" status bytes "referrer" "user agent"`. More may
 * follow.
 */
export function combinedParser({ withHost, isCommon = false }: Variant): LineParser {
  const time = new LocalTime();
  return {
    lacksUserAgents: isCommon,
    parse(line, entry) {
      const opening = line.indexOf(' [');
      if (opening < 0) return 'unreadable';
      entry.at = time.parse(line, opening + 2);
      // After the bracket that closes: a space and a quote.
      const request = opening + 30;
      if (Number.isNaN(entry.at) || line.charCodeAt(request) !== quote) return 'unreadable';
      if (!readSender(line, opening, entry, withHost)) return 'unreadable';
      const rest = readAnswer(line, request + 1, entry);
      if (rest < 0) return 'unreadable';
      return isCommon ? readNothing(line, rest, entry) : readHeaders(line, rest, entry);
    },
  };
}

/** `ip - user`, where a user may have spaces in the name, or `host:port ip - user`. */
function readSender(line: string, end: number, entry: LogEntry, withHost: boolean): boolean {
  let from = 0;
  let to = line.indexOf(' ');
  entry.host = '';
  if (withHost && to < end && line.charCodeAt(to + 1) !== hyphen) {
    entry.host = withoutPort(line.slice(0, to));
    from = to + 1;
    to = line.indexOf(' ', from);
  }
  entry.address = line.slice(from, to);
  // The name by identd comes next, which nobody asks for any more.
  return to < end && line.charCodeAt(to + 1) === hyphen;
}

function withoutPort(host: string): string {
  const at = host.lastIndexOf(':');
  return at > 0 ? host.slice(0, at) : host;
}

/** Returns the position of the bytes; -1: the line cannot be read. */
function readAnswer(line: string, request: number, entry: LogEntry): number {
  const requestEnd = closingQuote(line, request);
  if (requestEnd < 0) return -1;
  readRequest(line, request, requestEnd, entry);
  const status = requestEnd + 2;
  entry.status = digit(line, status) * 100 + digit(line, status + 1) * 10 + digit(line, status + 2);
  if (Number.isNaN(entry.status) || line.charCodeAt(status + 3) !== space) return -1;
  entry.bytes = readNumber(line, status + 4);
  return status + 4;
}

function readHeaders(line: string, from: number, entry: LogEntry): LineKind {
  const referrer = line.indexOf(' "', from) + 2;
  if (referrer < 2) return 'unreadable';
  const referrerEnd = closingQuote(line, referrer);
  if (referrerEnd < 0 || line.charCodeAt(referrerEnd + 2) !== quote) return 'unreadable';
  const userAgentEnd = closingQuote(line, referrerEnd + 3);
  if (userAgentEnd < 0) return 'unreadable';
  entry.referrer = fieldOf(line.slice(referrer, referrerEnd));
  entry.userAgent = fieldOf(line.slice(referrerEnd + 3, userAgentEnd));
  entry.forwardedFor = line.length === userAgentEnd + 1 ? '' : forwardedFor(line, userAgentEnd + 1);
  return 'request';
}

/** nginx's own `main` format ends with `X-Forwarded-For` in quotes. Other fields that follow look otherwise. */
function forwardedFor(line: string, from: number): string {
  if (line.charCodeAt(from) !== space || line.charCodeAt(from + 1) !== quote) return '';
  if (line.indexOf('"', from + 2) !== line.length - 1) return '';
  const text = line.slice(from + 2, -1);
  return isAddressList(text) ? text : '';
}

function readNothing(line: string, from: number, entry: LogEntry): LineKind {
  entry.referrer = '';
  entry.userAgent = '';
  entry.lacksUserAgent = true;
  return /^(\d+|-)$/.test(line.slice(from)) ? 'request' : 'unreadable';
}

/** A request line; what is none (an attack, TLS on a plain port) leaves the method empty. */
export function readRequest(text: string, start: number, end: number, entry: LogEntry): void {
  const first = text.indexOf(' ', start);
  const last = text.lastIndexOf(' ', end - 1);
  entry.method = first > start && last > first && last < end ? text.slice(start, first) : '';
  entry.target = entry.method === '' ? text.slice(start, end) : text.slice(first + 1, last);
  if (entry.target.includes('\\')) entry.target = unescapeField(entry.target);
}

/** Up to a space; -1: there is none, as where Apache writes a hyphen. */
function readNumber(line: string, start: number): number {
  let number = -1;
  for (let at = start; ; at++) {
    const value = line.charCodeAt(at) - 48;
    if (!(value >= 0 && value <= 9)) return number;
    number = Math.max(number, 0) * 10 + value;
  }
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** `-`: the header was not sent. */
export function fieldOf(text: string): string {
  if (text === '-') return '';
  return text.includes('\\') ? unescapeField(text) : text;
}
