import { Alarm } from './alarm.ts';
import type { JobServices } from './services.ts';

/** News may be lost, and pauses end without any: the store is asked. */
const pollMs = 1_000;
const troubleMs = 30_000;

/**
 * Starts the runner of jobs with the first turn that is due, or where an agent of one's own may need a sandbox: a server
 * without jobs does not load what works on them. Answers how to stop.
 */
export function runWhenDue(services: JobServices): () => Promise<void> {
  if (services.config.jobs.maxTurns === 0) return async () => {};
  const stopping = new AbortController();
  const started = untilNeeded(services, stopping.signal).then(async (isNeeded) =>
    isNeeded ? (await import('./runner.ts')).startRunner(services) : undefined,
  );
  return async () => {
    stopping.abort();
    const stop = await started;
    await stop?.();
  };
}

/** @returns false when it was stopped before */
async function untilNeeded(services: JobServices, stopping: AbortSignal): Promise<boolean> {
  const alarm = new Alarm();
  const stopListening = services.store.jobs.onNews(alarm.ring);
  stopping.addEventListener('abort', alarm.ring);
  try {
    while (!stopping.aborted) {
      services.runnerPulse.beat();
      const isNeeded = await isRunnerNeeded(services);
      if (isNeeded) return true;
      await alarm.sleep(isNeeded === undefined ? troubleMs : pollMs);
    }
    return false;
  } finally {
    stopListening();
  }
}

/** Undefined: the store does not know. */
async function isRunnerNeeded({ store, registry, log }: JobServices): Promise<boolean | undefined> {
  if ([...registry.projects()].some(({ settings }) => settings.agentCommand !== null)) return true;
  try {
    const ms = await store.jobs.msUntilDue();
    return ms !== null && ms <= 0;
  } catch (error) {
    log.error('Jobs cannot be run; trying again in 30 seconds:', error);
    return undefined;
  }
}
