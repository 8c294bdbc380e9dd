import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ModelQuestion, type ScriptedAnswer, type ShapeName, shapes } from './model-shapes.ts';
import { type StreamEvent, streams, writeEvent } from './model-stream.ts';

/** What the server does with one request. */
export type ModelReply =
  | ScriptedAnswer
  | { status: number; headers?: Record<string, string>; body?: object | string }
  /** Never answers. */
  | { hang: true }
  /** Ends the connection, before the answer or in the middle of it. */
  | { drop: 'before' | 'middle' }
  /** An answer of the right shape with that much text. */
  | { bytes: number }
  | { answer: ScriptedAnswer; stream: StreamFault };

/**
 * What is the matter with a stream; `none`: the server answers in one piece instead; `ping`: it only says that it is at
 * work for as long as the answer would take, and then all at once; `no reason`: it does not say why the answer ends.
 */
type StreamFault = 'none' | 'no reason' | { pauseMs: number; ping?: boolean } | Interruption;

interface Interruption {
  /** How much of the answer comes before. */
  share: number;
  /** The connection is lost, the answer ends as if it were whole, nothing comes any more, or this event and the end. */
  next: 'drop' | 'end' | 'hang' | StreamEvent;
}

interface ModelRequest extends ModelQuestion {
  shape: ShapeName;
  path: string;
  isStreamed: boolean;
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
    await send(res, request, await script(request, requests.length - 1));
  }

  async function send(res: ServerResponse, request: ModelRequest, reply: ModelReply): Promise<void> {
    const { shape, body, isStreamed } = request;
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
    const scripted =
      'bytes' in reply ? { text: 'x'.repeat(reply.bytes) } : 'answer' in reply ? reply.answer : reply;
    const fault = 'stream' in reply ? reply.stream : undefined;
    const answer = shapes[shape].write(scripted, () => `id_${++ids}`);
    if (isStreamed && fault !== 'none') {
      const events = streams[shape](answer, body);
      if (fault === 'no reason') await stream(res, withoutReason(events));
      else await stream(res, events, fault);
    } else {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    }
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

async function stream(
  res: ServerResponse,
  events: StreamEvent[],
  fault?: Exclude<StreamFault, string>,
): Promise<void> {
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (fault && 'next' in fault) {
    const before = events.slice(0, Math.floor(events.length * fault.share));
    res.write(before.map(writeEvent).join(''));
    if (fault.next === 'drop') setTimeout(() => res.destroy(), 20);
    else if (fault.next === 'end') res.end();
    else if (fault.next !== 'hang') res.end(writeEvent(fault.next));
    return;
  }
  for (const event of events) {
    res.write(fault?.ping ? ': at work\n\n' : writeEvent(event));
    if (fault) await pause(fault.pauseMs);
  }
  res.end(fault?.ping ? events.map(writeEvent).join('') : '');
}

function withoutReason(events: readonly StreamEvent[]): StreamEvent[] {
  return JSON.parse(JSON.stringify(events), (key, value) => (key === 'finish_reason' ? null : value));
}

async function readRequest(req: IncomingMessage): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const path = req.url ?? '';
  const names = Object.keys(shapes) as ShapeName[];
  const shape = names.find((name) => shapes[name].path.test(path));
  if (req.method !== 'POST' || shape === undefined) return undefined;
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  const isStreamed = body.stream === true || path.includes(':streamGenerateContent?alt=sse');
  return { ...shapes[shape].read(body), shape, path, isStreamed, headers: req.headers, body };
}
