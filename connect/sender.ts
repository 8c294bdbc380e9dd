export interface SenderOptions {
  /** Address of the Headcount server. */
  server: string;
  key: string;
  /** Of the batches, beside their hits. */
  batch: { project: string | undefined; people: 'skip' | 'count'; trustedProxies: string };
  log: (message: string) => void;
}

export type WaitUntil = (promise: Promise<unknown>) => void;

export interface Sender {
  /** @param waitUntil keeps the process alive until the hit is sent, where something does */
  add(hit: object, waitUntil?: WaitUntil): void;
  /** Sends all that waits, now. What the server does not take goes on waiting. */
  flush(): Promise<void>;
}

/** A hit waits no longer than this for company, and for no more of it. */
const batchMs = 1000;
const batchHits = 100;
/** Characters; nobody's honest request is longer, and a batch stays below the 4 MB that the server takes. */
const maxHitLength = 16_000;
/** Of all that waits: some 15,000 hits. */
const maxLength = 8_000_000;
const timeoutMs = 20_000;
/** Of the pause after a failure: up to a minute. */
const maxDoublings = 6;
const maxTries = 10;

interface Process {
  once?(event: 'beforeExit' | 'exit', listener: () => void): void;
}

/**
 * Gathers hits and brings them to the server, one request at a time. In a worker timers and promises end with the request
 * in which they were made: so each hit sees to its own leaving, and what is on its way bars others for a limited time.
 *
 * A function and no class, as its private names pack better.
 */
export function createSender({ server, key, batch, log }: SenderOptions): Sender {
  /** As JSON, the oldest first. */
  const waiting: string[] = [];
  /** Characters of these and of what is on its way. */
  let length = 0;
  let dropped = 0;
  let failures = 0;
  /** Nothing is sent before: a batch is on its way, or the last one was not taken. */
  let pausedUntil = 0;
  let current: Promise<void> | undefined;

  const dropOldest = () => {
    for (; length > maxLength; dropped++) length -= `${waiting.shift()}`.length;
  };

  /** What went wrong; empty: nothing. */
  const post = async (hits: string[]) => {
    try {
      const response = await fetch(server.replace(/\/*$/, '/v1/hits'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: `${JSON.stringify(batch).slice(0, -1)},"hits":[${hits}]}`,
        // Another address is another server, which the key is not meant for.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const answer = await response.text();
      return response.ok ? '' : `${response.status} ${answer}`;
    } catch (error) {
      return `${(error as Error).cause ?? error}`;
    }
  };

  /** Sends as long as there is a full batch; the first one need not be. */
  const sendAll = async () => {
    do {
      const hits = waiting.splice(0, batchHits);
      pausedUntil = Date.now() + timeoutMs + batchMs;
      const problem = await post(hits);
      if (problem) {
        waiting.unshift(...hits);
        dropOldest();
        const pauseMs = batchMs * 2 ** Math.min(failures, maxDoublings) * (1 - Math.random() / 4);
        pausedUntil = Date.now() + pauseMs;
        sendIn(pauseMs, pausedUntil);
        if (!failures++) log(`Headcount takes no views, they wait: ${problem}`);
        return;
      }
      pausedUntil = 0;
      length -= hits.join('').length;
      if (failures) log(`Headcount takes views again, ${dropped} were lost.`);
      failures = dropped = 0;
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
    const timer: { unref?(): void } | number = setTimeout(() => {
      if (pausedUntil === pause) pausedUntil = 0;
      send();
    }, ms);
    // Waiting hits do not keep a process alive: they are sent when it ends.
    (timer as { unref?(): void }).unref?.();
  };

  /** Until this hit has left, with whomever. */
  const settle = async (hit: string) => {
    if (waiting.length >= batchHits) await send();
    for (let tries = 0; tries < maxTries && waiting.includes(hit); tries++) {
      await new Promise((resolve) => setTimeout(resolve, batchMs));
      await send();
    }
  };

  const flush = async () => {
    await current;
    pausedUntil = 0;
    await send();
  };

  const { process } = globalThis as { process?: Process };
  process?.once?.('beforeExit', flush);
  process?.once?.('exit', () => {
    if (waiting.length) log(`Headcount took no more views, ${dropped + waiting.length} were lost.`);
  });

  return {
    add(hit, waitUntil) {
      const text = JSON.stringify(hit);
      if (text.length > maxHitLength) return;
      length += text.length;
      waiting.push(text);
      dropOldest();
      if (waitUntil) waitUntil(settle(text));
      else if (waiting.length >= batchHits) send();
      else if (waiting.length === 1) sendIn(batchMs);
    },
    flush,
  };
}
