import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Half a minute and more, the longest first. Begun last, they would leave the other workers with nothing to do. */
export const longest = [
  'jobs/turn/pull-request',
  'store/released',
  'jobs/comments/comments',
  'jobs/turn/crash',
  'jobs/turn/base-moved',
  'counting/counting.property',
  'evaluation/evaluation',
  'jobs/turn/runner',
  'jobs/turn/follow-ups',
  'ingest/kill',
  'jobs/site/moving',
  'jobs/site/background',
  'jobs/comments/red-checks',
  'jobs/turn/usage',
  'packages/client',
  'packages/connect',
  'commands/check/check-surroundings',
  'import/kill',
  'commands/export',
  'commands/move',
  'demo/demo',
  'jobs/comments/comment-webhooks',
  'jobs/turn/images',
  'import/history/command',
  'store/sqlite-store',
  'jobs/turn/nodes',
  'tracker/agents',
  'tracker/agent-marks',
  'dashboard/report/report',
  'dashboard/access',
  'jobs/agent/on-demand',
  'http/fuzz',
  'jobs/git/mirror',
  'commands/commands',
  'jobs/api/settings',
  'jobs/turn/delivery',
  'jobs/turn/outage',
  'analytics/dataset',
  'jobs/agent/sandbox',
  'commands/backup/restore',
  'commands/backup/restore-failures',
  'commands/backup/backup',
  'ingest/set-clock',
  'dashboard/dashboard',
  'jobs/git/push',
  'jobs/text/secrets',
  'store/postgres-store',
  'jobs/api/facts',
  'commands/postgres',
  'ingest/faults',
  'jobs/turn/runner-people',
  'jobs/turn/limits',
  'jobs/turn/budget',
  'store/postgres-outage',
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
