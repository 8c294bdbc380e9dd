import { mergeConfig } from 'vitest/config';
import { citusUrl } from './test/support/store/citus-cluster.ts';
import postgres from './vitest.postgres.config.ts';

/** What PostgreSQL is tested with, once more on the Citus that HEADCOUNT_TEST_CITUS_URL names, and what is only there. */
const config = mergeConfig(postgres, {});

const suites = [
  ...(config.test.include ?? []),
  'test/commands/postgres.test.ts',
  'test/counting/counting.property.test.ts',
  'test/ingest/nodes/*.test.ts',
  'test/store/{postgres-counting,postgres-folding,postgres-jobs,postgres-lost-answers,postgres-store}.test.ts',
  'test/store/citus/*.test.ts',
];

config.test.include = citusUrl === undefined ? [] : suites;
config.test.passWithNoTests = true;

export default config;
