import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express from 'express';
import { Hono } from 'hono';
import type { ExpressHeadcount } from '../../../connect/types/express.d.ts';
import type { FetchHeadcount } from '../../../connect/types/fetch.d.ts';
import type { Options } from '../../../connect/types/options.d.ts';

const dist = join(import.meta.dirname, '..', '..', '..', 'dist', 'connect');

/** What is built and shipped, not its sources. */
export const { connect: connectFetch } = (await import(
  join(dist, 'fetch.js')
)) as typeof import('../../../connect/types/fetch.d.ts');
export const { connect: connectExpress } = (await import(
  join(dist, 'express.js')
)) as typeof import('../../../connect/types/express.d.ts');

// A process has one of them as a rule; a file of tests has many.
process.setMaxListeners(100);

interface SitePage {
  status?: number;
  type?: string;
  body: string;
}

/** By path; all others are not found. */
export type SitePages = Record<string, SitePage>;

export interface ConnectedSite {
  /** Without a slash at the end. */
  url: string;
  /** What the site wrote into its log about Headcount. */
  log: string[];
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const missing: SitePage = { status: 404, type: 'text/html', body: 'There is no such page.' };

function listening(server: Server, connected: { flush(): Promise<void> }, log: string[]): ConnectedSite {
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    log,
    flush: connected.flush,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function expressListener(pages: SitePages, headcount: ExpressHeadcount) {
  const app = express();
  app.use(headcount);
  const router = express.Router();
  router.use((req, res) => {
    const {
      status = 200,
      type = 'text/html',
      body,
    } = pages[`/${req.baseUrl}${req.path}`.slice(1)] ?? missing;
    res.status(status).type(type).send(body);
  });
  app.use(router);
  return app;
}

function plainListener(pages: SitePages, headcount: ExpressHeadcount): Parameters<typeof createServer>[1] {
  return (req, res) => {
    headcount(req, res);
    const { status = 200, type = 'text/html', body } = pages[req.url?.split('?')[0] ?? ''] ?? missing;
    res.writeHead(status, { 'Content-Type': type });
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

function honoApp(pages: SitePages, headcount: FetchHeadcount): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    headcount.report(c.req.raw, c.res, { address: getConnInfo(c).remote.address });
  });
  app.get('*', (c) => {
    const { status = 200, type = 'text/html', body } = pages[c.req.path] ?? missing;
    return new Response(body, { status, headers: { 'Content-Type': type } });
  });
  return app;
}

export const siteKinds = ['express', 'node:http', 'hono'] as const;

/** A real site, on a free port of this machine, that reports to Headcount. */
export async function startConnectedSite(
  kind: (typeof siteKinds)[number],
  pages: SitePages,
  options: Options,
): Promise<ConnectedSite> {
  const log: string[] = [];
  const all: Options = { log: (message) => log.push(message), ...options };
  if (kind === 'hono') {
    const headcount = connectFetch(all);
    const server = serve({
      fetch: honoApp(pages, headcount).fetch,
      hostname: '127.0.0.1',
      port: 0,
    }) as Server;
    if (!server.listening) await once(server, 'listening');
    return listening(server, headcount, log);
  }
  const headcount = connectExpress(all);
  const listener = kind === 'express' ? expressListener(pages, headcount) : plainListener(pages, headcount);
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return listening(server, headcount, log);
}

/** Forwards requests to a server, and drops its responses on demand. */
export async function startLossyProxy(
  target: string,
  losesAnswers: () => boolean,
): Promise<{ url: string; stop(): Promise<void> }> {
  const proxy = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const headers = Object.entries(req.headers as Record<string, string>).filter(
      ([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name),
    );
    const response = await fetch(target + req.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const text = await response.text();
    if (losesAnswers()) res.destroy();
    else res.writeHead(response.status).end(text);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** Accepts reports as Headcount would, and answers as set. */
export interface Receiver {
  url: string;
  batches: { project?: string; people: string; hits: Record<string, unknown>[] }[];
  /** The `Idempotency-Key` of each. */
  keys: unknown[];
  stop(): Promise<void>;
}

export async function startReceiver(
  answer: (batch: number) => number | 'never' | Promise<number> = () => 202,
  port = 0,
): Promise<Receiver> {
  const batches: Receiver['batches'] = [];
  const keys: Receiver['keys'] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    keys.push(req.headers['idempotency-key']);
    const status = await answer(batches.push(JSON.parse(Buffer.concat(chunks).toString())));
    if (status !== 'never') res.writeHead(status).end('{"error":"Try again later."}');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    keys,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
