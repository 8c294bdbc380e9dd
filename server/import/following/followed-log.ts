import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ImportError } from '../import-error.ts';
import type { ImportSession } from '../import-session.ts';
import { type Content, identityOf, openFile, type PlainFile, unreadable } from '../reading/content.ts';
import {
  found,
  type LineFormat,
  type LogInput,
  linesOf,
  type Sample,
  sample,
  sampleBytes,
} from '../reading/input.ts';
import { isJsonDocument } from '../reading/json-records.ts';
import { headBytes, type LogState } from '../reading/known-logs.ts';
import type { Window } from '../reading/lines.ts';
import { checkSample } from '../sample-check.ts';

/** How long a server may go on writing to a file that was rotated away: until it gets the signal to open a new one. */
const graceMs = 30_000;

/** The first lines alone may be those of an attack. */
const linesToCheck = 20;

/** A file that has or had the followed name. */
interface Stream {
  content: Content;
  plain: PlainFile;
  /** Undefined until there is a line in it. */
  input: LogInput | undefined;
  /** Its first bytes: another beginning means another log. */
  start: Buffer;
  /** When it was last the newest one, or grew; milliseconds since 1970. */
  activeAt: number;
}

/** A log that is read as it is written, under a name that stays while files come and go. */
export class FollowedLog {
  readonly #path: string;
  readonly #session: ImportSession;
  #lineFormat: LineFormat;
  /** The newest is the last one. */
  #streams: Stream[] = [];

  constructor(path: string, session: ImportSession) {
    this.#path = path;
    this.#session = session;
    this.#lineFormat = session.options.lineFormat;
  }

  /** Reads new lines of rotated files; none of a log that is followed the first time. */
  async catchUp(): Promise<void> {
    let isBehind = false;
    for (const name of this.#rotated()) {
      await whileThere(name, async (start) => {
        isBehind ||= this.#session.known.find(start.head.subarray(0, headBytes)) !== undefined;
        if (isBehind) await this.#takeWhole(start, name);
      });
    }
  }

