import { setTimeout as pause } from 'node:timers/promises';
import type { ReadyReply } from '../../shared/replies/health.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { maxWaiting } from '../ingest/view-buffer.ts';
import type { RunnerPulse } from '../jobs/turn/runner-pulse.ts';
import { type Store, StoreError } from '../store/store.ts';

/** Everybody may ask, and each look at the database is a commit. */
const keptMs = 1_000;
const limitMs = 5_000;

interface Parts {
  store: Pick<Store, 'check'>;
  ingest: Pick<Ingest, 'buffer' | 'storing'>;
  runnerPulse: RunnerPulse;
}

/** Whether the server can do its work. */
export class Readiness {
  readonly #parts: Parts;
  #looked: { at: number; trouble: Promise<string | undefined> } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws ApiError `overloaded`, with a detail for each part that is not ready */
  async check(): Promise<ReadyReply> {
    const { ingest, runnerPulse } = this.#parts;
    const database = await this.#lookAtDatabase();
    const { waiting } = ingest.buffer;
    const { state } = runnerPulse;
    const details: ErrorDetail[] = [];
    if (database !== undefined) details.push({ path: 'database', message: database });
    if (waiting >= maxWaiting) details.push({ path: 'buffer', message: `is full: ${waiting} views wait` });
    if (state === 'stuck') details.push({ path: 'runner', message: 'gives no sign of life' });
    if (details.length > 0 || state === 'stuck') throw notReady(details);
    return {
      status: 'ready',
      database: { writable: true },
      buffer: { waiting, limit: maxWaiting },
      runner: { state },
    };
  }

  /** The same answer for all who ask within a second. */
  #lookAtDatabase(): Promise<string | undefined> {
    const now = performance.now();
    if (!this.#looked || now - this.#looked.at >= keptMs) {
      this.#looked = { at: now, trouble: findTrouble(this.#parts) };
    }
    return this.#looked.trouble;
  }
}

/** After a failure, unless hits are stored before; longer than senders wait who try again. */
const quietMs = 6_000;

/**
 * The end of a sentence that begins with the database. A page can often be written where a batch of hits finds no room, so
 * that hits that were refused count, and then it takes room for a batch to be ready again.
 */
async function findTrouble(parts: Parts): Promise<string | undefined> {
  const { storing } = parts.ingest;
  const { unstored } = storing;
  const trouble = await probe(parts, unstored ? 'batch' : 'page');
  if (trouble !== undefined || !unstored) return trouble;
  if (!unstored.isOver && performance.now() - unstored.at < quietMs) return inWords(unstored.error);
  storing.settle(unstored);
  return storing.unstored && inWords(storing.unstored.error);
}

async function probe({ store }: Parts, size: 'page' | 'batch'): Promise<string | undefined> {
  const timer = new AbortController();
  const late = pause(limitMs, `did not answer within ${limitMs / 1000} s`, { signal: timer.signal });
  const probe = store.check.probeWriting(size).then(() => undefined, inWords);
  try {
    return await Promise.race([probe, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

const damaged = 'is damaged: "headcount check" lists what is hurt';

/** What strangers may read; the log has the cause. */
function inWords(error: unknown): string {
  const { code, fault } = error instanceof StoreError ? error : {};
  if (code === 'damaged') return damaged;
  if (fault === 'full') return 'has no room left on its disk';
  return fault === 'read_only' ? 'is read-only' : 'cannot be written';
}

function notReady(details: ErrorDetail[]): ApiError {
  const reasons = details.map(({ path, message }) => `the ${path} ${message}`).join(', ');
  return new ApiError('overloaded', `The server is not ready: ${reasons}.`, {
    details,
    // What is damaged stays so.
    headers: details.some(({ message }) => message === damaged) ? {} : { 'Retry-After': '5' },
  });
}
