import { mergeConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The tests for which it matters where data is kept, once more on PostgreSQL. */
const config = mergeConfig(usual, { test: { env: { HEADCOUNT_TEST_ENGINE: 'postgres' } } });

// Merged lists would have the others too.
config.test.include = [
  'test/admin/{admin,cookie,keys,links,programs,sessions,sign-in}.test.ts',
  'test/analytics/*.test.ts',
  'test/counting/fold-paths.test.ts',
  'test/http/{health,just-made}.test.ts',
  'test/import/{command,days,import,import.property}.test.ts',
  'test/ingest/{batch,clock,hit,pixel,repeated-batch,sealing,seen-hosts,site-reports}.test.ts',
  'test/jobs/{access,api,events,request-limits}.test.ts',
  'test/sitefiles/{freshness,obedience}.test.ts',
  'test/{mcp,metrics,share}/*.test.ts',
];

export default config;
