import type { JobServices } from './services.ts';

/** Other processes tell nothing: the store is asked for their jobs. */
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
  let hasNews = false;
  let wake = () => {};
  const tell = () => {
    hasNews = true;
    wake();
  };
  const stopListening = services.jobNews.listen(tell);
  stopping.addEventListener('abort', tell);
  try {
    while (!stopping.aborted) {
      hasNews = false;
      services.runnerPulse.beat();
      const isNeeded = await isRunnerNeeded(services);
      if (isNeeded) return true;
      const waitMs = isNeeded === undefined ? troubleMs : pollMs;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, hasNews ? 0 : waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return false;
  } finally {
    stopListening();
  }
}

/** Undefined: the store cannot tell. */
async function isRunnerNeeded({ store, registry, log, now }: JobServices): Promise<boolean | undefined> {
  if ([...registry.projects()].some(({ settings }) => settings.agentCommand !== null)) return true;
  try {
    const at = await store.jobs.nextDueAt();
    return at !== null && at <= now();
  } catch (error) {
    log.error('No job can be worked on, it is tried again in half a minute:', error);
    return undefined;
  }
}
