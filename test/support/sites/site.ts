import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SitePage {
  body: string | Buffer;
  headers?: OutgoingHttpHeaders;
  /** 200 by default. */
  status?: number;
}

type Answer = string | SitePage;
export type Pages = Record<string, Answer | ((req: IncomingMessage) => Answer | Promise<Answer>)>;

export interface Site {
  /** `http://localhost:…`, without a slash at the end. */
  url: string;
  port: number;
  /** Path and query of everything that was asked for, in order. */
  requests: string[];
  stop(): Promise<void>;
}

/** A web site of its own origin, by path; `*` answers for all other paths. */
export async function startSite(pages: Pages): Promise<Site> {
  const requests: string[] = [];
  const server = createServer(async (req, res) => {
    const url = req.url ?? '/';
    requests.push(url);
    const found = pages[url.split('?')[0] ?? ''] ?? (url === '/favicon.ico' ? '' : pages['*']);
    const page = typeof found === 'function' ? await found(req) : found;
    const { body, headers, status = 200 } = typeof page === 'object' ? page : { body: page };
    res.writeHead(page === undefined ? 404 : status, {
      'Content-Type': 'text/html; charset=utf-8',
      ...headers,
    });
    res.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
