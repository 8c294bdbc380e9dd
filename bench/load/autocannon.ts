import autocannon from 'autocannon';
import { connections as usualConnections } from '../bench.ts';
import { randomNumbers } from '../random.ts';
import type { Flood, FloodOptions } from './flood.ts';
import { makeTraffic } from './traffic.ts';

/** All are built before the first is sent, and then sent again and again. */
const requestsPerConnection = 100;

interface Task extends FloodOptions {
  port: number;
  projectId: string;
}

const {
  port,
  projectId,
  seconds,
  seed,
  connections = usualConnections,
  ...kinds
} = JSON.parse(process.argv[2] ?? '') as Task;
const random = randomNumbers(seed);
const { visitors, bodies, draws } = makeTraffic(projectId, kinds);
const any = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;

const run = autocannon({
  url: `http://127.0.0.1:${port}`,
  connections,
  duration: seconds,
  setupClient: (client) =>
    client.setRequests(
      Array.from({ length: requestsPerConnection }, () => ({
        method: 'POST',
        path: '/v1/hit',
        headers: { ...any(visitors) },
        body: bodies[any(draws)] as string,
      })),
    ),
});
// Its own duration begins before the requests are built.
let startAt = performance.now();
run.on('start', () => {
  startAt = performance.now();
});
const result = await run;

const answers = result.statusCodeStats['202']?.count ?? 0;
const others =
  Object.values(result.statusCodeStats).reduce((sum, status) => sum + (status?.count ?? 0), 0) - answers;
const flood: Flood = {
  answers,
  seconds: (performance.now() - startAt) / 1000,
  refused: others,
  broken: result.errors,
};
process.stdout.write(`${JSON.stringify(flood)}\n`);
