import { searchTools } from '../../shared/reports/search-engines.ts';
import type { ViewBatch } from '../store/counts/import-store.ts';
import type { Store } from '../store/store.ts';
import type { AuditList, Change } from './audit-list.ts';

/** Days go one by one, and whoever is stopped on the way has removed some: once, before the first of them. */
export function historyChanges(
  { history }: Store,
  list: AuditList,
): Pick<Store['history'], 'addDay' | 'removeDay'> {
  const once = new Once(list);
  return {
    addDay: async (projectId, day) => {
      const receipt = await history.addDay(projectId, day);
      if (receipt === 'added') await once.add({ action: 'history.added', projectId, subject: day.tool });
      return receipt;
    },
    removeDay: async (projectId, day, tool) => {
      await once.add({ action: 'history.removed', projectId, subject: tool });
      return history.removeDay(projectId, day, tool);
    },
  };
}

export function searchChanges(
  { callAudited, searches }: Store,
  list: AuditList,
): Pick<Store['searches'], 'setPeriod' | 'removeTool'> {
  const once = new Once(list);
  return {
    setPeriod: async (projectId, period, rows) => {
      const outcome = await searches.setPeriod(projectId, period, rows);
      const entry = { action: 'search_numbers.added', projectId, subject: searchTools[period.tool] } as const;
      if (outcome === 'added' || outcome === 'replaced') await once.add(entry);
      return outcome;
    },
    removeTool: (projectId, tool) => {
      const entries = list.entries({
        action: 'search_numbers.removed',
        projectId,
        subject: searchTools[tool],
      });
      return callAudited('searches', 'removeTool', [projectId, tool], entries);
    },
  };
}

/** Once, behind the first batch, also of logs that are followed for weeks. */
export function logChanges(store: Store, list: AuditList): Store['imports'] {
  const { imports } = store;
  const once = new Once(list);
  const noteLogs = async (projectId: string) => {
    const { projects } = await store.directory();
    const subject = projects.find(({ id }) => id === projectId)?.settings.name ?? projectId;
    await once.add({ action: 'logs.added', projectId, subject });
  };
  return { ...imports, newBatch: () => noteBatch(imports.newBatch(), noteLogs) };
}

function noteBatch(batch: ViewBatch, note: (projectId: string) => Promise<void>): ViewBatch {
  return {
    get isFull() {
      return batch.isFull;
    },
    add: (view) => batch.add(view),
    count: async (packed) => {
      const receipt = await batch.count(packed);
      const hasNew = packed.logs.some(({ id, bytes, from }) => id === null || bytes > from);
      if (receipt.state === 'counted' && hasNew) await note(packed.projectId);
      return receipt;
    },
  };
}

/** Notes each change that one command or request makes step by step with its first step. */
class Once {
  readonly #list: AuditList;
  readonly #noted = new Set<string>();

  constructor(list: AuditList) {
    this.#list = list;
  }

  async add(change: Change): Promise<void> {
    const key = JSON.stringify(change);
    if (this.#noted.has(key)) return;
    await this.#list.add(change);
    this.#noted.add(key);
  }
}
