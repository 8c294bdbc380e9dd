import { findNavigationFaults } from '../../../server/jobs/site/check/navigation-check.ts';
import type { Check } from '../task.ts';
import { lookAtAll, lookAtChange } from './whole-site.ts';

/** Navigation and files are the same pages. Where it is a program, it names none that the change took away. */
export const navigation: Check = {
  name: 'navigation',
  find: async (outcome) => {
    const found = [
      ...(await lookAtAll(outcome, findNavigationFaults)),
      ...(await lookAtChange(outcome, findNavigationFaults)),
    ];
    return [...new Set(found)];
  },
};
