import { Agent, request } from 'node:http';
import { chromeUserAgent } from '../headcount.ts';

export interface Load {
  /** Paths whose hit was answered with this status; 0: no whole answer came. Without those that reached no server. */
  answers: Map<number, string[]>;
  /** Who asked for each path. */
  addresses: Map<string, string>;
  /** Stops sending; resolves when every request has its answer or its end. */
  stop(): Promise<void>;
}

/** Connections that send one hit after the other, each to a path of its own. */
export function sendLoad(url: string, projectId: string, connections: number, prefix: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = new Map<number, string[]>();
  const addresses = new Map<string, string>();
  let isStopped = false;
  let lastId = 0;
  const sendOne = (path: string, isFirst: boolean) =>
    new Promise<number | undefined>((resolve) => {
      const body = JSON.stringify({ p: projectId, u: `https://example.com${path}` });
      // From many networks, as one may not bring in so many paths that are new.
      const address = `203.0.${lastId % 250}.7`;
      addresses.set(path, address);
      const headers = {
        'user-agent': chromeUserAgent,
        'content-length': body.length,
        'x-forwarded-for': address,
      };
      const sending = request(`${url}/v1/hit`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
        response.on('error', () => resolve(0));
      });
      // A server may close a connection on which it waits for a request, while one is on its way. One that closed it ends: the
      // next connection may be taken by the machine alone, which resets it when nobody listens any more.
      const mayReachNobody = () => sending.reusedSocket || !isFirst;
      sending.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code === 'ECONNREFUSED' || mayReachNobody() ? undefined : 0),
      );
      sending.end(body);
    });
  const loop = async () => {
    for (let sent = 0; !isStopped; sent++) {
      const path = `/${prefix}-${++lastId}`;
      const status = await sendOne(path, sent === 0);
      if (status === undefined) return;
      answers.set(status, [...(answers.get(status) ?? []), path]);
      if (status !== 202) return;
    }
  };
  const loops = Array.from({ length: connections }, loop);
  return {
    answers,
    addresses,
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}
