import { emptyEntry, type LineParser } from '../formats/entry.ts';
import { createParser, detectFormat, type FormatName } from '../formats/formats.ts';
import { logFormatParser } from '../formats/log-format.ts';
import { ImportError } from '../import-error.ts';
import { type Content, peek } from './content.ts';
import { headBytes, type KnownLogs, type LogState } from './known-logs.ts';
import { Lines } from './lines.ts';

/** What is looked at to tell the format. */
const sampleBytes = 1 << 14;

/** How lines are to be read; `auto` looks at the first ones. */
export type LineFormat = { format: FormatName | 'auto' } | { logFormat: string };

/** A log that is being read. */
export interface LogInput {
  name: string;
  content: Content;
  log: LogState;
  lines: Lines;
  parser: LineParser;
}

/** The beginning of a log. */
export interface Sample {
  head: Buffer;
  content: Content;
  /** A character for each byte, whole lines only, unless there is only one. */
  text: string;
}

export async function sample(content: Content): Promise<Sample> {
  const start = await peek(content, sampleBytes);
  const text = start.head.toString('latin1');
  const end = start.head.length < sampleBytes ? text.length : text.lastIndexOf('\n') + 1 || text.length;
  return { ...start, text: text.slice(0, end) };
}

/** @throws ImportError for a log that has lines, of which none can be read */
export function parserFor(lineFormat: LineFormat, text: string, name: string): LineParser {
  if ('logFormat' in lineFormat) return logFormatParser(lineFormat.logFormat);
  if (lineFormat.format !== 'auto') return createParser(lineFormat.format);
  const format = detectFormat(text);
  if (format) return createParser(format);
  throw new ImportError(
    'unreadable',
    `The first lines of ${name} are not in a known format: name one with --format, or describe it with --log-format. Nothing was counted.`,
  );
}

/** When the first request of the sample happened; infinity: there is none. */
export function firstTimeOf(parser: LineParser, text: string): number {
  const entry = emptyEntry();
  for (const line of linesOf(text)) if (parser.parse(line, entry) === 'request') return entry.at;
  return Number.POSITIVE_INFINITY;
}

/** Goes on where the log is counted to. Undefined: there is nothing further in it. */
export async function openInput(
  { head, content, text }: Sample,
  { name, lineFormat, known }: { name: string; lineFormat: LineFormat; known: KnownLogs },
): Promise<LogInput | undefined> {
  const log = known.get(head.subarray(0, headBytes));
  const parser = parserFor(lineFormat, text, name);
  const { bytes } = log.read;
  if (bytes === 0) return { name, content, log, parser, lines: new Lines(content, 0, false) };
  // What the top of the log says about its lines.
  const entry = emptyEntry();
  for (const line of linesOf(text)) if (parser.parse(line, entry) !== 'other') break;
  // From the byte before: unless it ends a line, the rest of a line that is counted comes first.
  if ((await content.skip(bytes - 1)) < bytes - 1) return undefined;
  return { name, content, log, parser, lines: new Lines(content, bytes - 1, true) };
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
