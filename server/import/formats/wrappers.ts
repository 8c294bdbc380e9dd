import { closingQuote, unescapeField } from '../bytes.ts';
import { clearEntry, type LineParser } from './entry.ts';
import { isObject, type JsonObject, parseObject, textOf } from './json-line.ts';
import { parseTime } from './time.ts';

/** Data from the text around a line of an access log. */
interface Carried {
  text: string;
  /** When it was written; empty: not known, or without a year. */
  time?: string | undefined;
  /** The rest comes with the next line of the same stream. */
  isPart?: boolean;
  /** Of a container. */
  stream?: string | undefined;
}

/** Undefined: it is not around this line. */
export type Wrapper = (line: string) => Carried | undefined;

const iso = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)`;

/** RFC 5424 up to the structured data, which some leave out; some have the length in front (RFC 6587). */
const syslogHeader = /^(?:\d{1,7} )?<\d{1,3}>1 (\S+) \S+ \S+ \S+ \S+ (?:- )?/;
/** RFC 3164 and what is written to files in place of it: `<190>Mar  1 10:00:00 host nginx[1]: `. */
const oldSyslog = new RegExp(
  String.raw`^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|(${iso})) (?:\S*[^\s:] )?[^\s:[\]]+(?:\[[^\]]*\])?: ?`,
);
/** The Container Runtime Interface of Kubernetes. */
const cri = /^(\S+) (stdout|stderr) ([PF])(?::\S*)? /;
/** The prefix of `docker compose logs`, `docker service logs` and `kubectl logs --prefix`. */
const container = /^(?:[\w.@-]+ +\| |\[pod\/[^\]\s]+\] )/;
/** The prefix of Loki's `logcli query`, unless its output is raw. */
const labels = new RegExp(String.raw`^(${iso}) \{[^{}]*\} `);
/** The prefix of `docker logs --timestamps`. */
const timestamp = new RegExp(`^(${iso}) `);

function inSyslog(line: string): Carried | undefined {
  const [header, time] = syslogHeader.exec(line) ?? [];
  if (header === undefined) return undefined;
  const text = line.slice(behindData(line, header.length));
  return { text: text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text, time };
}

/** Where the message begins behind `[id name="value"][…] `. */
function behindData(line: string, start: number): number {
  let at = start;
  while (line[at] === '[') {
    at++;
    while (at < line.length && line[at] !== ']') {
      const closing = line[at] === '"' ? closingQuote(line, at + 1) : at;
      if (closing < 0) return start;
      at = closing + 1;
    }
    at++;
  }
  return at > start && line[at] === ' ' ? at + 1 : start;
}

function behind(prefix: RegExp): Wrapper {
  return (line) => {
    const found = prefix.exec(line);
    return found ? { text: line.slice(found[0].length), time: found[1] } : undefined;
  };
}

/** Docker splits longer lines. */
const dockerBytes = 16_000;
const carriers = ['log', 'message', 'MESSAGE', 'textPayload', '_raw', 'line', 'msg', 'original', 'body'];
/** Exports have it in an object or two: `{"_source": {"event": {"original": …`. */
const maxDepth = 3;

/** The object that has a line in it. */
function findCarrier(object: JsonObject, depth = 1): { object: JsonObject; name: string } | undefined {
  const name = carriers.find((field) => typeof object[field] === 'string');
  if (name !== undefined) return { object, name };
  if (depth === maxDepth) return undefined;
  for (const value of Object.values(object)) {
    const found = isObject(value) ? findCarrier(value, depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Docker's json-file, and what collectors of logs make of a line. */
function inJson(line: string): Carried | undefined {
  if (!line.startsWith('{')) return undefined;
  const outer = parseObject(line);
  const found = outer && findCarrier(outer);
  if (!found) return undefined;
  const { object, name } = found;
  const whole = textOf(object[name]);
  const text = whole.replace(/\r?\n$/, '');
  return {
    text,
    time: textOf(object.time) || textOf(object['@timestamp']) || textOf(object.timestamp),
    stream: textOf(object.stream),
    isPart: name === 'log' && text === whole && text.length >= dockerBytes,
  };
}

/** OpenLiteSpeed has quotes around a line; what exports a table as CSV doubles those in it. */
function inQuotes(line: string): Carried | undefined {
  if (line.length < 2 || !line.startsWith('"') || !line.endsWith('"')) return undefined;
  const text = line.slice(1, -1);
  if (text.includes('] ""')) return { text: text.replaceAll('""', '"') };
  return { text: text.includes('] \\"') ? unescapeField(text) : text };
}

export const wrappers: readonly Wrapper[] = [
  inSyslog,
  behind(oldSyslog),
  (line) => {
    const [prefix = '', time, stream, tag] = cri.exec(line) ?? [];
    return prefix === '' ? undefined : { text: line.slice(prefix.length), time, stream, isPart: tag === 'P' };
  },
  inJson,
  inQuotes,
  behind(container),
  behind(labels),
  behind(timestamp),
];

/** The longest line that is put together. */
const maxLine = 1 << 20;

/** Reads lines inside of wrappers. Lines without a wrapper may belong to the log all the same. */
export function wrapped(parser: LineParser, wrapper: Wrapper): LineParser {
  const parts = new Map<string, string>();
  return {
    ...parser,
    parse(line, entry) {
      const { text, time = '', isPart = false, stream = '' } = wrapper(line) ?? { text: line };
      const before = parts.size === 0 ? '' : (parts.get(stream) ?? '');
      if (isPart) {
        if (before.length < maxLine && parts.size < 10) parts.set(stream, before + text);
        return 'other';
      }
      if (before !== '') parts.delete(stream);
      clearEntry(entry);
      const kind = parser.parse(before + text, entry);
      if (kind !== 'unreadable') return kind;
      // Some logs have the time only in the wrapper.
      if (parser.mayLackTime && Number.isNaN(entry.at) && entry.address !== '' && time !== '') {
        entry.at = parseTime(time);
        if (!Number.isNaN(entry.at)) return 'request';
      }
      return stream === 'stderr' ? 'other' : kind;
    },
  };
}
