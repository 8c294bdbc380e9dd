import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelQuestion, type ScriptedAnswer, type ShapeName, shapes } from './model-shapes.ts';

/** What the server does with one request. */
export type ModelReply =
  | ScriptedAnswer
  | { status: number; headers?: Record<string, string>; body?: object | string }
  /** Never answers. */
  | { hang: true }
  /** Ends the connection, before the answer or in the middle of it. */
  | { drop: 'before' | 'middle' }
  /** An answer of the right shape with that much text. */
  | { bytes: number };

interface ModelRequest extends ModelQuestion {
  shape: ShapeName;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export type Script = (request: ModelRequest, index: number) => ModelReply | Promise<ModelReply>;

export interface ModelServer {
  /** With no path, so that each provider's own can be added. */
  url: string;
  requests: ModelRequest[];
  close: () => Promise<void>;
}

/** One reply after the other; what comes after the last is rejected, so that a test sees it. */
export function inOrder(...replies: ModelReply[]): Script {
  return (_request, index) =>
    replies[index] ?? { status: 400, body: { error: { message: 'The script is over.' } } };
}

/** A model that says what a script says, behind the HTTP APIs of OpenAI (both), Anthropic and Google. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let ids = 0;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await readRequest(req);
    if (request === undefined) {
      res
        .writeHead(404, { 'Content-Type': 'application/json' })
        .end('{"error":{"message":"No such route."}}');
      return;
    }
    requests.push(request);
    send(res, request.shape, await script(request, requests.length - 1));
  }

  function send(res: ServerResponse, shape: ShapeName, reply: ModelReply): void {
    if ('hang' in reply) return;
    if ('status' in reply) {
      const { status, headers, body = { error: { message: `Scripted status ${status}.` } } } = reply;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
      return;
    }
    if ('drop' in reply) {
      if (reply.drop === 'middle') res.writeHead(200, { 'Content-Length': 1_000 }).write('{"id":');
      setTimeout(() => res.destroy(), 20);
      return;
    }
    const scripted = 'bytes' in reply ? { text: 'x'.repeat(reply.bytes) } : reply;
    const text = JSON.stringify(shapes[shape].write(scripted, () => `id_${++ids}`));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
  }

  const server = createServer((req, res) => {
    res.on('error', () => {});
    answer(req, res).catch((error: Error) => res.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(req: IncomingMessage): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const path = req.url ?? '';
  const names = Object.keys(shapes) as ShapeName[];
  const shape = names.find((name) => shapes[name].path.test(path));
  if (req.method !== 'POST' || shape === undefined) return undefined;
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  return { ...shapes[shape].read(body), shape, path, headers: req.headers, body };
}
