/** A request in a line of a log. One object is reused for every line, as there are millions. */
export interface LogEntry {
  /** Milliseconds since 1970; NaN: the line has no time that can be read. */
  at: number;
  address: string;
  method: string;
  /** As in the request line: path and query, or an absolute address. */
  target: string;
  /** 0: not logged. */
  status: number;
  /** Length of the response; -1: not logged. */
  bytes: number;
  /** Host name of the request; empty: not logged. */
  host: string;
  /** Over https. */
  secure: boolean;
  referrer: string;
  /** Bytes as characters (latin1), as node:http hands them over, so that a visitor of both is one. */
  userAgent: string;
  /** The log does not have it. */
  lacksUserAgent: boolean;
  /** Media type of the response; empty: not logged. */
  contentType: string;
  /** Request headers by lower-case name, where the log has them; latin1 too. */
  headers: Record<string, string> | undefined;
  /** `X-Forwarded-For` where a format has it in a field of its own; empty: not logged. */
  forwardedFor: string;
  /** For logs with several lines for one request; empty: each line is a request. */
  requestId: string;
}

export function emptyEntry(): LogEntry {
  const entry = {} as LogEntry;
  clearEntry(entry);
  return entry;
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

/** `other`: a valid line that is no request. */
export type LineKind = 'request' | 'other' | 'unreadable';

/**
 * Reads lines of one format. A parser belongs to one log, as some logs say at the top which fields follow. A line has a
 * character for each byte (latin1), and no line break.
 */
export interface LineParser {
  /** The server that writes such lines, for messages. */
  readonly title?: string;
  /** How to have it write fields that this format often lacks. */
  readonly remedy?: string;
  /** Its fields cannot distinguish people from programs. */
  readonly lacksUserAgents?: boolean;
  /** The text around its lines may have the time. */
  readonly mayLackTime?: boolean;
  /** Lines of the log name the fields of those that follow. */
  readonly isHeaded?: boolean;
  parse(line: string, entry: LogEntry): LineKind;
}

/** Each proxy adds the address it was asked from, so that the last one is the peer of the server that wrote the log. */
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
