import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { createServer, ServerResponse } from '../../net/node-http.ts';
import { errorMessage, sendError } from '../error-response.ts';
import {
  type ConnectionBounds,
  limitConnections,
  limitPipelines,
  openConnections,
} from './connection-limit.ts';

/** Timeouts of a connection, in milliseconds. */
export interface HttpTiming {
  /** To send the head of a request, from the first moment on. */
  headMs: number;
  /** To send a whole request. */
  requestMs: number;
  /** The same while connections are scarce. */
  scarceHeadMs: number;
  scarceRequestMs: number;
  /** To send the next request after a response. */
  idleMs: number;
  /** To take in another piece of an answer. */
  stalledMs: number;
  /** To take in a whole file. */
  fileMs: number;
  /** For a repository to give the data that a response needs. */
  repositoryMs: number;
  /** How often connections are checked for late requests. */
  checkMs: number;
  /** A stopping server answers 503 on open connections until no request has come for this long. */
  farewellMs: number;
}

/** 4 MB within a minute are half a megabit; a file of 50,000 rows within five minutes are less. */
export const usualTiming: HttpTiming = {
  headMs: 20_000,
  requestMs: 60_000,
  scarceHeadMs: 5_000,
  scarceRequestMs: 10_000,
  idleMs: 5_000,
  stalledMs: 60_000,
  fileMs: 300_000,
  repositoryMs: 10_000,
  checkMs: 2_000,
  farewellMs: 100,
};

interface HttpServerOptions extends ConnectionBounds {
  timing: HttpTiming;
}

/** For the rest of the last request of a connection. */
const lingerMs = 1_000;

interface HttpServer {
  server: Server;
  /** The connections that are open. */
  open: ReadonlySet<Socket>;
}

/** HTTP with bounds, and with our error body also where Node answers by itself: broken, slow and too large requests. */
export function createHttpServer(listener: RequestListener, bounds: HttpServerOptions): HttpServer {
  const { timing } = bounds;
  const server = createServer({
    headersTimeout: timing.headMs,
    requestTimeout: timing.requestMs,
    keepAliveTimeout: timing.idleMs,
    connectionsCheckingInterval: timing.checkMs,
    // Looked at below, as Node's refusal has no body.
    requireHostHeader: false,
  });
  server.timeout = timing.stalledMs;
  const open = openConnections(server);
  const isRefused = limitConnections(server, open, bounds);
  const isTooEarly = limitPipelines();
  endStalledReaders(server, open, timing.stalledMs);
  server.on('request', (req, res) => {
    if (isTooEarly(req, res) || isRefused(req, res)) return;
    const error = hostError(req);
    if (error) {
      sendError(res, error);
      return;
    }
    if (req.headers.upgrade !== undefined) watchUpgrade(req, timing.headMs);
    listener(req, res);
  });
  server.on('checkExpectation', (_req, res) =>
    sendError(res, closing('unknown_expectation', 'Only "Expect: 100-continue" can be met here.')),
  );
  server.on('connect', (_req, socket) => refuse(socket, connectError()));
  server.on('clientError', (error, socket) => refuse(socket, errorOf(error)));
  return { server, open };
}

function closing(code: 'invalid' | 'unknown_expectation', message: string): ApiError {
  return new ApiError(code, message, { headers: { Connection: 'close' } });
}

function connectError(): ApiError {
  return new ApiError('method_not_allowed', 'CONNECT is not possible here: this server is not a proxy.', {
    headers: { Allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' },
  });
}

/** What Node's parser and its clock refuse, in our words. */
function errorOf({ code }: NodeJS.ErrnoException): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('head_too_large', 'The address and the header fields must have at most 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('too_large', 'The extensions of a chunk must have at most 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('too_slow', 'The request took too long to arrive. Send it again.');
    default:
      return new ApiError('invalid', 'The request is not valid HTTP.');
  }
}

