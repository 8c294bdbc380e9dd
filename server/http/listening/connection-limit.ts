import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, overloaded } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type IsTrusted, isLocalAddress, networksOf, parseAddress } from '../../net/address.ts';
import { sendError } from '../error-response.ts';

/** Connections above the limit that get an error at once; further ones are closed without an answer. */
const maxFarewells = 100;
const farewellMs = 2_000;
/** File descriptors for all else: the database, logs, git, connections to elsewhere. */
const otherFiles = 256;
const makeRoomMs = 1_000;
const warnEveryMs = 60_000;

export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

interface Refusal {
  error: ApiError;
  warn: () => void;
}

export interface ConnectionBounds {
  wanted: number;
  /** From one network; null: a quarter of all, and as many as there are from private networks. */
  perNetwork: number | null;
  /** Proxies, whose connections are other people's. */
  isTrusted: IsTrusted;
  /** How long the head of a request, and a whole one, may take while connections are scarce. */
  timing: { scarceHeadMs: number; scarceRequestMs: number };
  log: Log;
}

/**
 * Bounds the open connections, of all and of each network. What comes above a bound gets a 503, as the answer to its first
 * request; connections that are open go on. While more than half are taken, requests have less time to arrive. Returns
 * a function to call for each request; it returns true where it refused the request.
 */
export function limitConnections(
  server: Server,
  open: ReadonlySet<Socket>,
  bounds: ConnectionBounds,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { wanted, timing, log } = bounds;
  const max = affordable(wanted, log);
  const networks = countNetworks(max, bounds);
  const refused = new Map<Socket, ApiError>();
  const makeRoom = atMostEvery(makeRoomMs, () => closeAnswered(open));
  const tooMany = refusal(
    log,
    'Too many connections are open. Nothing was stored; retry later.',
    () => `${max} connections are open; further ones are refused. HEADCOUNT_MAX_CONNECTIONS sets the limit.`,
  );
  const tooManyOfNetwork = refusal(
    log,
    'Too many connections from your network are open. Nothing was stored; retry later.',
    () =>
      `${networks.max} connections from one network are open; further ones from there are refused. HEADCOUNT_MAX_CONNECTIONS_PER_NETWORK sets the limit. If it is a proxy, add it to HEADCOUNT_TRUSTED_PROXIES.`,
  );
  const { headersTimeout, requestTimeout } = server;
  let admitted = 0;
  const count = (change: 1 | -1) => {
    admitted += change;
    const isScarce = admitted > max / 2;
    server.headersTimeout = isScarce ? timing.scarceHeadMs : headersTimeout;
    server.requestTimeout = isScarce ? timing.scarceRequestMs : requestTimeout;
  };
  server.maxConnections = max + maxFarewells;
  server.on('drop', tooMany.warn);
  server.on('connection', (socket: Socket) => {
    // What waits for nothing makes room before anybody is refused.
    if (admitted >= max * 0.9) makeRoom();
    const isFull = admitted >= max;
    if (!isFull && networks.add(socket)) {
      count(1);
      socket.once('close', () => count(-1));
      return;
    }
    const { error, warn } = isFull ? tooMany : tooManyOfNetwork;
    warn();
    if (refused.size >= maxFarewells) {
      socket.destroy();
      return;
    }
    refused.set(socket, error);
    const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      refused.delete(socket);
    });
  });
  return (req, res) => {
    const error = refused.size === 0 ? undefined : refused.get(req.socket);
    if (!error) return false;
    res.setHeader('Connection', 'close');
    sendError(res, error);
    return true;
  };
}

function refusal(log: Log, message: string, warning: () => string): Refusal {
  return { error: overloaded(message, 5), warn: atMostEvery(warnEveryMs, () => log.warn(warning())) };
}

/** Counts the open connections of each network. One customer may have a /48 of IPv6: that gets twice as many. */
function countNetworks(most: number, { perNetwork, isTrusted }: ConnectionBounds) {
  const max = perNetwork ?? Math.max(1, Math.floor(most / 4));
  const counts = new Map<string, number>();
  const add = (networks: string[], change: 1 | -1) => {
    for (const network of networks) {
      const count = (counts.get(network) ?? 0) + change;
      if (count > 0) counts.set(network, count);
      else counts.delete(network);
    }
  };
  return {
    max,
    /** False: its network has as many as it may have. */
    add(socket: Socket): boolean {
      const address = parseAddress(socket.remoteAddress ?? '');
      const isExempt =
        max === 0 ||
        address === undefined ||
        isTrusted(address) ||
        (perNetwork === null && isLocalAddress(address));
      if (isExempt) return true;
      const networks = networksOf(address);
      const isFull = networks.some((network, i) => (counts.get(network) ?? 0) >= (i === 0 ? max : max * 2));
      if (isFull) return false;
      add(networks, 1);
      socket.once('close', () => add(networks, -1));
      return true;
    },
  };
}

/** Those that were answered and ask for nothing now. Node's own way also closes those that have not asked yet. */
function closeAnswered(open: ReadonlySet<Socket>): void {
  for (const socket of open) {
    if (socket.bytesWritten > 0 && !Reflect.get(socket, '_httpMessage')) socket.destroy();
  }
}

function atMostEvery(ms: number, act: () => void): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - lastAt < ms) return;
    lastAt = now;
    act();
  };
}

/** As many as there are file descriptors for: without one, no answer could be sent. */
function affordable(wanted: number, log: Log): number {
  const files = maxOpenFiles();
  const most = Math.max(1, files - otherFiles - maxFarewells);
  if (wanted <= most) return wanted;
  log.warn(
    `The system allows this process ${files} open files, so that it takes ${most} connections at once and not ${wanted}: raise the limit ("ulimit -n", LimitNOFILE= of systemd) or lower HEADCOUNT_MAX_CONNECTIONS.`,
  );
  return most;
}

/** Node has raised the soft limit to the hard one. Systems other than Linux do not show it so easily. */
function maxOpenFiles(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Requests of a connection that may wait for the answers before them. */
const maxWaiting = 32;
/** For the answers that are due to be taken. */
const lastAnswersMs = 1_000;

const tooManyWaiting = `More than ${maxWaiting} requests are waiting on this connection. Read their responses before you send more.`;

/**
 * Bounds what a connection may ask for before it takes the answers. Node reads 64 KiB at once, and would answer all the
 * thousands of requests in them. Returns a function to call for each request, which is true where it was refused.
 */
export function limitPipelines(): (req: IncomingMessage, res: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: 1 | -1): number => {
    const count = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, count);
    return count;
  };
  return ({ socket }, res) => {
    // As nearly always: nothing waits before it.
    if (Reflect.get(socket, '_httpMessage') === res) return false;
    const count = add(socket, 1);
    if (count <= maxWaiting) {
      res.once('close', () => add(socket, -1));
      return false;
    }
    endAfterAnswers(socket, res);
    return true;
  };
}

/** What Node's parser hands its requests to. */
interface Parser {
  onIncoming: (req: IncomingMessage) => number;
}

function endAfterAnswers(socket: Socket, res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  sendError(res, overloaded(tooManyWaiting));
  // What else was sent is read, as closing with bytes unread would take the answers away, and is nothing to be kept.
  const parser = Reflect.get(socket, 'parser') as Parser | null;
  if (parser) parser.onIncoming = () => 0;
  const timer = setTimeout(() => socket.destroy(), lastAnswersMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
