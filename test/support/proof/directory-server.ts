import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttpsServer, type TestHttpsServer } from './https-server.ts';

export const directoryPath = '/.well-known/http-message-signatures-directory';
export const directoryType = 'application/http-message-signatures-directory+json';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestDirectoryServer extends TestHttpsServer {
  /** What a host answers when its key directory is asked for; nothing here: 404. */
  hosts: Record<string, Answer>;
}

/** Serves the key directories of alice.test, bob.test and localhost. */
export async function startDirectoryServer(): Promise<TestDirectoryServer> {
  const hosts: Record<string, Answer> = {};
  const server = await startHttpsServer(
    (request, response) => {
      const answer = hosts[request.headers.host?.replace(/:\d+$/, '') ?? ''];
      if (answer && request.url === directoryPath) answer(request, response);
      else response.writeHead(404).end();
    },
    ['alice.test', 'bob.test'],
  );
  return { ...server, hosts };
}

export function serveKeys(
  keys: readonly unknown[],
  headers: Record<string, string> = {},
  status = 200,
): Answer {
  return (_, response) =>
    response.writeHead(status, { 'content-type': directoryType, ...headers }).end(JSON.stringify({ keys }));
}

export function serveText(text: string, type = directoryType): Answer {
  return (_, response) => response.writeHead(200, { 'content-type': type }).end(text);
}
