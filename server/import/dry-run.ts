import { randomBytes } from 'node:crypto';
import type { ImportStore } from '../store/import-store.ts';

/** A store that knows what is there, and keeps nothing. */
export function dryStore(real: Pick<ImportStore, 'listLogs' | 'listHeldDays'>): ImportStore {
  return {
    listLogs: (projectId) => real.listLogs(projectId),
    listHeldDays: (projectId) => real.listHeldDays(projectId),
    openDay: async (_projectId, day) => ({ id: day, day, salt: randomBytes(16) }),
    countLogs: async ({ logs }) => ({ state: 'counted', ids: logs.map(({ id }) => id ?? 0) }),
    seal: async () => undefined,
  };
}
