import type { Automation } from '../store/jobs/automations.ts';
import type { Store } from '../store/store.ts';
import type { AuditList } from './audit-list.ts';

type AutomationChanges = Pick<Store['automations'], 'addAutomation' | 'setAutomation' | 'removeAutomation'>;

export function automationChanges({ automations }: Store, list: AuditList): AutomationChanges {
  return {
    addAutomation: async (automation) => {
      const outcome = await automations.addAutomation(automation);
      const { projectId, settings } = automation;
      const entry = { action: 'automation.added', projectId, subject: settings.name } as const;
      await list.addIf(outcome === 'added', { ...entry, changes: describe(automation) });
      return outcome;
    },
    setAutomation: async (automation) => {
      const { projectId, settings } = automation;
      const entry = { action: 'automation.changed', projectId, subject: settings.name } as const;
      const changes = describe(automation);
      return list.addIf(await automations.setAutomation(automation), { ...entry, changes });
    },
    removeAutomation: async (projectId, id) => {
      const before = await automations.listAutomations(projectId);
      const subject = before.find((one) => one.id === id)?.settings.name ?? id;
      const entry = { action: 'automation.removed', projectId, subject } as const;
      return list.addIf(await automations.removeAutomation(projectId, id), entry);
    },
  };
}

/** Prompts are in the jobs that come of them. */
function describe({ settings, onSince }: Pick<Automation, 'settings' | 'onSince'>): string[] {
  return [onSince === null ? 'off' : 'on', `kind: ${settings.when.kind}`];
}
