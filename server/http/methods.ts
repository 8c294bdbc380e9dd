import type { RequestHandler } from 'express';
import { ApiError } from '../errors.ts';

/** Refuses what a known path does not offer. @throws ApiError `method_not_allowed` */
export function onlyMethods(...allowed: string[]): RequestHandler {
  const allow = allowed.join(', ');
  return (req) => {
    throw new ApiError('method_not_allowed', `${req.method} is not possible here, only ${allow}.`, {
      headers: { Allow: allow },
    });
  };
}
