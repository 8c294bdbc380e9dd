import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes or half of one. Begun last, they would leave the other workers with nothing to do. */
const longest = [
  'jobs/crash',
  'store/sqlite-store',
  'jobs/runner',
  'import/kill',
  'tracker/agents',
  'dashboard/report',
  'ingest/kill',
  'ingest/set-clock',
  'jobs/delivery',
  'jobs/settings',
  'dashboard/access',
  'commands/commands',
  'jobs/git/mirror',
  'jobs/git/push',
  'jobs/sandbox',
  'http/fuzz',
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
