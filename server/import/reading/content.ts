import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { readTrouble } from '../../files/file-trouble.ts';
import { ImportError } from '../import-error.ts';

/** The content of a log, unpacked, from its beginning on. */
export interface Content {
  /** Reads what is there next; 0: nothing more, at least now. @throws ImportError */
  read(into: Buffer, offset: number): number | Promise<number>;
  /** Leaves out so many bytes. Answers how many there were to leave out. */
  skip(bytes: number): number | Promise<number>;
  /** Of the file as it lies on disk: how much is read, and how much there is; 0: not known. */
  progress(): { done: number; size: number };
  /** A file that is not packed, which can be read as it is written. */
  readonly plain?: PlainFile;
  close(): void;
}

export interface PlainFile {
  /** The same for the same file, whatever its name. */
  identity: string;
  size(): number;
  /** Its first bytes as they are now. */
  start(length: number): Buffer;
}

const readAtOnce = 1 << 17;

/** Reads the beginning, and answers it with a content that begins there all the same. */
export async function peek(content: Content, bytes: number): Promise<{ head: Buffer; content: Content }> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let length = 0;
  while (length < bytes) {
    const more = await content.read(buffer, length);
    if (more === 0) break;
    length += more;
  }
  const head = buffer.subarray(0, length);
  let rest = head;
  const whole: Content = {
    ...content,
    read(into, offset) {
      if (rest.length === 0) return content.read(into, offset);
      const copied = rest.copy(into, offset);
      rest = rest.subarray(copied);
      return copied;
    },
    async skip(count) {
      const fromHead = Math.min(count, rest.length);
      rest = rest.subarray(fromHead);
      return fromHead === count ? count : fromHead + (await content.skip(count - fromHead));
    },
  };
  return { head, content: whole };
}

/** What the name on the command line stands for, in error messages. */
export const standardInput = '-';

/** In words, where the system does not let it be read. */
export function unreadable(name: string, error: Error): ImportError {
  return new ImportError('unreadable', `${name} cannot be read: ${readTrouble(error)}.`, { cause: error });
}

type Packing = 'gzip' | 'zstd' | 'none';

/** By its first bytes (RFC 1952, RFC 8878), as names say anything. */
function packingOf(start: Buffer): Packing {
  if (start.length >= 2 && start.readUInt16BE(0) === 0x1f8b) return 'gzip';
  if (start.length >= 4 && start.readUInt32LE(0) === 0xfd2fb528) return 'zstd';
  return 'none';
}

/** Opens a log file. @throws ImportError */
export function openFile(path: string): Content {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error as Error);
  }
  try {
    if (fstatSync(file).isFIFO()) throw new Error('it is a pipe. Give - to read standard input');
    const start = Buffer.alloc(4);
    const packing = packingOf(start.subarray(0, readSync(file, start, 0, 4, 0)));
    return packing === 'none' ? plainContent(file, path) : packedContent(file, path, packing);
  } catch (error) {
    closeSync(file);
    throw unreadable(path, error as Error);
  }
}

export function identityOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev} ${ino}`;
}

function plainContent(file: number, path: string): Content {
  let position = 0;
  return {
    read(into, offset) {
      try {
        const length = readSync(file, into, offset, Math.min(into.length - offset, readAtOnce), position);
        position += length;
        return length;
      } catch (error) {
        throw unreadable(path, error as Error);
      }
    },
    skip(bytes) {
      const skipped = Math.min(bytes, Math.max(0, fstatSync(file).size - position));
      position += skipped;
      return skipped;
    },
    progress: () => ({ done: position, size: fstatSync(file).size }),
    plain: {
      identity: identityOf(fstatSync(file)),
      size: () => fstatSync(file).size,
      start: (length) => {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
      },
    },
    close: () => closeSync(file),
  };
}

function packedContent(file: number, path: string, packing: Exclude<Packing, 'none'>): Content {
  const { size } = fstatSync(file);
  let done = 0;
  let isClosed = false;
  function* pieces(): Iterable<Buffer> {
    while (!isClosed) {
      const piece = Buffer.allocUnsafe(readAtOnce);
      const length = readSync(file, piece, 0, piece.length, done);
      if (length === 0) return;
      done += length;
      yield piece.subarray(0, length);
    }
  }
  const stream = unpack(Readable.from(pieces()), packing);
  return {
    ...streamContent(stream, path),
    progress: () => ({ done, size }),
    close: () => {
      isClosed = true;
      stream.destroy();
      closeSync(file);
    },
  };
}

function unpack(packed: Readable, packing: Exclude<Packing, 'none'>): Readable {
  const options = { chunkSize: readAtOnce };
  const unpacking = packing === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  packed.on('error', (error) => unpacking.destroy(error));
  return packed.pipe(unpacking);
}

/** Standard input, or anything else that can be read only once. */
export async function openStream(stream: Readable, name: string): Promise<Content> {
  const start: Buffer[] = [];
  const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  while (Buffer.concat(start).length < 4) {
    const { value, done } = await source.next();
    if (done) break;
    start.push(value);
  }
  const packing = packingOf(Buffer.concat(start));
  async function* again(): AsyncIterable<Buffer> {
    yield* start;
    for (;;) {
      const { value, done } = await source.next();
      if (done) return;
      yield value;
    }
  }
  const whole = Readable.from(again());
  return streamContent(packing === 'none' ? whole : unpack(whole, packing), name);
}

function streamContent(stream: Readable, name: string): Content {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  const next = async (): Promise<boolean> => {
    if (rest.length > 0) return true;
    try {
      const { value, done } = await pieces.next();
      if (done) return false;
      rest = value;
      return true;
    } catch (error) {
      throw unreadable(name, error as Error);
    }
  };
  return {
    async read(into, offset) {
      if (!(await next())) return 0;
      const length = rest.copy(into, offset);
      rest = rest.subarray(length);
      return length;
    },
    async skip(bytes) {
      let skipped = 0;
      while (skipped < bytes && (await next())) {
        const length = Math.min(bytes - skipped, rest.length);
        rest = rest.subarray(length);
        skipped += length;
      }
      return skipped;
    },
    progress: () => ({ done: 0, size: 0 }),
    close: () => stream.destroy(),
  };
}
