import { findFlaws } from '../../../server/jobs/site/check/syntax.ts';
import type { Check } from '../task.ts';
import { lookAtChange } from './whole-site.ts';

/** Pages are what their framework can read, and so is data. */
export const syntax: Check = {
  name: 'syntax',
  find: (outcome) =>
    lookAtChange(outcome, async ({ changes, after, report }) => {
      for (const { path } of changes) {
        const text = (await after.read(path)) ?? '';
        for (const { line, problem } of await findFlaws(after.site, path, text))
          report({ path, line, problem });
      }
    }),
};
