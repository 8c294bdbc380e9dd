import { type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Config, ConfigError } from '../../config/config.ts';
import { overloaded } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { alivePath, sendAlive } from '../alive.ts';
import { sendError } from '../error-response.ts';
import { createHttpServer, type HttpTiming, usualTiming } from './http-server.ts';

type ListenConfig = Pick<
  Config,
  'host' | 'port' | 'maxConnections' | 'connectionsPerNetwork' | 'trustedProxies'
>;

interface ListenOptions {
  log: Log;
  timing?: HttpTiming;
  /** The settings that say where it listens. */
  settings?: { host: string; port: string };
}

/**
 * Connections that wait to be let in while the process is busy: as many as the system keeps (net.core.somaxconn). With Node's
 * 511, Linux breaks off what waits above them for some seconds, when its client has long sent a hit.
 */
const mostWaiting = 65_535;
/** How long a stopping server waits for requests in the middle of their body. */
const graceMs = 10_000;
/** How long a stopping server answers 503 while requests keep coming. */
const maxFarewellMs = 500;

/** A server that has its port; until it has a handler, and once it is stopping, it answers 503. */
export class ListeningServer {
  readonly #server: Server;
  readonly #open: ReadonlySet<Socket>;
  readonly #farewellMs: number;
  #listener: RequestListener = unavailable('The server is starting; retry in a moment.', 1);

  /** @throws ConfigError where the port cannot be had. */
  static async listen(config: ListenConfig, options: ListenOptions): Promise<ListeningServer> {
    const { host, port } = config;
    const listening = new ListeningServer(config, options);
    await new Promise<void>((resolve, reject) => {
      listening.#server.once('error', (error: NodeJS.ErrnoException) =>
        reject(listenError(error, config, options.settings)),
      );
      listening.#server.listen({ port, host, backlog: mostWaiting }, resolve);
    });
    return listening;
  }

  private constructor(config: ListenConfig, { log, timing = usualTiming }: ListenOptions) {
    const answer: RequestListener = (req, res) => this.#listener(req, res);
    const { server, open } = createHttpServer(answer, {
      wanted: config.maxConnections,
      perNetwork: config.connectionsPerNetwork,
      isTrusted: config.trustedProxies,
      timing,
      log,
    });
    this.#server = server;
    this.#open = open;
    this.#farewellMs = timing.farewellMs;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  answerWith(listener: RequestListener): void {
    this.#listener = listener;
  }

  /** Refuses new requests. Resolves when the clients know that their connections end. */
  async sayGoodbye(): Promise<void> {
    const refuse = unavailable('The server is shutting down; retry in a moment.', 5);
    let lastAt = Number.NEGATIVE_INFINITY;
    this.#listener = (req, res) => {
      lastAt = performance.now();
      res.setHeader('Connection', 'close');
      refuse(req, res);
    };
    for (const socket of this.#open) closeAfterAnswer(socket);
    const latestAt = performance.now() + maxFarewellMs;
    do {
      await pause(this.#farewellMs);
      // Timers come first in a busy process: what has arrived meanwhile is read before connections are closed.
      await nextTurn();
      await nextTurn();
    } while (performance.now() < Math.min(lastAt + this.#farewellMs, latestAt));
  }

  /** Waits for the answers under way; a connection without one is closed at once. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const force = setTimeout(() => this.#server.closeAllConnections(), graceMs);
      this.#server.close(() => {
        clearTimeout(force);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }
}

/** A client that were to send more on the connection would see it break off. */
function closeAfterAnswer(socket: Socket): void {
  const answer = Reflect.get(socket, '_httpMessage') as unknown;
  if (answer instanceof ServerResponse && !answer.headersSent) answer.setHeader('Connection', 'close');
}

/** Whether the process lives is answered all the same. */
function unavailable(message: string, retryAfterSeconds: number): RequestListener {
  return (req, res) => {
    if (req.method === 'GET' && req.url === alivePath) sendAlive(res);
    else sendError(res, overloaded(message, retryAfterSeconds));
  };
}

function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: ListenConfig,
  settings = { host: 'HEADCOUNT_HOST', port: 'HEADCOUNT_PORT' },
): Error {
  if (error.code === 'EADDRINUSE') {
    return new ConfigError(
      `Port ${port} is in use: stop what runs there, or choose another with ${settings.port}.`,
    );
  }
  if (error.code === 'EACCES') {
    return new ConfigError(`Port ${port} needs more rights: choose one above 1023 with ${settings.port}.`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(`This machine has no address ${host}: choose another with ${settings.host}.`);
  }
  return error;
}
