import type { ServerResponse } from 'node:http';

export const alivePath = '/healthz';

/** The process is running; its dependencies are not checked. */
export function sendAlive(res: ServerResponse): void {
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end('{"status":"alive"}');
}
