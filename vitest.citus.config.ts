import { defineConfig } from 'vitest/config';
import { citusUrl } from './test/support/store/citus-cluster.ts';
import usual from './vitest.config.ts';
import postgres from './vitest.postgres.config.ts';

// What PostgreSQL is tested with, once more on the Citus that HEADCOUNT_TEST_CITUS_URL names, and what is only there.

/** Those that choose their engines themselves: none is chosen for them. Some start a PostgreSQL to kill, which no cluster is. */
const ofEngines = [
  'test/{admin,identity/proof}/nodes.test.ts',
  'test/commands/{export,move,move-back,postgres}.test.ts',
  'test/counting/counting.property.test.ts',
  'test/ingest/nodes/*.test.ts',
  'test/jobs/turn/{moved,nodes}.test.ts',
  'test/store/{forgetting,postgres-counting,postgres-folding,postgres-jobs,postgres-lost-answers,postgres-store}.test.ts',
  'test/store/citus/*.test.ts',
];

// The first are of the run, which has two parts.
const { globalSetup, reporters, sequence, maxWorkers, include: _all, ...ofEach } = usual.test ?? {};
const partOf = (name: string, include: string[] = [], env = {}) => ({
  test: { ...ofEach, name, include, env },
});
const parts = [
  partOf('on the engine', postgres.test.include, postgres.test.env),
  partOf('of engines', ofEngines),
];

export default defineConfig({
  test: {
    ...{ globalSetup, reporters, sequence, maxWorkers },
    ...(citusUrl === undefined ? { include: [], passWithNoTests: true } : { projects: parts }),
  },
});
