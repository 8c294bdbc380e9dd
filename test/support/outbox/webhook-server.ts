import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookServer {
  url: string;
  calls: ReceivedCall[];
  /** What it answers from now on. */
  answer: { status: number; headers?: Record<string, string> };
  stop(): Promise<void>;
}

/** A real webhook server on loopback, which keeps the requests. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(running.answer.status, running.answer.headers).end('thanks');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const running: WebhookServer = {
    url: `http://127.0.0.1:${port}/hook/s3cret-in-the-path`,
    calls,
    answer: { status: 200 },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}
