import type { ImportStore } from '../store/imports.ts';

/** A store that knows what is there, and keeps nothing. */
export function dryStore(
  real: Pick<ImportStore, 'listLogs' | 'readOpenLines' | 'listDays' | 'listNotedDays'>,
): ImportStore {
  return {
    listLogs: (projectId) => real.listLogs(projectId),
    readOpenLines: (logId) => real.readOpenLines(logId),
    listDays: (projectId) => real.listDays(projectId),
    listNotedDays: (projectId) => real.listNotedDays(projectId),
    openDay: async (_projectId, day, { salt }) => ({ id: day, day, salt }),
    newBatch: () => ({
      isFull: false,
      add: () => undefined,
      count: async ({ logs }) => ({ state: 'counted', ids: logs.map(({ id }) => id ?? 0) }),
    }),
    seal: async () => undefined,
  };
}
