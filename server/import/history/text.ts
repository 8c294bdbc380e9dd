import { type ExportedFile, unreadable } from './exported-files.ts';

/** By its byte order mark, or by the zero bytes of Latin letters (The Unicode Standard, 23.8). */
function encodingOf(start: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (start.length >= 4 && first !== 0 && second === 0 && start[2] !== 0 && start[3] === 0) return 'utf-16le';
  return start.length >= 4 && first === 0 && second !== 0 && start[2] === 0 && start[3] !== 0
    ? 'utf-16be'
    : 'utf-8';
}

/** The text of a file, piece by piece, without a byte order mark. @throws ImportError */
export async function* readText({ name, open }: Pick<ExportedFile, 'name' | 'open'>): AsyncGenerator<string> {
  const stream = await open();
  let decoder: TextDecoder | undefined;
  let start = Buffer.alloc(0);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      if (decoder) {
        yield decoder.decode(piece, { stream: true });
        continue;
      }
      start = Buffer.concat([start, piece]);
      if (start.length < 4) continue;
      decoder = new TextDecoder(encodingOf(start));
      yield decoder.decode(start, { stream: true });
    }
    yield decoder ? decoder.decode() : new TextDecoder(encodingOf(start)).decode(start);
  } catch (error) {
    throw unreadable(name, (error as Error).message, error);
  } finally {
    stream.destroy();
  }
}

const startLength = 1 << 16;

/** The beginning of a file, which shows its kind. */
export async function readStart(file: Pick<ExportedFile, 'name' | 'open'>): Promise<string> {
  let text = '';
  for await (const piece of readText(file)) {
    text += piece;
    if (text.length >= startLength) break;
  }
  return text.slice(0, startLength);
}
