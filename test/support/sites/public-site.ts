import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpsGetBytes, type HttpsGetBytes } from '../../../server/net/https-get.ts';
import { loopback, startHttpsServer } from '../proof/https-server.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface PublicSite {
  host: string;
  port: number;
  /** Reaches it at the usual address of its host. */
  get: HttpsGetBytes;
  /** What it answers by path; all else is a 404. */
  answers: Record<string, string | Buffer | Answer>;
  /** Paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

/** A site over TLS on this machine, which has the name of one on the internet, or several. */
export async function startPublicSite(
  host = 'docs.example.com',
  others: readonly string[] = [],
): Promise<PublicSite> {
  const answers: PublicSite['answers'] = {};
  const asked: string[] = [];
  const server = await startHttpsServer(
    (request, response) => {
      const path = request.url ?? '/';
      asked.push(path);
      const answer = answers[path];
      if (answer === undefined) response.writeHead(404).end('not here');
      else if (typeof answer === 'function') answer(request, response);
      else response.end(answer);
    },
    [host, ...others],
  );
  const get = createHttpsGetBytes(loopback(server.ca));
  return {
    host,
    port: server.port,
    get: (address, options) => {
      const url = new URL(address);
      url.port ||= String(server.port);
      return get(url.href, options);
    },
    answers,
    asked,
    close: () => server.close(),
  };
}
