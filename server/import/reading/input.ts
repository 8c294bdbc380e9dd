import { emptyEntry, type LineParser } from '../formats/entry.ts';
import { findFormat, type GivenFormat, namedParser, resemblance, wayOut } from '../formats/formats.ts';
import { ImportError } from '../import-error.ts';
import { type Content, openFile, peek } from './content.ts';
import { isJsonDocument, recordsIn } from './json-records.ts';
import { headBytes, type LogState } from './known-logs.ts';
import { Lines } from './lines.ts';

/** The bytes that the format is detected by. */
export const sampleBytes = 1 << 16;

/** How lines are read; `auto` detects it from the first ones. `create` was found in earlier lines. */
export type LineFormat = GivenFormat | { create: () => LineParser };

/** A log that is being read. */
export interface LogInput {
  name: string;
  content: Content;
  log: LogState;
  lines: Lines;
  parser: LineParser;
  /** The number of the line that was read last. */
  line: number;
  /** Findings so far, for the check at the end. */
  findings: Findings;
}

/** How many of the requests had which outcome, and the first that belongs to another site. */
export class Findings {
  requests = 0;
  unreadable = 0;
  /** At the end, without one that could be read in between. */
  unreadableInARow = 0;
  foreign = 0;
  /** Of the first of these; empty: the log does not have it apart. */
  foreignHost = '';
  /** Requests for a page that are neither of another site nor unreadable. */
  pages = 0;
  /** Who sent those that were counted, as the log has it, as long as it is one address; null: several. */
  address: string | null | undefined;
  counted = 0;
  hasForwardedFor = false;
  /** `X-Forwarded-For` by the sender's address; some hundred of them. */
  readonly forwarders = new Map<string, Forwarder>();
}

export interface Forwarder {
  views: number;
  /** The first `X-Forwarded-For`. */
  first: string;
  /** Whether others came after it, as from a proxy. */
  hasOthers: boolean;
}

/** The beginning of a log. */
export interface Sample {
  head: Buffer;
  content: Content;
  /** A character for each byte, whole lines only, unless there is only one. */
  text: string;
}

/** @param name for messages */
export async function sample(content: Content, name: string): Promise<Sample> {
  let start = await peek(content, sampleBytes);
  let text = start.head.toString('latin1');
  if (isJsonDocument(text)) {
    start = await peek(recordsIn(start.content, name), sampleBytes);
    text = start.head.toString('latin1');
  }
  const end = start.head.length < sampleBytes ? text.length : text.lastIndexOf('\n') + 1 || text.length;
  return { ...start, text: text.slice(0, end) };
}

/** The given format, or the one that was detected. */
export function found(lineFormat: LineFormat, text: string): LineFormat {
  if ('create' in lineFormat) return lineFormat;
  const create = findFormat(linesOf(text), lineFormat);
  return create ? { create } : lineFormat;
}

/** @throws ImportError for a log that has lines, of which none can be read */
export function parserFor(lineFormat: LineFormat, text: string, name: string): LineParser {
  const known = found(lineFormat, text);
  if ('create' in known) return known.create();
  const parser = namedParser(known);
  if (parser) return parser;
  throw new ImportError(
    'unreadable',
    `The first lines of ${name} are not in a known format: ${wayOut} ${resemblance(linesOf(text))}Each line needs a time, an IP address, a method, a path or URL, a status and a user agent. Nothing was counted.`,
  );
}

/** When the first request of the sample happened; infinity: there is none. */
export function firstTimeOf(parser: LineParser, text: string): number {
  const entry = emptyEntry();
  for (const line of linesOf(text)) if (parser.parse(line, entry) === 'request') return entry.at;
  return Number.POSITIVE_INFINITY;
}

/** Goes on where the log is read to, or from the start where it has open lines. Undefined: there is nothing further in it. */
export async function openInput(
  { content, text }: Sample,
  {
    name,
    lineFormat,
    log,
    isAgain,
  }: { name: string; lineFormat: LineFormat; log: LogState; isAgain: boolean },
): Promise<LogInput | undefined> {
  const parser = parserFor(lineFormat, text, name);
  const { bytes, lines } = log.read;
  const findings = new Findings();
  // Fields may be named anew in the middle.
  if (bytes === 0 || parser.isHeaded || (isAgain && log.open?.isEmpty === false))
    return { name, content, log, parser, findings, line: 0, lines: new Lines(content, 0, false) };
  // From the byte before: unless it ends a line, the rest of a line that is counted comes first.
  if ((await content.skip(bytes - 1)) < bytes - 1) return undefined;
  return { name, content, log, parser, findings, line: lines, lines: new Lines(content, bytes - 1, true) };
}

export function linesOf(text: string): string[] {
  return text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .map((line) => withoutNul(line.replace(/\r$/, '')))
    .filter((line) => line !== '');
}

/** Where a log was cut off while its server went on, or the machine stopped, there are NUL bytes in front of a line. */
export function withoutNul(line: string): string {
  if (line.charCodeAt(0) !== 0) return line;
  let start = 1;
  while (line.charCodeAt(start) === 0) start++;
  return line.slice(start);
}

/** The beginning of a file, by which its log is known; undefined: there is no such file. */
export async function readHead(path: string): Promise<Buffer | undefined> {
  try {
    const content = openFile(path);
    try {
      return (await sample(content, path)).head.subarray(0, headBytes);
    } finally {
      content.close();
    }
  } catch {
    return undefined;
  }
}
