import type { Metric, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { maxWaiting } from '../ingest/view-buffer.ts';
import type { TurnMeter } from '../jobs/turn/turn-meter.ts';
import { version } from '../process/program.ts';
import type { Store } from '../store/store.ts';
import type { Histogram } from './meter.ts';

/** Where the numbers are. */
interface Parts {
  config: Config;
  store: Store;
  ingest: Ingest;
  turnMeter: TurnMeter;
  proofs: Proofs;
  now: () => number;
}

type Labels = Record<string, string>;

/** One number, with its labels: names of our own only, nothing that a visitor sent. */
type Sample = [labels: Labels, value: number];

/** Metrics in the words of Prometheus, made of plain numbers when somebody asks for them. */
export interface Metrics {
  read(): Promise<{ type: string; text: string }>;
}

export function createMetrics(parts: Parts): Metrics {
  let made: Promise<Registry> | undefined;
  return {
    async read() {
      made ??= createRegistry(parts);
      const registry = await made;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** prom-client is loaded by the first who asks. */
async function createRegistry(parts: Parts): Promise<Registry> {
  const { Counter, Gauge, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  for (const { name, help, kind, labels = [], read } of numbers(parts)) {
    const collect = async (metric: { reset(): void }, add: (labels: Labels, value: number) => void) => {
      const samples = await read();
      metric.reset();
      for (const sample of samples) add(...sample);
    };
    const options = { name, help, labelNames: labels, registers };
    if (kind === 'gauge') {
      new Gauge({
        ...options,
        collect() {
          return collect(this, (at, value) => this.set(at, value));
        },
      });
    } else {
      new Counter({
        ...options,
        collect() {
          return collect(this, (at, value) => this.inc(at, value));
        },
      });
    }
  }
  for (const distribution of distributions(parts)) registry.registerMetric(asMetric(distribution));
  return registry;
}

interface Numbers {
  name: string;
  help: string;
  kind: 'counter' | 'gauge';
  labels?: string[];
  read(): Sample[] | Promise<Sample[]>;
}

const labelled = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);

function numbers(parts: Parts): Numbers[] {
  return [...serverNumbers(parts), ...hitNumbers(parts), ...jobNumbers(parts), ...turnNumbers(parts)];
}

function serverNumbers({ store, proofs, now }: Parts): Numbers[] {
  return [
    {
      name: 'headcount_build_info',
      help: 'Always 1, with the version as a label.',
      kind: 'gauge',
      labels: ['version'],
      read: () => [[{ version }, 1]],
    },
    {
      name: 'headcount_database_bytes',
      help: 'Size of the database and of its log (WAL).',
      kind: 'gauge',
      labels: ['file'],
      read: async () => labelled('file', { ...(await store.size()) }),
    },
    {
      name: 'headcount_address_list_age_seconds',
      help: 'Since a published list of addresses of AI clients was last confirmed.',
      kind: 'gauge',
      labels: ['feed'],
      read: () =>
        Array.from(proofs.feedTimes(), ([feed, at]) => [{ feed }, Math.max(0, (now() - at) / 1000)]),
    },
  ];
}

function hitNumbers({ ingest }: Parts): Numbers[] {
  return [
    {
      name: 'headcount_hits_total',
      help: 'Hits by what became of them: counted as human or ai, overloaded (not accepted), or the reason for which they were dropped.',
      kind: 'counter',
      labels: ['outcome'],
      read: () => labelled('outcome', ingest.outcomeCounts),
    },
    {
      name: 'headcount_buffered_views',
      help: 'Views that wait for their commit.',
      kind: 'gauge',
      read: () => [[{}, ingest.buffer.waiting]],
    },
    {
      name: 'headcount_buffered_views_limit',
      help: 'Views from which on hits are answered 503.',
      kind: 'gauge',
      read: () => [[{}, maxWaiting]],
    },
  ];
}

function jobNumbers({ store, config }: Parts): Numbers[] {
  return [
    {
      name: 'headcount_jobs',
      help: 'Jobs by state.',
      kind: 'gauge',
      labels: ['state'],
      read: async () => labelled('state', (await store.jobs.countJobs()).jobs),
    },
    {
      name: 'headcount_turns',
      help: 'Turns that are not settled.',
      kind: 'gauge',
      labels: ['state'],
      read: async () => labelled('state', (await store.jobs.countJobs()).turns),
    },
    {
      name: 'headcount_turns_limit',
      help: 'Turns that may be worked on at once.',
      kind: 'gauge',
      read: () => [[{}, config.jobs.maxTurns]],
    },
  ];
}

/** Of the turns that this server worked on. */
function turnNumbers({ turnMeter }: Parts): Numbers[] {
  return [
    {
      name: 'headcount_turns_ended_total',
      help: 'Ends of turns that this server worked on.',
      kind: 'counter',
      labels: ['end'],
      read: () => labelled('end', turnMeter.ends),
    },
    {
      name: 'headcount_agent_steps_total',
      help: 'Answers of models.',
      kind: 'counter',
      read: () => [[{}, turnMeter.usage.steps]],
    },
    {
      name: 'headcount_agent_tokens_total',
      help: 'Tokens that agents took from models; cached ones are among those of the input.',
      kind: 'counter',
      labels: ['kind'],
      read: () => {
        const { inputTokens: input, outputTokens: output, cachedTokens: cached } = turnMeter.usage;
        return labelled('kind', { input, output, cached });
      },
    },
  ];
}

interface Distribution {
  name: string;
  help: string;
  read(): { labels: Labels; histogram: Histogram }[];
}

function distributions({ store, ingest, turnMeter }: Parts): Distribution[] {
  const one = (histogram: Histogram) => [{ labels: {}, histogram }];
  return [
    {
      name: 'headcount_commit_seconds',
      help: 'Time that a commit of views took, in seconds.',
      read: () => one(ingest.buffer.commitSeconds),
    },
    {
      name: 'headcount_commit_views',
      help: 'Views in a commit.',
      read: () => one(ingest.buffer.commitViews),
    },
    {
      name: 'headcount_query_seconds',
      help: 'Time from asking the store to its answer, in seconds, by its thread and part.',
      read: () =>
        store
          .activity()
          .map(({ thread, part, seconds }) => ({ labels: { thread, part }, histogram: seconds })),
    },
    {
      name: 'headcount_turn_seconds',
      help: 'Time that this server worked on a turn, in seconds.',
      read: () => one(turnMeter.seconds),
    },
  ];
}

/** prom-client counts by itself or not at all; its registry prints whatever answers `get`. */
function asMetric({ name, help, read }: Distribution): Metric {
  const values = () => read().flatMap(({ labels, histogram }) => samplesOf(name, labels, histogram));
  const metric = { name, help, type: 'histogram', aggregator: 'sum' };
  return {
    ...metric,
    get: async () => ({ ...metric, values: values() }),
    reset: () => undefined,
  } as unknown as Metric;
}

function samplesOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram) {
  let total = 0;
  const buckets = counts.map((count, i) => {
    total += count;
    const le = i < bounds.length ? String(bounds[i]) : '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
