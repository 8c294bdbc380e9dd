import type { IncomingMessage, ServerResponse } from 'node:http';
import { prepare } from './reporter.ts';

type Connect = typeof import('./types/express.d.ts').connect;

/** Express changes `url` on its way and keeps what was asked for here. Only Set-Cookie is a list, and no request has it. */
type Request = IncomingMessage & { originalUrl?: string; headers: Record<string, string> };

/** Headers given to `writeHead` alone are nowhere but in the text that was sent. */
type Sent = ServerResponse & { _header?: string };

export const connect: Connect = (options) => {
  const { report, flush } = prepare(options);
  const headcount = ((request: Request, response: Sent, next?: () => void) => {
    const { socket, method, originalUrl, url, headers } = request;
    // A socket that was closed has forgotten its peer; a Unix socket is this machine's.
    const peer = socket.remoteAddress ?? '127.0.0.1';
    const read = () => ({
      method: `${method}`,
      peer,
      url: `http${'encrypted' in socket ? 's' : ''}://${headers.host}${originalUrl ?? url}`,
      headers: new Map(Object.entries(headers)),
      status: response.statusCode,
      bytes: Number(/\ncontent-length: *(\d+)/i.exec(`${response._header}`)?.[1]),
      type: `${
        response.getHeader('content-type') ?? /\ncontent-type: *(.*)/i.exec(`${response._header}`)?.[1] ?? ''
      }`,
    });
    response.once('finish', () => report(read, () => options.filter?.(request, response)));
    next?.();
  }) as ReturnType<Connect>;
  headcount.flush = flush;
  return headcount;
};
