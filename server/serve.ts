import { createListener } from './app.ts';
import type { Context } from './context.ts';
import { ListeningServer } from './http/listening-server.ts';
import { compareClockWithData } from './ingest/data-clock.ts';
import { NameCapLog } from './ingest/name-cap-log.ts';
import { mendSalts } from './ingest/salt-mending.ts';
import { keepSealing } from './ingest/sealer.ts';
import { keepArchiving } from './jobs/turn/maintenance.ts';
import { startRunner } from './jobs/turn/runner.ts';

export interface RunningServer {
  /** Where it listens, which tells the port where 0 was asked for. */
  port: number;
  /** Takes no new requests, answers those that it has, stores what it accepted, and lets go of the store. */
  stop(): Promise<void>;
}

/** A clock that was set is noticed after so long, also when nobody asks for the time. */
const clockWatchMs = 1000;

/**
 * Starts to answer requests, on the port that the caller already has, or else the configured one.
 *
 * @throws ConfigError where the port cannot be had.
 */
export async function serve(context: Context, listening?: ListeningServer): Promise<RunningServer> {
  const server = listening ?? (await ListeningServer.listen(context.config, context));
  server.answerWith(createListener(context));
  const stopWatching = [context.registry.watch(context.store), context.sessions.watch()];
  context.proofs.start();
  const clockWatch = setInterval(() => context.clock.look(), clockWatchMs).unref();
  // A day that is needed before, or if this fails, is mended when it is opened.
  const mended = mendSalts(context).catch((error: unknown) =>
    context.log.error('Salts could not be looked at:', error),
  );
  await compareClockWithData(context).catch((error: unknown) =>
    context.log.error('The clock could not be compared with the data:', error),
  );
  const stopSealing = keepSealing(context);
  const stopTelling = new NameCapLog(context).keepTelling();
  const stopArchiving = keepArchiving(context);
  const stopRunner = startRunner(context);
  return {
    port: server.port,
    stop: async () => {
      const saidGoodbye = server.sayGoodbye();
      const runnerStopped = stopRunner();
      await Promise.all([saidGoodbye, context.eventStreams.close()]);
      await server.close();
      for (const stop of stopWatching) stop();
      clearInterval(clockWatch);
      await mended;
      await stopSealing();
      await stopTelling();
      await stopArchiving();
      await context.proofs.stop();
      await context.ingest.stop();
      await context.keyUses.flush();
      await runnerStopped;
      await context.store.close();
    },
  };
}
