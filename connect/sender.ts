import { timeoutMs } from './post.ts';

export interface SenderOptions {
  /** Sends a batch of hits, each as JSON, and answers what went wrong; an empty text if nothing did. */
  post: (hits: string[]) => Promise<string>;
  log: (message: string) => void;
}

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
 * A function and no class, as its private names pack better.
 */
export function createSender({ post, log }: SenderOptions): Sender {
  /** As JSON, the oldest first. */
  const waiting: string[] = [];
  let onTheWay: string[] = [];
  /** Characters of both. */
  let length = 0;
  let lost = 0;
  let failures = 0;
  /** Nothing is sent before: a batch is on its way, or the last one was not taken. */
  let pausedUntil = 0;
  let current: Promise<void> | undefined;

  const dropOldest = () => {
    for (; length > maxLength; lost++) length -= `${waiting.shift()}`.length;
  };

  /** Sends as long as there is a full batch; the first one need not be full. */
  const sendAll = async () => {
    do {
      const hits = waiting.splice(0, batchHits);
      onTheWay = hits;
      pausedUntil = Date.now() + timeoutMs + batchMs;
      const problem = await post(hits);
      onTheWay = [];
      if (problem) {
        waiting.unshift(...hits);
        dropOldest();
        const pauseMs = batchMs * 2 ** Math.min(failures, maxDoublings) * (1 - Math.random() / 4);
        pausedUntil = Date.now() + pauseMs;
        if (!failures++) log(`Headcount is unavailable, views wait: ${problem}`);
        return sendIn(pauseMs, pausedUntil);
      }
      pausedUntil = 0;
      length -= hits.join('').length;
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
    const timer: Timer | number = setTimeout(() => {
      if (pausedUntil === pause) pausedUntil = 0;
      send();
    }, ms);
    // Waiting hits do not keep a process alive: they are sent when it ends.
    (timer as Timer).unref?.();
  };

  /** Until this hit has been taken, with whichever batch. Other requests' promises may never settle: so it looks again. */
  const sent = async (hit: string) => {
    if (waiting.length >= batchHits) await send();
    for (let tries = 0; tries < maxTries && onTheWay.concat(waiting).includes(hit); tries++) {
      await new Promise((resolve) => setTimeout(resolve, batchMs));
      await send();
    }
  };

  const flush = async () => {
    await current;
    pausedUntil = 0;
    await send();
  };

  onEnd(flush, () => {
    if (waiting.length) log(`Headcount is unavailable, views lost: ${lost + waiting.length}`);
  });

  return {
    add(hit, waitUntil) {
      const text = JSON.stringify(hit);
      if (text.length > maxHitLength) return;
      length += text.length;
      waiting.push(text);
      dropOldest();
      if (waitUntil) waitUntil(sent(text));
      else if (waiting.length >= batchHits) send();
      else if (waiting.length === 1) sendIn(batchMs);
    },
    flush,
  };
}

/**
 * @param flush called when nothing else keeps the process alive
 * @param report called at the very end
 */
function onEnd(flush: () => void, report: () => void): void {
  const { process } = globalThis as { process?: Process };
  process?.once?.('beforeExit', flush);
  process?.once?.('exit', report);
}
