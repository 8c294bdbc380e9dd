import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { overloaded } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { sendError } from '../error-response.ts';

/** Connections above the limit that are told so at once; further ones are closed without a word. */
const maxFarewells = 100;
const farewellMs = 2_000;
/** File descriptors for all else: the database, logs, git, connections to elsewhere. */
const otherFiles = 256;
const makeRoomMs = 1_000;
const tellMs = 60_000;

export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/**
 * Bounds the open connections. Whoever comes above the bound gets a 503, as the answer to its first request; those that
 * are open go on. Answers what has to be asked about each request: true where it was refused.
 */
export function limitConnections(
  server: Server,
  open: ReadonlySet<Socket>,
  { wanted, log }: { wanted: number; log: Log },
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const max = affordable(wanted, log);
  const refused = new Set<Socket>();
  const makeRoom = atMostEvery(makeRoomMs, () => closeAnswered(open));
  const tell = atMostEvery(tellMs, () =>
    log.warn(`${max} connections are open and further ones are refused: see HEADCOUNT_MAX_CONNECTIONS.`),
  );
  server.maxConnections = max + maxFarewells;
  server.on('drop', tell);
  server.on('connection', (socket: Socket) => {
    // Who waits for nothing makes room before anybody is refused.
    if (open.size > max * 0.9) makeRoom();
    if (open.size <= max) return;
    tell();
    refused.add(socket);
    const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      refused.delete(socket);
    });
  });
  return (req, res) => {
    if (refused.size === 0 || !refused.has(req.socket)) return false;
    res.setHeader('Connection', 'close');
    sendError(res, overloaded('Too many connections are open: nothing was accepted, try again.', 5));
    return true;
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

/** As many as there are file descriptors for: without one, nobody could be told anything. */
function affordable(wanted: number, log: Log): number {
  const files = maxOpenFiles();
  const most = Math.max(1, files - otherFiles - maxFarewells);
  if (wanted <= most) return wanted;
  log.warn(
    `The system allows this process ${files} open files, so that it takes ${most} connections at once and not ${wanted}: raise the limit ("ulimit -n", LimitNOFILE= of systemd) or lower HEADCOUNT_MAX_CONNECTIONS.`,
  );
  return most;
}

/** Node has raised the soft limit to the hard one. Systems other than Linux do not tell so easily. */
function maxOpenFiles(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
