import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** 25 s and more, the longest first. Begun last, they would leave the other workers with nothing to do. */
export const longest = [
  'dashboard/access',
  'counting/counting.property',
  'http/outside-documents',
  'database/every-statement',
  'packages/npm-versions',
  'jobs/turn/pull-request',
  'evaluation/evaluation',
  'store/postgres-store',
  'jobs/turn/base-moved',
  'commands/caller-folder',
  'dashboard/languages',
  'jobs/site/moving',
  'store/released',
  'jobs/turn/refused-push',
  'jobs/turn/pull-request-text',
  'http/fuzz',
  'jobs/turn/crash',
  'commands/move',
  'jobs/turn/nodes',
  'analytics/dataset',
  'import/kill',
  'jobs/agent/sandbox',
  'jobs/turn/revert',
  'jobs/git/mirror',
  'dashboard/report/filtered',
  'jobs/turn/attributes',
  'jobs/comments/comments',
  'commands/backup/backup',
  'jobs/site/checks',
  'ingest/faults',
  'jobs/site/findings',
  'demo/demo',
  'commands/check/damage.sqlite',
  'dashboard/report/declared',
  'ingest/kill',
  'jobs/turn/renamed-repository',
  'ingest/set-clock',
  'jobs/turn/follow-ups',
  'tracker/agents',
  'ingest/idle-memory',
  'store/postgres-distribution',
  'jobs/turn/outage',
  'sources',
  'store/postgres-outage',
  'commands/secret-files',
  'commands/catalogue',
  'dashboard/dashboard',
  'store/sqlite-store',
  'commands/own-node',
  'tracker/odd-pages',
  'jobs/turn/failures',
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
