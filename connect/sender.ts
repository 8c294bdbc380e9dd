import { type Post, timeoutMs } from './post.ts';
import { batchHits, createQueue, enqueue, nextBatch, type Queue, takeOut } from './queue.ts';

export type WaitUntil = (promise: Promise<unknown>) => void;

export interface Sender {
  /** @param waitUntil keeps the process alive until the hit is sent, where the platform has such a function */
  add(hit: object, waitUntil?: WaitUntil): void;
  /** Sends all that waits, now. What the server does not take goes on waiting. */
  flush(): Promise<void>;
}

/** A hit waits no longer than this for others. */
const batchMs = 1000;
/** A batch on its way blocks others for no longer. */
const lockMs = timeoutMs + batchMs;
/** Of the pause after a failure: up to a minute. */
const maxDoublings = 6;
const maxTries = 10;

interface Process {
  once?(event: 'beforeExit' | 'exit', listener: () => void): void;
}

interface Timer {
  unref?(): void;
}

/**
 * Gathers hits and sends them to the server, one request at a time. In a worker timers and promises end with the request
 * in which they were made: so each hit looks after its own sending, and a batch on its way blocks others for a limited time.
 *
 * A function and no class, as its private names pack better.
 */
export function createSender(post: Post, log: (message: string) => void): Sender {
  const queue = createQueue();
  let failures = 0;
  /** Nothing is sent before: a batch is on its way, or the last one was not taken. */
  let pausedUntil = 0;
  let current: Promise<void> | undefined;

  /** Sends as long as there is a full batch; the first one need not be full. */
  const sendAll = async () => {
    do {
      pausedUntil = Date.now() + lockMs;
      const { hits, key } = nextBatch(queue);
      const problem = await post(hits, key);
      // It took so long that it was sent again meanwhile, and taken.
      if (key !== queue.key) return;
      if (problem) {
        const pauseMs = pauseAfter(failures);
        pausedUntil = Date.now() + pauseMs;
        if (!failures++) log(`Headcount is unavailable, views wait: ${problem}`);
        return sendIn(pauseMs, pausedUntil);
      }
      takeOut(queue);
      if (failures) log(`Headcount is available again, views lost: ${queue.lost}`);
      failures = pausedUntil = queue.lost = 0;
    } while (queue.waiting.length >= batchHits);
    if (queue.waiting.length) sendIn(batchMs);
  };

  const send = async () => {
    if (!queue.waiting.length || Date.now() < pausedUntil) return;
    current = sendAll();
    await current;
  };

  /** @param pause ends by this, as clocks and timers do not agree to the millisecond */
  const sendIn = (ms: number, pause?: number) =>
    later(ms, () => {
      if (pausedUntil === pause) pausedUntil = 0;
      send();
    });

  const flush = async () => {
    await current;
    pausedUntil = 0;
    await send();
    // What came after a batch that was sent again.
    await send();
  };

  atEnd(flush, queue, log);
  const add: Sender['add'] = (hit, waitUntil) => {
    const text = enqueue(queue, hit);
    if (!text) return;
    if (queue.waiting.length >= batchHits) send();
    if (waitUntil) waitUntil(untilTaken(text, queue, send));
    else if (queue.waiting.length === 1) sendIn(batchMs);
  };
  return { add, flush };
}

/** Doubled with each failure, and a little apart from that of other processes. */
function pauseAfter(failures: number): number {
  return batchMs * 2 ** Math.min(failures, maxDoublings) * (1 - Math.random() / 4);
}

/** Waiting hits do not keep a process alive: they are sent when it ends. */
function later(ms: number, action: () => void): void {
  (setTimeout(action, ms) as Timer | number as Timer).unref?.();
}

/** When nothing else keeps the process alive, and at the very end. */
function atEnd(flush: () => Promise<void>, queue: Queue, log: (message: string) => void): void {
  const { process } = globalThis as { process?: Process };
  process?.once?.('beforeExit', flush);
  process?.once?.('exit', () => {
    const { waiting, lost } = queue;
    if (waiting.length) log(`Headcount is unavailable, views lost: ${lost + waiting.length}`);
  });
}

/** With whichever batch it is taken. Other requests' promises may never settle: so it looks again. */
async function untilTaken(hit: string, { waiting }: Queue, send: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < maxTries && waiting.includes(hit); tries++) {
    await new Promise((resolve) => setTimeout(resolve, batchMs));
    await send();
  }
}
