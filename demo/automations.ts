import type { z } from 'zod';
import type { newAutomation } from '../shared/jobs/automation.ts';

/** What starts jobs by itself: one at a time of the week, one when something happens, which is not turned on. */
export const automations: readonly z.input<typeof newAutomation>[] = [
  {
    name: 'Still true on Mondays',
    when: { kind: 'weekly', weekdays: ['monday'], hour: 6 },
    recipe: 'still-true',
    jobsPerWeek: 1,
    enabled: true,
  },
  {
    name: 'Pages that AI asks for in vain',
    when: { kind: 'missing_page', requests: 20 },
    recipe: 'missing-pages',
  },
];
