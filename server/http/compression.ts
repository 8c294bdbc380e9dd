import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest that the client accepts. Browsers list gzip first, which is no preference; Express would take it. */
export function bestEncoding({ headers }: IncomingMessage): Encoding {
  const weights = readWeights(String(headers['accept-encoding'] ?? ''));
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  return (['br', 'gzip'] as const).find((encoding) => weightOf(encoding) > 0) ?? 'identity';
}

/** By encoding: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
function readWeights(field: string): Map<string, number> {
  const wishes = field.toLowerCase().split(',');
  return new Map(
    wishes.map((wish) => {
      const [encoding = '', ...parameters] = wish.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [encoding, weight === undefined ? 1 : Number(weight)];
    }),
  );
}

/** What was compressed, by encoding and digest: once for all servers of a process. */
const compressed = new Map<string, Promise<Buffer>>();

/** A file in memory, compressed at its first use. */
export class CompressedFile {
  readonly #type: string;
  readonly #plain: Buffer;
  readonly #digest: string;

  constructor(type: string, plain: Buffer) {
    this.#type = type;
    this.#plain = plain;
    this.#digest = hash('sha256', plain);
  }

  async send(req: Request, res: Response): Promise<void> {
    const encoding = bestEncoding(req);
    res.vary('Accept-Encoding').type(this.#type);
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    // Express makes an ETag of what it sends, and answers 304 where the browser has it.
    res.send(await this.#encode(encoding));
  }

  #encode(encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${this.#digest}`;
    const encoded = compressed.get(key) ?? compress(this.#plain, encoding);
    compressed.set(key, encoded);
    return encoded;
  }
}

async function compress(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'br') return promisify(brotliCompress)(plain);
  return encoding === 'gzip' ? promisify(gzip)(plain) : plain;
}

/** A smaller body goes in one packet with its head anyway. */
const minPackedBytes = 1000;

/** Packs a body as fast as it is sent: three times faster than the smallest, and a tenth larger. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

/** What was asked for, as JSON. No answer to GET has a secret in it that somebody else could measure by its length. */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  res.type('json');
  if (req.method !== 'GET' || text.length < minPackedBytes) return void res.send(text);
  const encoding = bestEncoding(req);
  res.vary('Accept-Encoding');
  if (encoding === 'identity') return void res.send(text);
  const packed = encoding === 'br' ? promisify(brotliCompress)(text, quick) : promisify(gzip)(text);
  res.set('Content-Encoding', encoding).send(await packed);
}