  /** Reads the lines since the last time. */
  async tick(): Promise<void> {
    const now = this.#session.options.now();
    for (const stream of this.#streams) await this.#take(stream);
    const found = lookAt(this.#path, () => statSync(this.#path, { throwIfNoEntry: false }));
    const newest = this.#streams.at(-1);
    if (newest) newest.activeAt = now;
    if (found && (!newest || newest.plain.identity !== identityOf(found))) {
      this.#open();
      const [opened] = this.#streams.slice(-1);
      if (opened) await this.#take(opened);
    }
    for (const stream of this.#streams.slice(0, -1)) {
      if (now - stream.activeAt > graceMs) await this.#end(stream);
    }
  }

  close(): void {
    for (const { content } of this.#streams) content.close();
    this.#streams = [];
  }

  #open(): void {
    const content = openIfThere(this.#path);
    if (!content) return;
    if (!content.plain) {
      content.close();
      throw cannotFollow(this.#path, 'packed or in UTF-16');
    }
    const { plain } = content;
    const activeAt = this.#session.options.now();
    this.#streams.push({ content, plain, input: undefined, start: Buffer.alloc(0), activeAt });
  }

  async #take(stream: Stream): Promise<void> {
    const { options } = this.#session;
    if (this.#isReplaced(stream)) return this.#startAgain(stream);
    stream.input ??= await this.#begin(stream);
    if (!stream.input) return;
    for (;;) {
      const window = await stream.input.lines.next();
      // These lines are of another log than the followed one.
      if (this.#isReplaced(stream)) return this.#startAgain(stream);
      if (!window) return;
      stream.activeAt = options.now();
      await this.#takeWindow(stream.input, window);
      // The rest is for the next time.
      if (options.signal.aborted) return;
    }
  }

  /** Once there is a whole line that identifies the log and its format. */
  async #begin(stream: Stream): Promise<LogInput | undefined> {
    const start = stream.plain.start(headBytes);
    if (!start.includes(10) && start.length < headBytes) return undefined;
    const head = stream.plain.start(sampleBytes).toString('latin1');
    if (isJsonDocument(head)) {
      // A line that is not whole yet looks like one.
      if (!head.includes('\n')) return undefined;
      throw cannotFollow(this.#path, 'one JSON document');
    }
    const input = await this.#openInput(await sample(stream.content, this.#path), this.#path);
    // Less than what was counted of this log: until there is more, it is opened again and again.
    if (!input) this.#drop(stream);
    return input;
  }

  #drop(stream: Stream): void {
    stream.content.close();
    this.#streams = this.#streams.filter((other) => other !== stream);
  }

  async #openInput(start: Sample, name: string): Promise<LogInput | undefined> {
    const isUnknown = !('create' in this.#lineFormat);
    this.#lineFormat = found(this.#lineFormat, start.text);
    const input = await this.#session.open(start, name, { lineFormat: this.#lineFormat });
    const isEnough = linesOf(start.text).length >= linesToCheck;
    if (isUnknown && isEnough && input?.line === 0) checkSample(start, name, this.#lineFormat);
    return input;
  }

  /** It was cut off, or cut off and filled anew. */
  #isReplaced(stream: Stream): boolean {
    const size = stream.plain.size();
    if (size < stream.content.progress().done) return true;
    const start = stream.plain.start(Math.min(headBytes, size));
    const isSame = start.subarray(0, stream.start.length).equals(stream.start);
    stream.start = start;
    return !isSame;
  }

  /** Copied and cut off: the rest of what was in it is in the copy. */
  async #startAgain(stream: Stream): Promise<void> {
    const log = stream.input?.log;
    this.#drop(stream);
    if (log?.hasRequests) await this.#takeCopy(log);
  }

  async #takeCopy(log: LogState): Promise<void> {
    this.#session.known.name(log);
    for (const name of this.#rotated()) {
      await whileThere(name, async (start) => {
        const isCopy = this.#session.known.find(start.head.subarray(0, headBytes)) === log;
        if (isCopy) await this.#takeWhole(start, name);
      });
    }
  }

  /** A file that nobody writes to any more. */
  async #takeWhole(start: Sample, name: string): Promise<void> {
    const input = start.head.length === 0 ? undefined : await this.#openInput(start, name);
    if (input) await this.#takeAll(input);
  }

  async #takeAll(input: LogInput): Promise<void> {
    const { importer, known, options } = this.#session;
    for (let window = await input.lines.next(); window; window = await input.lines.next()) {
      await this.#takeWindow(input, window);
      if (options.signal.aborted) return;
    }
    const rest = input.lines.rest();
    if (rest) await importer.takeRest(input, rest);
    if (input.log.hasRequests) known.name(input.log);
  }

  async #takeWindow(input: LogInput, window: Window): Promise<void> {
    const { importer, options } = this.#session;
    await importer.take(input, window);
    options.onProgress({ ...importer.progress(), done: 0, size: 0 });
  }

  async #end(stream: Stream): Promise<void> {
    if (stream.input) await this.#takeAll(stream.input);
    this.#drop(stream);
  }

  /** Names after rotation: `access.log.1`, `access.log-20261121.gz`; the oldest first. */
  #rotated(): string[] {
    const folder = dirname(this.#path);
    const own = basename(this.#path);
    return lookAt(this.#path, () => readdirSync(folder))
      .filter((name) => name.startsWith(own) && /^[.-]\d[\w.-]*$/.test(name.slice(own.length)))
      .map((name) => join(folder, name))
      .flatMap((path) => {
        const found = statSync(path, { throwIfNoEntry: false });
        return found?.isFile() ? [{ path, at: found.mtimeMs }] : [];
      })
      .sort((a, b) => a.at - b.at)
      .map(({ path }) => path);
  }
}

function cannotFollow(name: string, as: string): ImportError {
  return new ImportError('unreadable', `${name} is ${as} and cannot be followed: leave --follow out.`);
}

/** @throws ImportError where the system does not let the log be looked for */
function lookAt<T>(log: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw unreadable(log, error as Error);
  }
}

/** Undefined: it was renamed or removed a moment ago. */
function openIfThere(path: string): Content | undefined {
  try {
    return openFile(path);
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    if (cause?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a rotated file. It may vanish meanwhile, or be in the middle of compression: another file has the same lines. */
async function whileThere(path: string, read: (start: Sample) => Promise<void>): Promise<void> {
  const content = openIfThere(path);
  if (!content) return;
  try {
    await read(await sample(content, path));
  } catch (error) {
    if (!(error instanceof ImportError && error.code === 'unreadable')) throw error;
  } finally {
    content.close();
  }
}
