import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Duplex, Readable } from 'node:stream';
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

/** What the name on the command line refers to, in error messages. */
export const standardInput = '-';

/** In words, where the system does not let it be read. */
export function unreadable(name: string, error: Error): ImportError {
  return new ImportError('unreadable', `${name} cannot be read: ${readTrouble(error)}.`, { cause: error });
}

type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'utf-16le' | 'utf-16be';

/** By their first bytes, as names say anything (RFC 1952, RFC 8878, the xz file format, the byte order mark of Unicode). */
const packings: readonly [Buffer, Packing][] = [
  [Buffer.from([0x1f, 0x8b]), 'gzip'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'],
  [Buffer.from('BZh'), 'bzip2'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), 'xz'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];
const startBytes = 6;

const otherPackings: readonly [Buffer, string][] = [
  [Buffer.from([0x50, 0x4b, 0x03, 0x04]), 'a zip archive'],
  [Buffer.from([0x1f, 0x9d]), 'packed with compress'],
  [Buffer.from([0x04, 0x22, 0x4d, 0x18]), 'packed with lz4'],
  [Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), 'a 7z archive'],
];

/** Undefined: it is not packed. @throws Error where nothing here can unpack it */
function packingOf(start: Buffer): Packing | undefined {
  const beginsWith = ([magic]: readonly [Buffer, string]) => start.subarray(0, magic.length).equals(magic);
  const other = otherPackings.find(beginsWith);
  if (other) throw new Error(`it is ${other[1]}: unpack it first`);
  return packings.find(beginsWith)?.[1];
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
    const start = Buffer.alloc(startBytes);
    const packing = packingOf(start.subarray(0, readSync(file, start, 0, startBytes, 0)));
    return packing === undefined ? plainContent(file, path) : packedContent(file, path, packing);
  } catch (error) {
    closeSync(file);
    throw unreadable(path, error as Error);
  }
}

export function identityOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev} ${ino}`;
}

/** Where a log was cut off while its server went on at the old place, there is a hole before its first line. */
function startOf(file: number): number {
  const piece = Buffer.allocUnsafe(readAtOnce);
  for (let at = 0; ; ) {
    const length = readSync(file, piece, 0, piece.length, at);
    const first = piece.subarray(0, length).findIndex((byte) => byte !== 0);
    if (first >= 0 || length === 0) return at + Math.max(first, 0);
    at += length;
  }
}

function plainContent(file: number, path: string): Content {
  const first = startOf(file);
  let position = first;
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
        return bytes.subarray(0, readSync(file, bytes, 0, length, first));
      },
    },
    close: () => closeSync(file),
  };
}

function packedContent(file: number, path: string, packing: Packing): Content {
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

function unpack(packed: Readable, packing: Packing): Readable {
  switch (packing) {
    case 'gzip':
      return through(packed, createGunzip({ chunkSize: readAtOnce }));
    case 'zstd':
      return through(packed, createZstdDecompress({ chunkSize: readAtOnce }));
    case 'bzip2':
    case 'xz':
      return unpackBy(packing, packed);
    case 'utf-16le':
    case 'utf-16be':
      return Readable.from(toUtf8(packed, packing));
    default:
      return packing satisfies never;
  }
}

function through(packed: Readable, unpacking: Duplex): Readable {
  packed.on('error', (error) => unpacking.destroy(error));
  return packed.pipe(unpacking);
}

async function* toUtf8(pieces: AsyncIterable<Buffer>, encoding: string): AsyncIterable<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of pieces) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Enough for what `xz -9` packs. */
const xzMemory = '--memlimit-decompress=256MiB';

/** By the program of this name, which most machines have. */
function unpackBy(program: 'bzip2' | 'xz', packed: Readable): Readable {
  const { PATH } = process.env;
  const child = spawn(program, ['-dc'], {
    env: { ...(PATH !== undefined && { PATH }), XZ_DEFAULTS: xzMemory },
  });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    if (said.length < 200) said += text.toString().slice(0, 200);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              `it is packed with ${program}, which is not installed: install ${program}, or unpack it first`,
            )
          : error,
      ),
    );
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${program} has failed: ${said.trim() || `exit code ${code}`}`)),
    );
  });
  // Reported where it is read.
  ended.catch(() => undefined);
  // The program may have ended before.
  child.stdin.on('error', () => undefined);
  packed.on('error', () => child.kill());
  packed.pipe(child.stdin);
  async function* unpacked(): AsyncIterable<Buffer> {
    yield* child.stdout as AsyncIterable<Buffer>;
    await ended;
  }
  return Readable.from(unpacked()).on('close', () => child.kill());
}

/** Standard input, or anything else that can be read only once. */
export async function openStream(stream: Readable, name: string): Promise<Content> {
  const start: Buffer[] = [];
  const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  while (Buffer.concat(start).length < startBytes) {
    const { value, done } = await source.next();
    if (done) break;
    start.push(value);
  }
  const packing = packingOfStream(Buffer.concat(start), name);
  async function* again(): AsyncIterable<Buffer> {
    yield* start;
    for (;;) {
      const { value, done } = await source.next();
      if (done) return;
      yield value;
    }
  }
  const whole = Readable.from(again());
  return streamContent(packing === undefined ? whole : unpack(whole, packing), name);
}

function packingOfStream(start: Buffer, name: string): Packing | undefined {
  try {
    return packingOf(start);
  } catch (error) {
    throw unreadable(name, error as Error);
  }
}

/** What comes as a stream. @param name for messages */
export function streamContent(stream: Readable, name: string): Content {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  let isAtStart = true;
  const next = async (): Promise<boolean> => {
    try {
      while (rest.length === 0) {
        const { value, done } = await pieces.next();
        if (done) return false;
        // As in a plain file, a hole is no part of the log.
        const first = isAtStart ? value.findIndex((byte) => byte !== 0) : 0;
        rest = first < 0 ? rest : value.subarray(first);
        isAtStart &&= first < 0;
      }
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
