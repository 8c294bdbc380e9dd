import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connections } from '../bench.ts';
import { randomNumbers } from '../random.ts';
import { percentile } from '../statistics.ts';
import type { Pace, PaceTask } from './pacer.ts';
import { makeTraffic, rawRequests } from './traffic.ts';

const answer = 'HTTP/1.1 202 ';
const answerEnd = '\r\n\r\n';

/**
 * Sends requests at a constant rate, whatever the answers do. Each is timed from the moment it was due, also when
 * all connections were taken then, so that a server that stands still is not spared the requests of that time.
 */
class Pacer {
  readonly #task: PaceTask;
  readonly #next: () => string;
  readonly #free: Socket[] = [];
  /** By connection, when its request was due. */
  readonly #dueAt = new Map<Socket, number>();
  readonly #latencies: number[] = [];
  #sent = 0;
  #stopped = false;

  constructor(task: PaceTask) {
    this.#task = task;
    this.#next = requests(task);
  }

  async run(): Promise<Pace> {
    await Promise.all(Array.from({ length: connections }, () => this.#connect()));
    const { rate, seconds, warmUpSeconds } = this.#task;
    process.stdout.write('sending\n');
    const startAt = performance.now();
    while (!this.#stopped && this.#sent < rate * seconds) {
      const due = Math.min(rate * seconds, ((performance.now() - startAt) * rate) / 1000);
      while (this.#sent < due && this.#free.length > 0) this.#send(startAt + (this.#sent * 1000) / rate);
      await pause(1);
    }
    while (this.#dueAt.size > 0) await pause(1);
    const measured = this.#latencies.slice(rate * warmUpSeconds);
    for (const socket of this.#free) socket.destroy();
    return {
      answers: this.#latencies.length,
      p50: percentile(measured, 0.5),
      p99: percentile(measured, 0.99),
      max: percentile(measured, 1),
    };
  }

  stop(): void {
    this.#stopped = true;
  }

  #connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#task.port, host: '127.0.0.1', noDelay: true });
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => this.#receive(socket, text));
      socket.on('error', reject);
      socket.on('end', () => fail('The server closed a connection.'));
      socket.on('connect', () => {
        this.#free.push(socket);
        resolve();
      });
    });
  }

  #send(dueAt: number): void {
    const socket = this.#free.shift() as Socket;
    this.#dueAt.set(socket, dueAt);
    this.#sent++;
    socket.write(this.#next(), 'latin1');
  }

  #receive(socket: Socket, text: string): void {
    const dueAt = this.#dueAt.get(socket);
    // An answer without a body fits one packet.
    if (dueAt === undefined || !text.startsWith(answer) || text.indexOf(answerEnd) !== text.length - 4) {
      fail(`This is not the answer to one hit: ${text}`);
    } else {
      this.#dueAt.delete(socket);
      this.#latencies.push(performance.now() - dueAt);
      this.#free.push(socket);
    }
  }
}

function requests({ projectId, seed }: PaceTask): () => string {
  const random = randomNumbers(seed);
  const traffic = makeTraffic(projectId);
  const { heads, tails } = rawRequests(traffic);
  const any = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;
  return () => any(heads) + tails[any(traffic.draws)];
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const pacer = new Pacer(JSON.parse(process.argv[2] ?? '') as PaceTask);
process.once('SIGTERM', () => pacer.stop());
process.stdout.write(`${JSON.stringify(await pacer.run())}\n`);
process.exit(0);
