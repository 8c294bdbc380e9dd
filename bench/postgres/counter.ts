import { once } from 'node:events';
import type { Day } from '../../server/counting/calendar.ts';
import type { View } from '../../server/counting/view.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { noNames } from '../../test/support/views.ts';
import { randomNumbers, zipf } from '../random.ts';
import { percentile } from '../statistics.ts';

// A node without HTTP: learns the names of its projects, says that it is ready, and from SIGUSR2 on counts batch after batch
// for some seconds. Then it reports what that took.

export interface CounterTask {
  url: string;
  projects: string[];
  day: Day;
  seconds: number;
  /** Where it has counted as many before its seconds are over, it ends. */
  batches: number;
  seed: number;
}

export interface CounterResult {
  views: number;
  seconds: number;
  p99: number;
  /** Microseconds. */
  cpu: number;
}

const perBatch = 1_024;
const lanes = 2;
const visitors = 10_000;
const paths = 300;
const clients = 5;
const sources = 5;

const task = JSON.parse(process.argv[2] as string) as CounterTask;
const store = await openPostgresStore(task.url, { opener: 'server' });
const random = randomNumbers(task.seed);
const below = (limit: number) => Math.floor(random() * limit);
const drawPath = zipf(paths, random);

/** One of ten visitors is an AI client. @param source null: from inside the site */
function viewOf(projectId: string, visitor: number, path: number, source: number | null): View {
  const isAi = visitor % 10 === 0;
  return {
    ...noNames,
    moment: 0,
    projectId,
    day: task.day,
    visitor: BigInt.asIntN(64, BigInt(visitor + 1) * 0x9e3779b97f4a7c15n),
    network: visitor >> 2,
    kind: isAi ? 'ai' : 'human',
    path: `/docs/page-${path}`,
    source: source === null ? null : `source-${source}`,
    country: ['DE', 'FR', 'US', 'AT'][visitor % 4] as string,
    language: ['de', 'fr', 'en'][visitor % 3] as string,
    device: ['desktop', 'mobile'][visitor % 2] as string,
    browser: `browser-${visitor % 7}`,
    system: `system-${visitor % 5}`,
    screen: isAi ? null : (['xs', 'md', 'lg'][visitor % 3] as string),
    client: isAi ? { name: `client-${(visitor / 10) % clients}`, proof: 'claimed' } : null,
  };
}

/** Five of twelve come from inside the site. */
const draw = () =>
  viewOf(
    task.projects[below(task.projects.length)] as string,
    below(visitors),
    drawPath(),
    random() < 5 / 12 ? null : below(sources),
  );

/** Pages by source, country and AI client, too. */
async function takeInNames(): Promise<void> {
  for (const project of task.projects) {
    const all = Array.from({ length: paths * sources * 2 }, (_, i) => {
      const [path, round] = [i % paths, Math.floor(i / paths)];
      // Some person of each country, and then each AI client: few, so that the day begins without visitors.
      const visitor = round < sources ? round + 1 : (round - sources) * 10;
      return viewOf(project, visitor, path, round % sources);
    });
    await store.countViews(all, []);
  }
}

async function measure(): Promise<CounterResult> {
  // Before the clock starts, as no store makes its views.
  const batches = Array.from({ length: task.batches }, () => Array.from({ length: perBatch }, draw));
  const times: number[] = [];
  const before = process.cpuUsage();
  const startAt = performance.now();
  const lane = async () => {
    while (performance.now() < startAt + task.seconds * 1_000) {
      const views = batches.pop();
      if (!views) return;
      const sentAt = performance.now();
      await store.countViews(views, []);
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - startAt) / 1_000;
  return { views: times.length * perBatch, seconds, p99: percentile(times, 0.99), cpu: user + system };
}

const stopped = once(process, 'SIGUSR2');
await takeInNames();
process.stdout.write('ready\n');
await stopped;
process.stdout.write(`${JSON.stringify(await measure())}\n`);
await store.close();
