import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Half a minute and more, the longest first. Begun last, they would leave the other workers with nothing to do. */
const longest = [
  'jobs/crash',
  'jobs/runner',
  'evaluation/evaluation',
  'store/sqlite-store',
  'jobs/nodes',
  'tracker/agents',
  'tracker/agent-marks',
  'dashboard/report',
  'dashboard/access',
  'jobs/agent/on-demand',
  'http/fuzz',
  'jobs/git/mirror',
  'commands/commands',
  'commands/secrets',
  'jobs/settings',
  'jobs/delivery',
  'jobs/outage',
  'analytics/dataset',
  'jobs/sandbox',
  'commands/restore',
  'commands/restore-failures',
  'commands/backup',
  'ingest/set-clock',
  'jobs/git/hostile',
  'dashboard/dashboard',
  'jobs/git/push',
  'jobs/secrets',
  'ingest/idle-memory',
  'store/postgres-store',
  'ingest/kill',
  'commands/export',
  'import/kill',
  'jobs/facts',
  'commands/postgres',
  'ingest/faults',
  'jobs/runner-people',
  'jobs/limits',
  'jobs/budget',
  'counting/counting.property',
  'store/postgres-outage',
  'ingest/sealing',
  'store/postgres-faults',
  'admin/admin',
];

/** A fresh checkout remembers no times by which files could be put in order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return rank === -1 ? longest.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
