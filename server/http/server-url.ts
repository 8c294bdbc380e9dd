import type { Request } from 'express';
import type { Context } from '../context.ts';

/** Where browsers reach this server, without a slash at the end; port 0 asked for any free one. */
export function serverUrl({ config }: Context, req: Request): string {
  return config.baseUrl.replace(/:0$/, `:${req.socket.localPort}`);
}
