import { searchTools } from '../../shared/reports/search-engines.ts';
import { fromDay } from '../counting/calendar.ts';
import type { AuditEntry } from '../store/admin/audit.ts';
import type { LogBatch, ViewBatch } from '../store/counts/import-store.ts';
import type { Cutoffs } from '../store/retention.ts';
import type { Store } from '../store/store.ts';
import type { AuditList, Change } from './audit-list.ts';

export function historyChanges(
  { callAudited }: Store,
  list: AuditList,
): Pick<Store['history'], 'addDay' | 'removeDay'> {
  return {
    addDay: (projectId, day) => {
      const change: Change = { action: 'history.added', projectId, subject: day.tool };
      const add = (entries: AuditEntry[]) => callAudited('history', 'addDay', [projectId, day], entries);
      return list.once(change, add, (receipt) => receipt === 'added');
    },
    removeDay: (projectId, day, tool) => {
      const change: Change = { action: 'history.removed', projectId, subject: tool };
      const remove = (entries: AuditEntry[]) =>
        callAudited('history', 'removeDay', [projectId, day, tool], entries);
      return list.once(change, remove, (isRemoved) => isRemoved);
    },
  };
}

export function searchChanges(
  { callAudited }: Store,
  list: AuditList,
): Pick<Store['searches'], 'setPeriod' | 'removeTool'> {
  return {
    setPeriod: (...args) => {
      const [projectId, { tool }] = args;
      const change: Change = { action: 'search_numbers.added', projectId, subject: searchTools[tool] };
      const set = (entries: AuditEntry[]) => callAudited('searches', 'setPeriod', args, entries);
      return list.once(change, set, (outcome) => outcome === 'added' || outcome === 'replaced');
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

/** With the first batch, also of logs that are followed for weeks. */
export function logChanges(store: Store, list: AuditList): Pick<Store['imports'], 'newBatch'> {
  const count = async (batch: ViewBatch, packed: LogBatch) => {
    const { projectId, logs } = packed;
    if (!logs.some(({ id, bytes, from }) => id === null || bytes > from)) return batch.count(packed);
    const change: Change = { action: 'logs.added', projectId, subject: await nameOf(store, projectId) };
    const counting = (entries: AuditEntry[]) => batch.count({ ...packed, entries });
    return list.once(change, counting, ({ state }) => state === 'counted');
  };
  return {
    newBatch: () => {
      const batch = store.imports.newBatch();
      return {
        get isFull() {
          return batch.isFull;
        },
        add: (view) => batch.add(view),
        count: (packed) => count(batch, packed),
      };
    },
  };
}

/** How many, and never which: they may be what nobody shall know any more. */
export function pathChanges(store: Store, list: AuditList): Pick<Store['paths'], 'move'> {
  return {
    move: async (projectId, moves) => {
      const forgotten = moves.filter(({ to }) => to === null).length;
      const entry = { projectId, subject: await nameOf(store, projectId) };
      const counted = { 'paths.forgotten': forgotten, 'paths.folded': moves.length - forgotten } as const;
      const changes = Object.entries(counted).flatMap(([action, paths]) =>
        paths > 0 ? [{ ...entry, action: action as keyof typeof counted, changes: [`paths: ${paths}`] }] : [],
      );
      return store.callAudited('paths', 'move', [projectId, moves], list.entries(...changes));
    },
  };
}

export function dayChanges(store: Store, list: AuditList): Pick<Store['retention'], 'forgetSome' | 'finish'> {
  const changeOf = async (projectId: string, { details, counts }: Cutoffs): Promise<Change> => {
    const changes = [
      ...(details === null ? [] : [`details before ${fromDay(details)}`]),
      ...(counts === null ? [] : [`all before ${fromDay(counts)}`]),
    ];
    return { action: 'days.forgotten', projectId, subject: await nameOf(store, projectId), changes };
  };
  return {
    forgetSome: async (...args) => {
      const forget = (entries: AuditEntry[]) => store.callAudited('retention', 'forgetSome', args, entries);
      return list.once(await changeOf(...args), forget, (isDone) => isDone);
    },
    finish: async (...args) => {
      const change = await changeOf(...args);
      const finish = (entries: AuditEntry[]) =>
        store.callAudited('retention', 'finish', args, change.changes?.length === 0 ? [] : entries);
      return list.once(change, finish, () => true);
    },
  };
}

async function nameOf(store: Store, projectId: string): Promise<string> {
  const { projects } = await store.directory();
  return projects.find(({ id }) => id === projectId)?.settings.name ?? projectId;
}
