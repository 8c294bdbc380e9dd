import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { detectFormat } from '../formats/formats.ts';
import { ImportError } from '../import-error.ts';
import { type Content, identityOf, openFile, type PlainFile } from '../reading/content.ts';
import { headBytes, type Log } from '../reading/known-logs.ts';
import type { Window } from '../reading/lines.ts';
import { type Reader, type Sample, type Source, sample } from '../reading/source.ts';
import type { Session } from '../session.ts';

/** How long a server may go on writing to a file that was rotated away: until it is told to open a new one. */
const graceMs = 30_000;

/** A file that has or had the followed name. */
interface Stream {
  content: Content;
  plain: PlainFile;
  /** Undefined until there is a line in it. */
  source: Source | undefined;
  /** Its first bytes: another beginning means another log. */
  start: Buffer;
  /** When it was last the newest one, or grew; milliseconds since 1970. */
  activeAt: number;
}

/** A log that is read as it is written, under a name that stays while files come and go. */
export class FollowedLog {
  readonly #path: string;
  readonly #session: Session;
  #reader: Reader;
  /** The newest is the last one. */
  #streams: Stream[] = [];

  constructor(path: string, session: Session) {
    this.#path = path;
    this.#session = session;
    this.#reader = session.options.reader;
  }

  /** Reads what rotated files hold that was not there the last time; of a log that is followed the first time, none. */
  async catchUp(): Promise<void> {
    let isBehind = false;
    for (const name of this.#rotated()) {
      await whileThere(name, async (start) => {
        isBehind ||= this.#session.known.find(start.head.subarray(0, headBytes)) !== undefined;
        if (isBehind) await this.#takeWhole(start, name);
      });
    }
  }

  /** Takes what was written since the last time. */
  async tick(): Promise<void> {
    const now = this.#session.options.now();
    for (const stream of this.#streams) await this.#take(stream);
    const found = statSync(this.#path, { throwIfNoEntry: false });
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
      throw new ImportError(
        'unreadable',
        `${this.#path} is packed and cannot be followed: leave --follow out.`,
      );
    }
    const { plain } = content;
    const activeAt = this.#session.options.now();
    this.#streams.push({ content, plain, source: undefined, start: Buffer.alloc(0), activeAt });
  }

  async #take(stream: Stream): Promise<void> {
    const { options } = this.#session;
    if (this.#isReplaced(stream)) return this.#startAgain(stream);
    stream.source ??= await this.#begin(stream);
    if (!stream.source) return;
    for (;;) {
      const window = await stream.source.lines.next();
      // Lines of another log than the one that these were to follow.
      if (this.#isReplaced(stream)) return this.#startAgain(stream);
      if (!window) return;
      stream.activeAt = options.now();
      await this.#takeWindow(stream.source, window);
      // The rest is for the next time.
      if (options.signal.aborted) return;
    }
  }

  /** Once there is a whole line to tell the log and its format by. */
  async #begin(stream: Stream): Promise<Source | undefined> {
    const start = stream.plain.start(headBytes);
    if (!start.includes(10) && start.length < headBytes) return undefined;
    const source = await this.#openSource(await sample(stream.content), this.#path);
    // Less than what was counted of this log: until there is more, it is opened again and again.
    if (!source) this.#drop(stream);
    return source;
  }

  #drop(stream: Stream): void {
    stream.content.close();
    this.#streams = this.#streams.filter((other) => other !== stream);
  }

  async #openSource(start: Sample, name: string): Promise<Source | undefined> {
    if ('format' in this.#reader && this.#reader.format === 'auto') {
      const format = detectFormat(start.text);
      if (format) this.#reader = { format };
    }
    return this.#session.open(start, name, this.#reader);
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
    const log = stream.source?.log;
    this.#drop(stream);
    if (log?.hasRequests) await this.#takeCopy(log);
  }

  async #takeCopy(log: Log): Promise<void> {
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
    const source = start.head.length === 0 ? undefined : await this.#openSource(start, name);
    if (source) await this.#takeAll(source);
  }

  async #takeAll(source: Source): Promise<void> {
    const { importer, known, options } = this.#session;
    for (let window = await source.lines.next(); window; window = await source.lines.next()) {
      await this.#takeWindow(source, window);
      if (options.signal.aborted) return;
    }
    const rest = source.lines.rest();
    if (rest) await importer.takeRest(source, rest);
    if (source.log.hasRequests) known.name(source.log);
  }

  async #takeWindow(source: Source, window: Window): Promise<void> {
    const { importer, options } = this.#session;
    await importer.take(source, window);
    options.onProgress({ ...importer.progress(), done: 0, size: 0 });
  }

  async #end(stream: Stream): Promise<void> {
    if (stream.source) await this.#takeAll(stream.source);
    this.#drop(stream);
  }

  /** What rotation makes of the name: `access.log.1`, `access.log-20261121.gz`; the oldest first. */
  #rotated(): string[] {
    const folder = dirname(this.#path);
    const own = basename(this.#path);
    return readdirSync(folder)
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

/** Reads a rotated file. It may vanish meanwhile, or be one that is just being packed: another has the same in it. */
async function whileThere(path: string, read: (start: Sample) => Promise<void>): Promise<void> {
  const content = openIfThere(path);
  if (!content) return;
  try {
    await read(await sample(content));
  } catch (error) {
    if (!(error instanceof ImportError && error.code === 'unreadable')) throw error;
  } finally {
    content.close();
  }
}
