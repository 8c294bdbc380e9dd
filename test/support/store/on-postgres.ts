/**
 * What is run once more on PostgreSQL. A statement is the same for both engines, and what only asks such statements (accounts,
 * keys, jobs, automations, the outbox, marks, sites, searches) is left to the usual run, in which `store/postgres-store` has
 * the contracts of all of it. Here is what asks PostgreSQL's own code the way it is asked in use: counts, reports, imports,
 * what nodes share, and each route with what it may be sent.
 *
 * The usual run also has all that chooses its engines itself: stores, exports and moves, several nodes, the recount of streams
 * of hits. Any other file runs on PostgreSQL with HEADCOUNT_TEST_ENGINE=postgres.
 */
export const onPostgres = [
  'test/admin/sign-in/sign-in.test.ts',
  'test/analytics/{channels,client-pages,combined,dataset,events,filters,goals,hours}.test.ts',
  'test/analytics/{live,renames,reports,saved-views,sections,series,counters,visit-pages}.test.ts',
  'test/counting/fold-paths.test.ts',
  'test/health/health.test.ts',
  'test/http/{fuzz,just-made,operations}.test.ts',
  'test/import/{days,import,import.property,removal,undo}.test.ts',
  'test/import/history/{command,filters,plausible,removal}.test.ts',
  'test/ingest/{repeated-batch,sealing,site-reports}.test.ts',
  'test/metrics/metrics.test.ts',
];
