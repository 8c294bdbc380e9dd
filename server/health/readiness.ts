import { setTimeout as pause } from 'node:timers/promises';
import type { ReadyReply } from '../../shared/replies/health.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { maxWaiting } from '../ingest/view-buffer.ts';
import type { RunnerPulse } from '../jobs/turn/runner-pulse.ts';
import type { Store } from '../store/store.ts';

/** Everybody may ask, and each look at the database is a commit. */
const keptMs = 1_000;
const limitMs = 5_000;

interface Parts {
  store: Pick<Store, 'check'>;
  ingest: Pick<Ingest, 'buffer'>;
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

/** The end of a sentence that begins with the database; the cause is the log's matter. */
async function findTrouble({ store }: Parts): Promise<string | undefined> {
  const timer = new AbortController();
  const late = pause(limitMs, `did not answer within ${limitMs / 1000} s`, { signal: timer.signal });
  const probe = store.check.probeWriting().then(
    () => undefined,
    () => 'cannot be written',
  );
  try {
    return await Promise.race([probe, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

function notReady(details: ErrorDetail[]): ApiError {
  const reasons = details.map(({ path, message }) => `the ${path} ${message}`).join(', ');
  return new ApiError('overloaded', `The server is not ready: ${reasons}.`, {
    details,
    headers: { 'Retry-After': '5' },
  });
}
