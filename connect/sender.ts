import { type Post, timeoutMs } from './post.ts';

export type WaitUntil = (promise: Promise<unknown>) => void;

export interface Sender {
  /** @param waitUntil keeps the process alive until the hit is sent, where the platform has such a function */
  add(hit: object, waitUntil?: WaitUntil): void;
  /** Sends all that waits, now. What the server does not take goes on waiting. */
  flush(): Promise<void>;
}

/** A hit waits no longer than this for others, and for no more of them. */
const batchMs = 1000;
const batchHits = 100;
/** A batch on its way blocks others for no longer. */
const lockMs = timeoutMs + batchMs;
/** Characters; an honest request is never longer, and a batch stays below the 4 MB that the server takes. */
const maxHitLength = 16_000;
/** Of all that waits: some 15,000 hits. */
const maxLength = 8_000_000;
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
 * One function and no class: its private names pack better, and what is taken apart is packed into each of four files.
 */
export function createSender(post: Post, log: (message: string) => void): Sender {
  /** As JSON, the oldest first. */
  const waiting: string[] = [];
  /** Of the first so many; sent as they are, under one key, until the server has them: an answer may be lost. */
  let size = 0;
  let key: string;
  /** Characters of all that waits. */
  let length = 0;
  let lost = 0;
  let failures = 0;
  /** Nothing is sent before: a batch is on its way, or the last one was not taken. */
  let pausedUntil = 0;
  let current: Promise<void> | undefined;

  /** Sends as long as there is a full batch; the first one need not be full. */
  const sendAll = async () => {
    do {
      pausedUntil = Date.now() + lockMs;
      if (!size) {
        size = Math.min(batchHits, waiting.length);
        // Not every platform has `crypto`.
        key = `${Math.random()}${pausedUntil}`;
      }
      const sent = key;
      const problem = await post(waiting.slice(0, size), sent);
      // It took so long that it was sent again meanwhile, and taken.
      if (key !== sent) return;
      if (problem) {
        const pauseMs = batchMs * 2 ** Math.min(failures, maxDoublings) * (1 - Math.random() / 4);
        pausedUntil = Date.now() + pauseMs;
        if (!failures++) log(`Headcount is unavailable, views wait: ${problem}`);
        return sendIn(pauseMs, pausedUntil);
      }
      length -= waiting.splice(0, size).join('').length;
      size = pausedUntil = 0;
      if (failures) log(`Headcount is available again, views lost: ${lost}`);
      failures = lost = 0;
    } while (waiting.length >= batchHits);
    if (waiting.length) sendIn(batchMs);
  };

  const send = async () => {
    if (!waiting.length || Date.now() < pausedUntil) return;
    current = sendAll();
    await current;
  };

  /** @param pause ends by this, as clocks and timers do not agree to the millisecond */
  const sendIn = (ms: number, pause?: number) => {
    const trySending = () => {
      if (pausedUntil === pause) pausedUntil = 0;
      send();
    };
    // Waiting hits do not keep a process alive: they are sent when it ends.
    (setTimeout(trySending, ms) as Timer | number as Timer).unref?.();
  };

  /** Until this hit has been taken, with whichever batch. Other requests' promises may never settle: so it looks again. */
  const sent = async (hit: string) => {
    for (let tries = 0; tries < maxTries && waiting.includes(hit); tries++) {
      await new Promise((resolve) => setTimeout(resolve, batchMs));
      await send();
    }
  };

  const flush = async () => {
    await current;
    pausedUntil = 0;
    await send();
    // What came after a batch that was sent again.
    await send();
  };

  const { process } = globalThis as { process?: Process };
  // When nothing else keeps the process alive, and at the very end.
  process?.once?.('beforeExit', flush);
  process?.once?.('exit', () => {
    if (waiting.length) log(`Headcount is unavailable, views lost: ${lost + waiting.length}`);
  });

  return {
    add(hit, waitUntil) {
      const text = JSON.stringify(hit);
      if (text.length > maxHitLength) return;
      length += text.length;
      waiting.push(text);
      for (; length > maxLength; lost++) length -= `${waiting.splice(size, 1)}`.length;
      if (waiting.length >= batchHits) send();
      if (waitUntil) waitUntil(sent(text));
      else if (waiting.length === 1) sendIn(batchMs);
    },
    flush,
  };
}
