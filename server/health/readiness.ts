import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Reply, reply } from '../../shared/reply.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { maxWaiting } from '../ingest/view-buffer.ts';
import type { RunnerPulse } from '../jobs/turn/runner-pulse.ts';
import { type Store, StoreError } from '../store/store.ts';

/** `GET /readyz`: each part that the server needs. */
export const readyReply = reply('Ready', () => ({
  status: z.literal('ready'),
  database: z.object({ writable: z.literal(true) }),
  buffer: z.object({
    waiting: z.int().min(0).describe('Views that wait for their commit.'),
    limit: z.int().describe('From so many on, hits are answered 503.'),
  }),
  runner: z.object({ state: z.enum(['alive', 'off']).describe('`off`: HEADCOUNT_MAX_JOBS is 0.') }),
}));

export type ReadyReply = Reply<typeof readyReply>;

/** Anyone may ask, and each check of the database is a commit. */
const keptMs = 1_000;
const limitMs = 5_000;

interface Parts {
  store: Pick<Store, 'check'>;
  ingest: Pick<Ingest, 'buffer' | 'storing'>;
  runnerPulse: RunnerPulse;
}

/** Whether the server can do its work. */
export interface Readiness {
  /** @throws ApiError `overloaded`, with a detail for each part that is not ready */
  check(): Promise<ReadyReply>;
}

export function createReadiness(parts: Parts): Readiness {
  const { ingest, runnerPulse } = parts;
  let looked: { at: number; trouble: Promise<string | undefined> } | undefined;

  /** Cached for a second. */
  function lookAtDatabase(): Promise<string | undefined> {
    const now = performance.now();
    if (!looked || now - looked.at >= keptMs) looked = { at: now, trouble: findTrouble(parts) };
    return looked.trouble;
  }

  return {
    async check() {
      const database = await lookAtDatabase();
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
    },
  };
}

/** After a failure, unless hits are stored before; longer than the wait of senders that try again. */
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

/** The public message; the log has the cause. */
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
