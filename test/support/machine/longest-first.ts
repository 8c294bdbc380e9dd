import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Half a minute and more, the longest first. Begun last, they would leave the other workers with nothing to do. */
export const longest = [
  'sources',
  'jobs/turn/crash',
  'jobs/turn/pull-request',
  'jobs/comments/comments',
  'counting/counting.property',
  'commands/check/damage.sqlite',
  'jobs/turn/base-moved',
  'store/sqlite-store',
  'packages/npm-versions',
  'evaluation/evaluation',
  'jobs/turn/pull-request-text',
  'jobs/turn/attributes',
  'store/postgres-store',
  'http/fuzz',
  'jobs/site/findings',
  'store/released',
  'import/kill',
  'dashboard/access',
  'http/outside-documents',
  'demo/demo',
  'commands/caller-folder',
  'dashboard/languages',
  'jobs/site/checks',
  'jobs/turn/refused-push',
  'dashboard/report/report',
  'jobs/turn/follow-ups',
  'ingest/set-clock',
  'jobs/turn/nodes',
  'dashboard/report/declared',
  'commands/backup/backup',
  'jobs/turn/renamed-repository',
  'ingest/kill',
  'http/slow-readers',
  'dashboard/dashboard',
  'store/postgres-distribution',
  'jobs/turn/reviewers',
  'ingest/idle-memory',
  'jobs/comments/comment-webhooks',
  'commands/move',
  'tracker/agents',
  'jobs/turn/delivery',
  'analytics/dataset',
  'ingest/faults',
  'commands/secret-files',
  'description/page',
  'jobs/turn/revert',
  'dashboard/report/filtered',
  'jobs/agent/on-demand',
  'jobs/agent/sandbox',
  'store/postgres-outage',
  'jobs/site/moving',
  'import/rules',
  'counting/name-caps',
  'admin/admin',
  'jobs/comments/red-checks',
];

/**
 * A fresh checkout remembers no times by which files could be put in order. PostgreSQL comes last, as a worker of one
 * project starts anew for a file of another.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return rank === -1 ? longest.length : rank;
    };
    const isLast = ({ project }: TestSpecification) => Number(project.name === 'PostgreSQL');
    return (await super.sort(files)).sort((a, b) => isLast(a) - isLast(b) || rankOf(a) - rankOf(b));
  }
}
