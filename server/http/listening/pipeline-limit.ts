import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { overloaded } from '../../errors.ts';
import { sendError } from '../error-response.ts';

/** Requests of a connection that may wait for the answers before them. */
const maxWaiting = 32;
/** For the answers that are due to be taken. */
const farewellMs = 1_000;

const refusal = `More than ${maxWaiting} requests are waiting on this connection. Read their responses before you send more.`;

/**
 * Bounds what a connection may ask for before it takes the answers. Node reads 64 KiB at once, and would answer all the
 * thousands of requests in them. Answers what has to be asked about each request: true where it was refused.
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
  sendError(res, overloaded(refusal));
  // What else was sent is read, as closing with bytes unread would take the answers away, and is nothing to be kept.
  const parser = Reflect.get(socket, 'parser') as Parser | null;
  if (parser) parser.onIncoming = () => 0;
  const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
