import type { Day } from '../counting/calendar.ts';
import type { HistoryDay } from '../counting/history.ts';

/** `counted`: the day has counts already; `open`: it is not sealed, or an import is at work on it; `gone`: there is no such project. */
export type HistoryReceipt = 'added' | 'counted' | 'open' | 'gone';

/** Days that another tool counted. The rules of `Store` hold. */
export interface HistoryStore {
  /** Takes in a sealed day on which nothing was counted, in all blocks, and nothing else. */
  addDay(projectId: string, day: HistoryDay): Promise<HistoryReceipt>;
  /** Deletes a day of that tool, out of all blocks; False: it is none, or was counted on besides. */
  removeDay(projectId: string, day: Day, tool: string): Promise<boolean>;
  /** After the last one: names that nothing is counted under any more. */
  finishRemoval(projectId: string): Promise<void>;
}
