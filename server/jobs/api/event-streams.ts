import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Response } from 'express';
import { overloaded } from '../../errors.ts';
import { Alarm } from '../turn/alarm.ts';

interface Timing {
  /** How often the store is asked for more where no news came. */
  pollMs: number;
  /** News of so long are answered together. */
  gatherMs: number;
  /** A comment after so long a silence keeps proxies from closing the connection. */
  heartbeatMs: number;
  /** Each holds a connection and asks the store. */
  maxStreams: number;
}

const usualTiming: Timing = { pollMs: 1_000, gatherMs: 20, heartbeatMs: 15_000, maxStreams: 100 };

/** Sends what is new, and says whether more may come. */
export type Step = (stream: EventStream) => Promise<'more' | 'end'>;

/** Has it called at news that a stream may be about, and answers how to end that. */
type Listen = (ring: () => void) => () => void;

/** The open streams of server-sent events of this process. */
export class EventStreams {
  readonly #timing: Timing;
  readonly #open = new Map<EventStream, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(timing: Partial<Timing> = {}) {
    this.#timing = { ...usualTiming, ...timing };
  }

  /** Resolves when the stream has ended: by its step, its client or the server. @throws ApiError `overloaded` */
  async run(res: Response, step: Step, listen: Listen): Promise<void> {
    if (this.#open.size >= this.#timing.maxStreams || this.#stop.signal.aborted) {
      throw overloaded('Too many event streams are open. Read the events as JSON, or retry later.', 5);
    }
    const stream = new EventStream(res, this.#stop.signal);
    const running = this.#repeat(stream, step, listen);
    this.#open.set(stream, running);
    await running.finally(() => this.#open.delete(stream));
  }

  /** Ends all of them; clients come back to the server that is there by then. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#open.values());
  }

  async #repeat(stream: EventStream, step: Step, listen: Listen): Promise<void> {
    const { pollMs, gatherMs, heartbeatMs } = this.#timing;
    const alarm = new Alarm();
    const stopListening = listen(alarm.ring);
    stream.signal.addEventListener('abort', alarm.ring);
    try {
      while (!stream.signal.aborted && (await step(stream)) === 'more') {
        if (stream.silentMs >= heartbeatMs) await stream.write(':\n\n');
        const isWoken = await alarm.sleep(pollMs);
        if (isWoken) await pause(gatherMs);
      }
    } finally {
      stopListening();
    }
    stream.end();
  }
}

/** One answer of `text/event-stream`: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #res: Response;
  readonly signal: AbortSignal;
  #writtenAt = performance.now();

  constructor(res: Response, stop: AbortSignal) {
    this.#res = res;
    const gone = new AbortController();
    res.on('close', () => gone.abort());
    this.signal = AbortSignal.any([gone.signal, stop]);
    res.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would hold events back.
      'X-Accel-Buffering': 'no',
    });
    res.flushHeaders();
  }

  /** JSON has no raw line breaks, which would end a field. */
  async send(event: { id?: number; type?: string; data: unknown }): Promise<void> {
    const id = event.id === undefined ? '' : `id: ${event.id}\n`;
    const type = event.type === undefined ? '' : `event: ${event.type}\n`;
    await this.write(`${type}${id}data: ${JSON.stringify(event.data)}\n\n`);
  }

  /** Waits for slow readers, so that nothing piles up here. */
  async write(text: string): Promise<void> {
    this.#writtenAt = performance.now();
    if (this.signal.aborted || this.#res.write(text)) return;
    await once(this.#res, 'drain', { signal: this.signal }).catch(() => undefined);
  }

  get silentMs(): number {
    return performance.now() - this.#writtenAt;
  }

  end(): void {
    // Who does not read now shall not hold up the end.
    if (this.#res.writableNeedDrain) this.#res.destroy();
    else this.#res.end();
  }
}
