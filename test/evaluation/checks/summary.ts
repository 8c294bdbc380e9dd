import { findUntrue, namedFiles } from '../../../server/jobs/text/claims.ts';
import type { ChapterFile } from '../../../server/store/jobs/job.ts';
import type { Check } from '../task.ts';

/** The pull request names every file that it changes, and claims nothing that the change does not bear out. */
export const summary: Check = {
  name: 'summary',
  find: ({ pull, changes, before, after }) => {
    if (!pull) return [];
    const [told = ''] = pull.body.split(/\n### (?:Left to put right|Also changed elsewhere|Request)\n/);
    const text = `${pull.title}\n\n${told}`;
    const paths = [...before.keys(), ...after.keys()];
    const named = new Set(namedFiles(text, paths).flatMap((found) => (found.length === 1 ? found : [])));
    const facts = {
      changes: changes.map(({ path, from }) => ({
        path,
        from,
        change: changeOf({ path, from }, before, after),
      })),
      ...{ paths, changesLinks: true, breaksLinks: false, canRun: false },
    };
    return [
      ...changes
        .filter(({ path }) => !named.has(path))
        .map(({ path }) => `${path} was changed, and is not named.`),
      ...(/^> \*\*Shortened/m.test(pull.body) ? ['It claimed what the change lacks.'] : []),
      ...findUntrue(text, facts).map(({ sentence, why }) => `"${sentence}": ${why}`),
    ];
  },
};

function changeOf(
  { path, from }: { path: string; from?: string | undefined },
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): ChapterFile['change'] {
  if (from !== undefined && from !== path) return 'moved';
  if (!before.has(path)) return 'added';
  return after.has(path) ? 'edited' : 'deleted';
}
