import type { Automation } from '../store/jobs/automations.ts';
import type { Store } from '../store/store.ts';
import type { AuditList } from './audit-list.ts';

type AutomationChanges = Pick<Store['automations'], 'addAutomation' | 'setAutomation' | 'removeAutomation'>;

export function automationChanges({ callAudited, automations }: Store, list: AuditList): AutomationChanges {
  return {
    addAutomation: (automation) => {
      const { projectId, settings } = automation;
      const entry = { action: 'automation.added', projectId, subject: settings.name } as const;
      const entries = list.entries({ ...entry, changes: describe(automation) });
      return callAudited('automations', 'addAutomation', [automation], entries);
    },
    setAutomation: (automation) => {
      const { projectId, settings } = automation;
      const entry = { action: 'automation.changed', projectId, subject: settings.name } as const;
      const entries = list.entries({ ...entry, changes: describe(automation) });
      return callAudited('automations', 'setAutomation', [automation], entries);
    },
    removeAutomation: async (projectId, id) => {
      const before = await automations.listAutomations(projectId);
      const subject = before.find((one) => one.id === id)?.settings.name ?? id;
      const entries = list.entries({ action: 'automation.removed', projectId, subject });
      return callAudited('automations', 'removeAutomation', [projectId, id], entries);
    },
  };
}

/** Prompts are in the jobs that come of them. */
function describe({ settings, onSince }: Pick<Automation, 'settings' | 'onSince'>): string[] {
  return [onSince === null ? 'off' : 'on', `kind: ${settings.when.kind}`];
}
