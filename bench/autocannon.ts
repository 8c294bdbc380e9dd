import autocannon from 'autocannon';
import { connections } from './bench.ts';
import type { Flood, FloodOptions } from './flood.ts';
import { randomNumbers } from './random.ts';
import { makeTraffic } from './traffic.ts';

/** Its requests are built before it starts; these are as many for each connection as it sends in some seconds. */
const requestsPerConnection = 500;

interface Task extends FloodOptions {
  port: number;
  projectId: string;
}

const { port, projectId, seconds, seed } = JSON.parse(process.argv[2] ?? '') as Task;
const random = randomNumbers(seed);
const { visitors, bodies, draws } = makeTraffic(projectId);
const any = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;

const result = await autocannon({
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

const answers = result.statusCodeStats['202']?.count ?? 0;
const others =
  Object.values(result.statusCodeStats).reduce((sum, status) => sum + (status?.count ?? 0), 0) - answers;
const flood: Flood = {
  answers,
  seconds: result.duration,
  refused: others,
  broken: result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(flood)}\n`);
