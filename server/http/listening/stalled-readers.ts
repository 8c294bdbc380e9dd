import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What libuv knows of a connection, in bytes. */
interface Handle {
  /** Handed over by Node. */
  bytesWritten: number;
  /** Of these, what the system has not taken yet. */
  writeQueueSize: number;
}

/**
 * Ends connections of which nobody takes in answers. For Node's own timeout a connection on which something arrives is
 * alive: with a request a minute, whose answer waits behind the others, it would stay for hours.
 */
export function endStalledReaders(server: Server, open: ReadonlySet<Socket>, stalledMs: number): void {
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
