import { parseAddress } from '../../net/address.ts';
import { closingQuote } from '../bytes.ts';
import { readRequest } from './combined.ts';
import {
  clearEntry,
  type LineKind,
  type LineParser,
  type LogEntry,
  lastAddress,
  withoutPort,
} from './entry.ts';
import { bytesOf, isObject, type JsonObject, numberOf, parseObject, textOf } from './json-line.ts';
import { areHeaders, type Meaning, meanings, placeOf, wordsOf } from './names.ts';
import { parseTime } from './time.ts';

/** How deep objects are looked into. */
const maxDepth = 5;
/** Names of one object that are remembered. */
const maxNames = 500;

/** The meaning of a field of an object. */
interface Slot {
  /** -1: nothing. */
  meaning: number;
  rank: number;
  /** The header that it is. */
  header: string | undefined;
  /** For the fields in it. */
  inside: Names | undefined;
}

/** The names in one object of a line, looked up once for all lines. */
class Names {
  readonly #slots = new Map<string, Slot>();
  readonly #words: readonly string[];
  readonly #areHeaders: boolean;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#areHeaders = areHeaders(words);
  }

  slot(name: string): Slot {
    const known = this.#slots.get(name);
    if (known) return known;
    const words = [...this.#words, ...wordsOf(name)];
    const place = placeOf(words);
    const slot = {
      meaning: place?.meaning ?? -1,
      rank: place?.rank ?? 0,
      header: this.#areHeaders ? name.toLowerCase() : headerOf(name),
      // The machine that wrote the line, and not the site.
      inside: words.length === 1 && words[0] === 'host' ? undefined : new Names(words),
    };
    if (this.#slots.size < maxNames) this.#slots.set(name, slot);
    return slot;
  }
}

const ownHeaders = /^(?:cookie|authorization|host|referr?er|user.agent)$/i;

/** nginx has `http_` in front of headers of the request, and Traefik `request_`. */
function headerOf(name: string): string | undefined {
  const header = /^http_(\w+)$/.exec(name)?.[1] ?? /^request_([A-Z][\w-]*)$/.exec(name)?.[1];
  return header === undefined || ownHeaders.test(header)
    ? undefined
    : header.replaceAll('_', '-').toLowerCase();
}

/** The values of a line by their meaning. One object is reused for every line. */
class Values {
  readonly #values: unknown[] = meanings.map(() => undefined);
  readonly #ranks: number[] = meanings.map(() => Number.POSITIVE_INFINITY);
  /** Of a value, in bytes as characters. */
  readonly #textOf: (value: unknown) => string;
  headers: Record<string, string> | undefined;

  constructor(ofValue: (value: unknown) => string) {
    this.#textOf = ofValue;
  }

  clear(): void {
    this.#values.fill(undefined);
    this.#ranks.fill(Number.POSITIVE_INFINITY);
    this.headers = undefined;
  }

  add({ meaning, rank }: Pick<Slot, 'meaning' | 'rank'>, value: unknown): void {
    if (meaning < 0 || rank >= (this.#ranks[meaning] as number)) return;
    if (value === '' || value === '-' || value === null || value === undefined) return;
    this.#values[meaning] = value;
    this.#ranks[meaning] = rank;
  }

  addHeader(name: string, value: unknown): void {
    // A field that occurs twice is one list (RFC 9110, section 5.3).
    const text = Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value);
    if (text === '') return;
    this.headers ??= {};
    this.headers[name] = text;
  }

  get(meaning: Meaning): unknown {
    return this.#values[indexOf[meaning]];
  }

  text(meaning: Meaning): string {
    return this.#textOf(this.get(meaning));
  }
}

/** A piece of a line, which is bytes already. */
const pieceOf = (value: unknown) => (value ?? '') as string;

const indexOf = Object.fromEntries(meanings.map((name, i) => [name, i])) as Record<Meaning, number>;

function addObject(object: JsonObject, names: Names, values: Values, depth = 1): void {
  for (const name of Object.keys(object)) {
    const value = object[name];
    const slot = names.slot(name);
    if (slot.header !== undefined) values.addHeader(slot.header, value);
    if (!isObject(value)) values.add(slot, value);
    // Of a secure connection Caddy has an object.
    else if (slot.meaning === indexOf.tls) values.add(slot, true);
    else if (slot.inside && depth < maxDepth) addObject(value, slot.inside, values, depth + 1);
  }
}

/** Returns the kind of the line. */
function fill(entry: LogEntry, values: Values): LineKind {
  clearEntry(entry);
  const forwarded = values.text('forwardedFor');
  entry.address = withoutPort(values.text('address') || lastAddress(forwarded));
  const request = values.text('request');
  if (request.includes(' ')) readRequest(request, 0, request.length, entry);
  entry.method = values.text('method') || entry.method;
  if (request.includes(' ')) entry.target ||= values.text('target');
  else readTarget(values.text('target') || request, entry);
  const query = values.text('query').replace(/^\?/, '');
  if (query !== '' && entry.target !== '' && !entry.target.includes('?')) entry.target += `?${query}`;
  entry.userAgent = values.text('userAgent');
  if (entry.address === '' && entry.target === '' && entry.userAgent === '') return 'other';
  entry.at = timeOf(values);
  entry.status = numberOf(values.get('status'));
  entry.bytes = bytesOf(values.get('bytes'));
  entry.host = values.text('host') || entry.host;
  entry.secure ||= /^(?:https|wss)$/i.test(values.text('scheme')) || isSecure(values.get('tls'));
  entry.referrer = values.text('referrer');
  entry.contentType = values.text('contentType');
  entry.forwardedFor = forwarded;
  entry.headers = values.headers;
  if (values.get('edge') !== undefined || isEncoded(entry.userAgent)) decodeAll(entry);
  return Number.isNaN(entry.at) || entry.address === '' ? 'unreadable' : 'request';
}

/**
 * A whole address in a field of its own was put together by the server, some without the scheme; in a request line the sender
 * wrote it.
 */
export function readTarget(target: string, entry: LogEntry): void {
  entry.target = target;
  entry.host = '';
  entry.secure = false;
  if (target.startsWith('/')) return;
  const [whole, scheme = '', host = '', rest = ''] =
    /^(https?):\/\/([^/?#]*)(.*)$/is.exec(target) ?? /^()([a-z\d.-]+(?::\d+)?)(\/.*)$/is.exec(target) ?? [];
  if (whole === undefined) return;
  entry.target = rest.startsWith('/') ? rest : `/${rest}`;
  entry.host = host;
  entry.secure = scheme.toLowerCase() === 'https';
}

function timeOf(values: Values): number {
  const time = values.get('time');
  const date = values.get('date');
  if (date === undefined) return parseTime(time);
  if (time === undefined) return parseTime(date);
  return typeof time === 'string' && /^\d\d:\d\d/.test(time)
    ? parseTime(`${String(date)}T${time}`)
    : parseTime(time);
}

function isSecure(tls: unknown): boolean {
  return tls === true || (typeof tls === 'string' && /^(?:on|true|1|yes)$/i.test(tls));
}

function isEncoded(userAgent: string): boolean {
  return userAgent.includes('%20') && !userAgent.includes(' ');
}

/** CloudFront percent-encodes; older logs encoded the percent sign of a space once more. */
function decodeAll(entry: LogEntry): void {
  entry.referrer = decode(entry.referrer);
  entry.userAgent = decode(entry.userAgent);
  entry.contentType = decode(entry.contentType);
}

function decode(text: string): string {
  const once = decodeOnce(text);
  return once.includes('%20') ? decodeOnce(once) : once;
}

function decodeOnce(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A JSON object in each line. */
export function jsonParser(): LineParser {
  const names = new Names([]);
  const values = new Values(textOf);
  return {
    mayLackTime: true,
    parse(line, entry) {
      const object = parseObject(line);
      if (!object) return 'unreadable';
      values.clear();
      addObject(object, names, values);
      return fill(entry, values);
    },
  };
}

/** `key=value key="a value"` in each line. */
export function logfmtParser(): LineParser {
  const names = new Names([]);
  const values = new Values(pieceOf);
  return {
    mayLackTime: true,
    parse(line, entry) {
      if (!/^[a-z_][\w.-]*=/i.test(line)) return 'unreadable';
      values.clear();
      for (let at = 0; at < line.length; ) {
        const equals = line.indexOf('=', at);
        if (equals < 0) break;
        const isQuoted = line.charCodeAt(equals + 1) === 34;
        const from = equals + (isQuoted ? 2 : 1);
        const closing = isQuoted ? closingQuote(line, from) : line.indexOf(' ', from);
        const end = closing < 0 ? line.length : closing;
        values.add(names.slot(line.slice(at, equals)), line.slice(from, end).replace(/\\(.)/g, '$1'));
        at = end + 1;
        while (line.charCodeAt(at) === 32) at++;
      }
      return fill(entry, values);
    },
  };
}

/** `label:value` parted by tabs (http://ltsv.org), where `host` is the visitor's unless another label has the address. */
export function ltsvParser(): LineParser {
  const names = new Names([]);
  const values = new Values(pieceOf);
  const visitor = names.slot('remotehost');
  return {
    mayLackTime: true,
    parse(line, entry) {
      if (!/^[\w.-]+:[^\t]*\t/.test(line)) return 'unreadable';
      values.clear();
      for (const cell of line.split('\t')) {
        const colon = cell.indexOf(':');
        const [label, value] = [cell.slice(0, colon), cell.slice(colon + 1).replace(/\\(["\\])/g, '$1')];
        const isVisitor = label === 'host' && parseAddress(withoutPort(value)) !== undefined;
        if (colon > 0) values.add(isVisitor ? visitor : names.slot(label), value);
      }
      return fill(entry, values);
    },
  };
}

interface Columns {
  slots: Slot[];
  separator: ' ' | '\t' | ',';
  /** The beginning of a line with names, which may come again. */
  start: string;
}

/**
 * Lines with a value in each column, and a line with their names: `#Fields:` of the W3C's extended log file format
 * (https://www.w3.org/TR/WD-logfile.html), which may come again with other names, or the first line.
 *
 * @param usual the columns where no line names them
 */
export function columnsParser(usual?: string): LineParser {
  const names = new Names([]);
  const values = new Values(pieceOf);
  const read = (cells: string[], separator: Columns['separator'], start: string): Columns => ({
    slots: cells.map((name) => names.slot(name)),
    separator,
    start,
  });
  let columns = usual === undefined ? undefined : read(usual.split(' '), '\t', 'date\t');
  /** Undefined: it does not name the columns. */
  const readHeading = (line: string): Columns | undefined => {
    const separator = line.includes('\t') ? '\t' : ',';
    const cells = cellsOf(line, separator);
    const found = read(cells, separator, line.slice(0, line.indexOf(separator) + 1));
    return isHeading(found.slots) ? found : undefined;
  };
  let isFirst = true;
  return {
    isHeaded: true,
    parse(line, entry) {
      if (line.startsWith('#')) {
        const fields = /^#Fields:(.*)$/i.exec(line)?.[1]?.trim();
        if (fields !== undefined) columns = read(fields.split(/\s+/), ' ', '#');
        return 'other';
      }
      if (line.trim() === '') return 'other';
      if (isFirst || columns === undefined || line.startsWith(columns.start)) {
        isFirst = false;
        const found = readHeading(line);
        if (found) {
          columns = found;
          return 'other';
        }
      }
      if (columns === undefined) return 'unreadable';
      const separator = columns.separator === ' ' && line.includes('\t') ? '\t' : columns.separator;
      const cells = cellsOf(line, separator);
      if (cells.length < 2) return 'unreadable';
      values.clear();
      const { slots } = columns;
      for (let i = 0; i < slots.length; i++) values.add(slots[i] as Slot, cells[i]);
      const kind = fill(entry, values);
      if (separator === ' ') fillSpaces(entry);
      return kind === 'other' ? 'unreadable' : kind;
    },
  };
}

/** Whether a line consists of names, of which some say something. */
function isHeading(slots: readonly Slot[]): boolean {
  const found = new Set(slots.map(({ meaning }) => meaning));
  return found.has(indexOf.address) && (found.has(indexOf.target) || found.has(indexOf.request));
}

/** IIS writes a plus sign for a space, also where a plus sign was: after a bracket and after a space that is likely. */
function fillSpaces(entry: LogEntry): void {
  const { userAgent, forwardedFor } = entry;
  if (userAgent.includes('+') && !userAgent.includes(' '))
    entry.userAgent = userAgent.replace(/(\(\+)|\+(\+?)/g, (_, bracket: string | undefined, plus: string) =>
      bracket === undefined ? ` ${plus}` : bracket,
    );
  if (forwardedFor.includes('+')) entry.forwardedFor = forwardedFor.replaceAll('+', ' ');
}

/** A value in quotes may have the separator in it, and a quote twice (RFC 4180). */
function cellsOf(line: string, separator: Columns['separator']): string[] {
  if (separator === '\t' || !line.includes('"'))
    return line.split(separator === ' ' && line.includes('  ') ? / +/ : separator);
  const cells: string[] = [];
  let hasClosing = true;
  for (let at = 0; at <= line.length; ) {
    const isQuoted = hasClosing && line.charCodeAt(at) === 34;
    const closing = isQuoted ? endOfQuoted(line, at + 1, separator) : -1;
    // If this one is not closed, none behind it is.
    if (isQuoted && closing < 0) hasClosing = false;
    const next = closing < 0 ? line.indexOf(separator, at) : closing + 1;
    const end = next < 0 ? line.length : next;
    cells.push(closing < 0 ? line.slice(at, end) : line.slice(at + 1, closing).replaceAll('""', '"'));
    at = end + 1;
    if (separator === ' ') while (line.charCodeAt(at) === 32) at++;
  }
  return cells;
}

/** The first single quote with the separator or nothing behind it; -1: there is none. */
function endOfQuoted(line: string, from: number, separator: string): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    if (line[at + 1] === '"') at++;
    else if (at + 1 === line.length || line[at + 1] === separator) return at;
  }
  return -1;
}
