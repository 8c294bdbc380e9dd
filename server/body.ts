import type { IncomingMessage } from 'node:http';
import { ApiError } from './errors.ts';

/**
 * Reads a small body as text. The one route that every page view takes comes through here, before Express: its
 * own body parsers cost about as much as all the rest of a hit (bench/README.md).
 *
 * @throws ApiError `too_large`, or `invalid` where the client went away in the middle.
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const tooLarge = () =>
      reject(
        new ApiError('too_large', `The body must have at most ${maxBytes} bytes.`, {
          headers: { Connection: 'close' },
        }),
      );
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      tooLarge();
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else tooLarge();
    });
    req.on('end', () =>
      resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()),
    );
    req.on('error', () => reject(new ApiError('invalid', 'The body ended before it was complete.')));
  });
}
