import { once } from 'node:events';
import { createServer, type Server, type Socket, connect as toServer } from 'node:net';

/** How a server says that it is ready for the next statement, outside of a transaction: what came before it is committed. */
const isReady = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Stands between a store and its PostgreSQL, and can cut connections when an answer is on its way. */
export class AnswerCutter {
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #text: string;
  readonly #isNamedEachTime: boolean;
  /** How many answers are yet to be cut. */
  #left = 0;
  cuts = 0;

  /**
   * @param text of the statement whose answers are cut
   * @param port of the PostgreSQL
   * @param options `isNamedEachTime`: it is not prepared, so that only what names it is cut
   */
  static async start(text: string, port: number, { isNamedEachTime = false } = {}): Promise<AnswerCutter> {
    const cutter = new AnswerCutter(text, port, isNamedEachTime);
    cutter.#server.listen(0, '127.0.0.1');
    await once(cutter.#server, 'listening');
    return cutter;
  }

  private constructor(text: string, port: number, isNamedEachTime: boolean) {
    this.#text = text;
    this.#isNamedEachTime = isNamedEachTime;
    this.#port = port;
    this.#server = createServer((client) => this.#pass(client));
  }

  /** The same address by way of this. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String((this.#server.address() as { port: number }).port);
    return address.href;
  }

  /** Cuts the next connections on which the statement was done, each before its answer. */
  cut(times: number): void {
    this.#left = times;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(client: Socket): void {
    const server = toServer(this.#port, '127.0.0.1');
    // A connection that has prepared the statement names it no more, and is not asked for much else.
    let isPrepared = false;
    let isAsked = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      isPrepared = data.includes(this.#text) || (isPrepared && !this.#isNamedEachTime);
      isAsked = isPrepared && this.#left > 0;
      server.write(data);
    });
    server.on('data', (data: Buffer) => {
      if (!isAsked) client.write(data);
      else if (data.subarray(-isReady.length).equals(isReady)) {
        this.#left--;
        this.cuts++;
        end();
      }
    });
  }
}
