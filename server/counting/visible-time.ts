import type { VisibleSeconds } from '../../shared/visible-time.ts';
import { type TallySet, tallySet } from './tally.ts';

/** What it adds to that somebody has seen a page for so long. */
export function visibleTally(seconds: VisibleSeconds, path: string): TallySet {
  return tallySet([{ tally: 'visible-time', group: String(seconds), name: path }]);
}
