/**
 * The tests for which it matters where data is kept, once more on PostgreSQL. Left to the usual run are those
 * - that choose their engines themselves: stores, exports and moves, several nodes, the recount of streams of hits;
 * - of what stands before any store: connections and bodies (`http/`), how hits gather and are bounded (`ingest/`), the
 *   rules of `insights/` and `identity/`; and of what only speaks the API that is tested here: `connect/`, `dashboard/`;
 * - of SQLite's files, where disks fill up or a process is killed: PostgreSQL has `store/postgres-{faults,outage,standby}`,
 *   `ingest/postgres-outage` and `ingest/nodes/kill` for that;
 * - that take minutes with agents and git, whose jobs `jobs/turn/nodes` and `store/postgres-jobs` run on PostgreSQL. They,
 *   too, run there one by one with HEADCOUNT_TEST_ENGINE=postgres.
 */
export const onPostgres = [
  'test/admin/{admin,audit,invitations,key-limits,keys,links,programs,roles,users}.test.ts',
  'test/admin/sign-in/{cookie,second-factor,second-factor-sign-in,sessions,sign-in}.test.ts',
  'test/admin/sign-on/*.test.ts',
  'test/analytics/*.test.ts',
  'test/commands/unknown.test.ts',
  'test/counting/fold-paths.test.ts',
  'test/health/*.test.ts',
  'test/http/{fuzz,just-made,operations}.test.ts',
  'test/import/{command,days,import,import.property,rules,undo}.test.ts',
  'test/import/history/*.test.ts',
  'test/ingest/{batch,clock,hit,image,repeated-batch,sealing,seen-hosts,site-reports}.test.ts',
  'test/jobs/api/{access,api,events,request-limits}.test.ts',
  'test/jobs/automation/*.test.ts',
  'test/sitefiles/{freshness,obedience}.test.ts',
  'test/{mcp,metrics,outbox,share}/*.test.ts',
];
