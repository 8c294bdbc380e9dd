import { createListener } from './app.ts';
import type { Config } from './config/config.ts';
import { serverSettings } from './config/server-settings.ts';
import type { Context } from './context.ts';
import { ListeningServer } from './http/listening/listening-server.ts';
import { nameCapLog } from './ingest/name-cap-log.ts';
import { compareClockWithData } from './ingest/sealing/data-clock.ts';
import { mendSalts } from './ingest/sealing/salt-mending.ts';
import { keepSealing } from './ingest/sealing/sealer.ts';
import { keepStarting } from './jobs/automation/automation-watch.ts';
import { PullWatch } from './jobs/comments/pull-watch.ts';
import { runWhenDue } from './jobs/turn/due-watch.ts';
import { keepArchiving } from './jobs/turn/maintenance.ts';
import { createMetricsListener } from './metrics/listener.ts';
import { keepOutbox } from './outbox/outbox.ts';

export interface RunningServer {
  /** Where it listens: the actual port where 0 was asked for. */
  port: number;
  /** Takes no new requests, answers those that it has, stores what it accepted, and lets go of the store. */
  stop(): Promise<void>;
}

/** What a server listens with; it takes nothing else before it has a handler. */
export interface Listening {
  main: ListeningServer;
  /** For metrics alone. */
  metrics: ListeningServer | undefined;
  close(): Promise<void>;
}

/** @throws ConfigError where a port cannot be had. */
export async function listen(
  config: Config,
  options: Parameters<typeof ListeningServer.listen>[1],
): Promise<Listening> {
  const main = await ListeningServer.listen(config, options);
  try {
    const metrics = config.metricsAddress
      ? await ListeningServer.listen(
          { ...config, ...config.metricsAddress, maxConnections: 100 },
          { ...options, settings: metricsSettings },
        )
      : undefined;
    const close = async () => {
      await Promise.all([main.close(), metrics?.close()]);
    };
    return { main, metrics, close };
  } catch (error) {
    await main.close();
    throw error;
  }
}

const metricsSettings = {
  host: serverSettings.metricsAddress.name,
  port: serverSettings.metricsAddress.name,
};

/** A clock that was set is noticed after so long, also when nobody asks for the time. */
const clockWatchMs = 1000;

/**
 * Starts to answer requests, on the ports that the caller already has, or else the configured ones.
 *
 * @throws ConfigError where the port cannot be had.
 */
export async function serve(context: Context, given?: Listening): Promise<RunningServer> {
  const listening = given ?? (await listen(context.config, context));
  const { main: server, metrics } = listening;
  server.answerWith(createListener(context));
  metrics?.answerWith(createMetricsListener(context));
  const stopWatching = [context.registry.watch(context.store), context.sessions.watch()];
  context.proofs.start();
  context.catalogue.start();
  context.siteFiles.start();
  const clockWatch = setInterval(() => context.clock.look(), clockWatchMs).unref();
  // A day that is needed before, or if this fails, is mended when it is opened.
  const mended = mendSalts(context).catch((error: unknown) =>
    context.log.error('Salts could not be checked:', error),
  );
  await compareClockWithData(context).catch((error: unknown) =>
    context.log.error('The clock could not be compared with the data:', error),
  );
  const stopSealing = keepSealing(context);
  const stopNameCapLog = nameCapLog(context).keepLogging();
  const stopArchiving = keepArchiving(context);
  const stopWatchingPulls = new PullWatch(context).keepLooking();
  const stopOutbox = keepOutbox(context);
  const stopStarting = keepStarting(context);
  const stopRunner = runWhenDue(context);
  return {
    port: server.port,
    stop: async () => {
      const saidGoodbye = server.sayGoodbye();
      context.stopping.abort();
      const runnerStopped = stopRunner();
      const outboxStopped = stopOutbox();
      await Promise.all([saidGoodbye, context.eventStreams.close(), context.liveStreams.close()]);
      await listening.close();
      for (const stop of stopWatching) stop();
      clearInterval(clockWatch);
      await mended;
      await stopSealing();
      await stopNameCapLog();
      await stopArchiving();
      await stopStarting();
      await stopWatchingPulls();
      await context.proofs.stop();
      await context.catalogue.stop();
      await context.siteFiles.stop();
      await context.ingest.stop();
      await context.keyUses.flush();
      await runnerStopped;
      await outboxStopped;
      await context.store.close();
    },
  };
}