/** A name, an address or nothing, and a port (RFC 9112, 3.2; RFC 3986, 3.2.2). */
const hostForm = /^(?:\[[\w.:%~-]+\]|[\w\-.~!$&'()*+,;=%]*)(?::\d*)?$/;

/** Two fields would mean one host to a proxy and another one here. `req.headers` shows only the first. */
function hostError({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): ApiError | undefined {
  const { host } = headers;
  if (host === undefined) {
    return httpVersionMinor > 0 ? closing('invalid', 'The request must have a Host field.') : undefined;
  }
  let fields = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') fields++;
  }
  if (fields > 1) return closing('invalid', 'The request must have one Host field only.');
  return hostForm.test(host) ? undefined : closing('invalid', 'The Host field must be a host and a port.');
}

/** Node's parser, as far as it is used here. */
interface Parser {
  incoming: (IncomingMessage & { upgrade?: boolean }) | null;
  /** What it has just read. */
  getCurrentBuffer: () => Uint8Array;
  [callback: string]: unknown;
}

/**
 * After an `Upgrade` field, which is ignored here, Node swallows errors such as a broken chunk and waits. What shows one is
 * that the parser has read less than it was given.
 */
function watchUpgrade(req: IncomingMessage, bodyMs: number): void {
  const { socket } = req;
  const timer = setTimeout(() => {
    if (!req.complete) refuse(socket, errorOf({ code: 'ERR_HTTP_REQUEST_TIMEOUT' } as NodeJS.ErrnoException));
  }, bodyMs).unref();
  socket.once('close', () => clearTimeout(timer));
  const parser = Reflect.get(socket, 'parser') as Parser | null;
  const [name, executed] =
    Object.entries(parser ?? {}).find(
      ([, value]) => typeof value === 'function' && value.name === 'bound onParserExecute',
    ) ?? [];
  // Of a connection that is watched already it has another name.
  if (!parser || name === undefined) return;
  parser[name] = (result: unknown) => {
    const isRefused =
      typeof result === 'number' && result !== parser.getCurrentBuffer().length && !parser.incoming?.upgrade;
    (executed as (result: unknown) => void)(result);
    if (!isRefused) return;
    parser[name] = executed;
    refuse(socket, errorOf({} as NodeJS.ErrnoException));
  };
}

/** Answers on the bare connection, after the answers to the requests that came before on it. */
function refuse(socket: Duplex, error: ApiError): void {
  const current = Reflect.get(socket, '_httpMessage') as unknown;
  if (!socket.writable) socket.destroy();
  else if (!(current instanceof ServerResponse)) end(socket, error);
  else if (current.req.complete) current.once('close', () => setImmediate(refuse, socket, error));
  else if (current.headersSent) socket.destroy();
  else end(socket, error);
}

/** Closing with bytes unread would take the answer away from the client. */
function end(socket: Duplex, error: ApiError): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(errorMessage(error));
}

/** What libuv knows of a connection, in bytes. */
interface Handle {
  /** Handed over by Node. */
  bytesWritten: number;
  /** The part of these that the system has not taken yet. */
  writeQueueSize: number;
}

/**
 * Ends connections whose client does not read responses. For Node's own timeout a connection on which something arrives
 * is alive: with a request a minute, whose answer waits behind the others, it would stay for hours.
 */
function endStalledReaders(server: Server, open: ReadonlySet<Socket>, stalledMs: number): void {
  let waiting = new Map<Socket, number>();
  const timer = setInterval(() => {
    const before = waiting;
    waiting = takenOfWaiting(open);
    for (const [socket, taken] of waiting) {
      if (before.get(socket) === taken) socket.destroy();
    }
  }, stalledMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** How much was taken so far on each connection that has more to give. */
function takenOfWaiting(open: ReadonlySet<Socket>): Map<Socket, number> {
  const waiting = new Map<Socket, number>();
  for (const socket of open) {
    const handle = Reflect.get(socket, '_handle') as Handle | null;
    if (handle && handle.writeQueueSize > 0) waiting.set(socket, handle.bytesWritten - handle.writeQueueSize);
  }
  return waiting;
}
