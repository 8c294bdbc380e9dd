import express, { type RequestHandler } from 'express';
import { ApiError } from '../errors.ts';

/** Reads JSON of at most so many bytes into `req.body`. @throws ApiError `unsupported_type` */
export function jsonBody(maxBytes: number): [RequestHandler, RequestHandler] {
  return [requireJson, express.json({ limit: maxBytes, type: () => true })];
}

const requireJson: RequestHandler = (req, _res, next) => {
  if (!req.is('application/json')) {
    throw new ApiError(
      'unsupported_type',
      'The body must be JSON, sent with "Content-Type: application/json".',
    );
  }
  next();
};
