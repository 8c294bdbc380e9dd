import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a server and its database, and may let nothing through. */
export class DatabaseProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isSilent = false;

  static async open(to: number): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(to);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(to: number) {
    this.#server = createServer((near) => {
      const far = connect(to, '127.0.0.1');
      this.#forward(near, far);
      this.#forward(far, near);
    });
  }

  /** The same database behind this proxy. */
  urlOf(url: string): string {
    const address = new URL(url);
    address.port = String((this.#server.address() as { port: number }).port);
    return address.href;
  }

  /** As a machine that lost its network: nothing comes through, without an error. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  /** What was under way before is lost. */
  speakAgain(): void {
    this.cut();
    this.#isSilent = false;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      if (!this.#isSilent) to.write(bytes);
    });
    from.on('error', () => to.destroy());
    from.once('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
