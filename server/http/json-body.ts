import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../errors.ts';
import { boundJson } from '../text/bounded-json.ts';
import { toText, whenTooLarge } from './body.ts';
import { parseJson } from './parse.ts';

/**
 * Reads JSON of at most so many bytes, packed or not. Undefined: the body is empty.
 *
 * @throws ApiError `unsupported_type`, `invalid`, and what the parser of Express throws
 */
export function jsonReader(maxBytes: number): (req: Request, res: Response) => Promise<unknown> {
  let read: RequestHandler | undefined;
  return async (req, res) => {
    requireJson(req);
    // Commands know what an operation takes, and read no request.
    read ??= (await import('express')).default.raw({ limit: maxBytes, type: () => true });
    const bytes = await new Promise<Buffer | undefined>((resolve, reject) => {
      // The parser of Express reads all of a body that is too large before it says so.
      whenTooLarge(req, maxBytes, reject);
      read?.(req, res, (error?: unknown) => (error === undefined ? resolve(req.body) : reject(error)));
    });
    if (bytes === undefined || bytes.length === 0) return undefined;
    const text = toText(bytes);
    if (text instanceof ApiError) throw text;
    await boundJson(text).catch(tooComplex);
    return parseJson(text);
  };
}

function tooComplex(error: Error): never {
  throw new ApiError('invalid', `The body cannot be read: ${error.message.replace(/^It/, 'it')}`);
}

function requireJson(req: Request): void {
  if (!req.is('application/json')) {
    throw new ApiError(
      'unsupported_type',
      'The body must be JSON, sent with "Content-Type: application/json".',
    );
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(req.get('content-type') ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ApiError('unsupported_type', 'The body must be JSON in UTF-8.');
  }
}
