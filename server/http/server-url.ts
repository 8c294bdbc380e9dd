import type { Request } from 'express';
import { withPort } from '../config/own-address.ts';
import type { Context } from '../context.ts';

/** Where browsers reach this server, without a slash at the end. */
export function serverUrl({ config }: Context, req: Request): string {
  return withPort(config.baseUrl, req.socket.localPort);
}
