import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createListener } from './app.ts';
import { ConfigError } from './config/config.ts';
import type { Context } from './context.ts';
import { ApiError, sendError } from './errors.ts';
import { keepSealing } from './ingest/sealer.ts';
import { keepArchiving } from './jobs/turn/maintenance.ts';
import { startRunner } from './jobs/turn/runner.ts';

export interface RunningServer {
  /** Where it listens, which tells the port where 0 was asked for. */
  port: number;
  /** Takes no new requests, answers those that it has, stores what it accepted, and lets go of the store. */
  stop(): Promise<void>;
}

/** How long a stopping server waits for requests in the middle of their body. */
const graceMs = 10_000;

/** How long a stopping server still answers, with 503, on the connections that clients hold open. */
const farewellMs = 100;

/** Starts to answer requests. @throws ConfigError where the port cannot be had. */
export async function serve(context: Context): Promise<RunningServer> {
  const listener = createListener(context);
  let stopping = false;
  const server = createServer((req, res) => {
    if (!stopping) return listener(req, res);
    res.setHeader('Connection', 'close');
    sendError(
      res,
      new ApiError('overloaded', 'The server is shutting down: try again.', {
        headers: { 'Retry-After': '5' },
      }),
    );
  });
  await listen(server, context);
  const stopWatching = [context.registry.watch(context.store), context.sessions.watch()];
  context.proofs.start();
  const stopSealing = keepSealing(context);
  const stopArchiving = keepArchiving(context);
  const stopRunner = startRunner(context);
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      stopping = true;
      const runnerStopped = stopRunner();
      await Promise.all([pause(farewellMs), context.eventStreams.close()]);
      await close(server);
      for (const stop of stopWatching) stop();
      await stopSealing();
      await stopArchiving();
      await context.proofs.stop();
      await context.ingest.stop();
      await context.keyUses.flush();
      await runnerStopped;
      await context.store.close();
    },
  };
}

function listen(server: Server, { config }: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(listenError(error, config.host, config.port)),
    );
    server.listen(config.port, config.host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new ConfigError(
      `Port ${port} is in use: stop what runs there, or choose another with HEADCOUNT_PORT.`,
    );
  }
  if (error.code === 'EACCES') {
    return new ConfigError(`Port ${port} needs more rights: choose one above 1023 with HEADCOUNT_PORT.`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(`This machine has no address ${host}: choose another with HEADCOUNT_HOST.`);
  }
  return error;
}

/** Waits for the answers under way; a connection without one is closed at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}
