import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { HttpsGetSettings } from '../../../server/net/https-get.ts';
import { makeCertificate } from '../certificate.ts';

export interface TestHttpsServer {
  /** `localhost:<port>`; any other of the names works with the same port. */
  host: string;
  port: number;
  /** The certificate authority (PEM) that a client must trust. */
  ca: string;
  /** What was asked for, as `<host> <path>`. */
  asked: string[];
  /** Connections, also those over which nothing was asked. */
  connections: () => number;
  close(): Promise<void>;
}

/** A real server over TLS on loopback whose certificate is good for localhost and these names. */
export async function startHttpsServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  names: readonly string[] = [],
): Promise<TestHttpsServer> {
  const { key, cert } = await makeCertificate(['localhost', ...names]);
  const asked: string[] = [];
  let connections = 0;
  const server = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `localhost:${port}`,
    port,
    ca: cert,
    asked,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Settings with which all names lead to this machine, which may be reached: for tests only. */
export const loopback = (ca: string): HttpsGetSettings => ({
  reach: 'any',
  ca,
  resolver: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] },
});
