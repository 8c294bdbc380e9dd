import express, { type Request, type Response } from 'express';
import { ApiError } from '../errors.ts';

/** Reads JSON of at most so many bytes. @throws ApiError `unsupported_type`, and what the parser of Express throws */
export function jsonReader(maxBytes: number): (req: Request, res: Response) => Promise<unknown> {
  const read = express.json({ limit: maxBytes, type: () => true });
  return async (req, res) => {
    if (!req.is('application/json')) {
      throw new ApiError(
        'unsupported_type',
        'The body must be JSON, sent with "Content-Type: application/json".',
      );
    }
    return new Promise((resolve, reject) => {
      read(req, res, (error?: unknown) => (error === undefined ? resolve(req.body) : reject(error)));
    });
  };
}
