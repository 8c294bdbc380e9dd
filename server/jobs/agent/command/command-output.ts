import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { excerpt } from '../../text/excerpt.ts';
import type { AgentEvent } from '../result.ts';

const maxLineLength = 2_000;
/** What becomes events in all; the rest is read and dropped, so that the program is not held up. */
const maxOutputLength = 200_000;
const maxEvents = 2_000;
const keptLines = 100;

export type OutputStream = 'stdout' | 'stderr';

/** Lines that an outside program wrote, as events, without secrets, and the last of them to quote from. */
export class CommandOutput {
  readonly #redact: (text: string) => string;
  readonly #onEvent: (event: AgentEvent) => void | Promise<void>;
  readonly #onFault: () => void;
  readonly #streams = { stdout: new LineReader(), stderr: new LineReader() };
  readonly #kept: { stream: OutputStream; line: string }[] = [];
  #length = 0;
  #events = 0;
  #sending: Promise<void> = Promise.resolve();
  #fault: unknown;

  /** @param onFault is called once `onEvent` has thrown; `end` throws the same again. */
  constructor(
    redact: (text: string) => string,
    onEvent: (event: AgentEvent) => void | Promise<void>,
    onFault: () => void,
  ) {
    this.#redact = redact;
    this.#onEvent = onEvent;
    this.#onFault = onFault;
  }

  take(stream: OutputStream, chunk: Buffer): void {
    this.#add(stream, this.#streams[stream].read(chunk));
  }

  /** Waits until all events are delivered. */
  async end(): Promise<void> {
    this.#add('stdout', this.#streams.stdout.end());
    this.#add('stderr', this.#streams.stderr.end());
    await this.#sending;
    if (this.#fault !== undefined) throw this.#fault;
  }

  lastLines(count: number, stream?: OutputStream): string {
    const lines = this.#kept.filter((kept) => stream === undefined || kept.stream === stream);
    return lines
      .slice(-count)
      .map(({ line }) => line)
      .join('\n')
      .trim();
  }

  #add(stream: OutputStream, rawLines: string[]): void {
    // Together: what is secret may be spread over lines.
    const redacted = this.#redact(rawLines.join('\n')).split('\n');
    const lines = redacted.map((line) => excerpt(line, maxLineLength));
    this.#kept.push(...lines.map((line) => ({ stream, line })));
    this.#kept.splice(0, this.#kept.length - 2 * keptLines);
    const text = lines.join('\n');
    if (text.trim() === '' || this.#length > maxOutputLength || this.#events >= maxEvents) return;
    this.#length += text.length;
    this.#events += 1;
    this.#sending = this.#sending.then(() => this.#send({ type: 'output', stream, text }));
  }

  async #send(event: AgentEvent): Promise<void> {
    if (this.#fault !== undefined) return;
    try {
      await this.#onEvent(event);
    } catch (error) {
      this.#fault = error;
      this.#onFault();
    }
  }
}

/** Cuts a stream of bytes into lines without colours and cursor movements. */
class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  read(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n|\r/);
    this.#rest = lines.pop() ?? '';
    // A line may be endless.
    if (this.#rest.length > 10 * maxLineLength) lines.push(...this.#takeRest());
    return lines.map(plain);
  }

  end(): string[] {
    this.#rest += this.#decoder.end();
    return this.#takeRest().map(plain);
  }

  #takeRest(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/[^\P{Cc}\t]/gu, '');
}
