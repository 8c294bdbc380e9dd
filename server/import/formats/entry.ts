/** A request as a line of a log tells it. One object is filled again for every line, as there are millions. */
export interface LogEntry {
  /** Milliseconds since 1970; NaN: the line has no time that can be read. */
  at: number;
  address: string;
  method: string;
  /** As it stood in the request line: path and query, or an absolute address. */
  target: string;
  /** 0: not told. */
  status: number;
  /** Length of the answer; -1: not told. */
  bytes: number;
  /** Host name that was asked for; empty: not told. */
  host: string;
  /** Over https. */
  secure: boolean;
  referrer: string;
  /** Bytes as characters (latin1), as node:http hands them over, so that a visitor of both is one. */
  userAgent: string;
  /** The log does not tell it, whatever it was. */
  lacksUserAgent: boolean;
  /** Media type of the answer; empty: not told. */
  contentType: string;
  /** Request headers by lower-case name, where the log has them; latin1 too. */
  headers: Record<string, string> | undefined;
  /** `X-Forwarded-For` where a format has it in a field of its own; empty: not told. */
  forwardedFor: string;
  /** For logs that tell of one request in several lines; empty: each line is a request. */
  requestId: string;
}

export function emptyEntry(): LogEntry {
  return {
    at: Number.NaN,
    address: '',
    method: '',
    target: '',
    status: 0,
    bytes: -1,
    host: '',
    secure: false,
    referrer: '',
    userAgent: '',
    lacksUserAgent: false,
    contentType: '',
    headers: undefined,
    forwardedFor: '',
    requestId: '',
  };
}

export function clearEntry(entry: LogEntry): void {
  entry.at = Number.NaN;
  entry.address = '';
  entry.method = '';
  entry.target = '';
  entry.status = 0;
  entry.bytes = -1;
  entry.host = '';
  entry.secure = false;
  entry.referrer = '';
  entry.userAgent = '';
  entry.lacksUserAgent = false;
  entry.contentType = '';
  entry.headers = undefined;
  entry.forwardedFor = '';
  entry.requestId = '';
}

/** `other`: a line that is meant to be there and tells of no request. */
export type LineKind = 'request' | 'other' | 'unreadable';

/**
 * Reads lines of one format. A parser belongs to one log, as some logs say at the top which fields follow. A line has a
 * character for each byte (latin1), and no line break.
 */
export interface LineParser {
  /** What writes such lines, for messages. */
  readonly title?: string;
  /** How to have it write what lines of this format often lack. */
  readonly remedy?: string;
  /** Nobody can tell people from programs by what it reads. */
  readonly lacksUserAgents?: boolean;
  /** What is around its lines may have the time. */
  readonly mayLackTime?: boolean;
  /** Lines of the log name the fields of those that follow. */
  readonly isHeaded?: boolean;
  parse(line: string, entry: LogEntry): LineKind;
}

/** Each proxy adds the address it was asked from, so that the last one is the peer of whoever wrote the log. */
export function lastAddress(forwardedFor: string): string {
  return forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
}

/** An address that may have a port behind it, an IPv6 address then in brackets. */
export function withoutPort(text: string): string {
  return text.includes(':') ? text.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2') : text;
}

/** What `X-Forwarded-For` has in it. */
export function isAddressList(text: string): boolean {
  return /^[\da-f.:[\], ]+$/i.test(text) && /[.:]/.test(text);
}
