import { table } from './table.ts';

export const automations = table('automations', {
  columns: { project: 'int', id: 'text', settings: 'text', created_at: 'bigint', on_since: 'bigint?' },
  key: ['project', 'id'],
  references: { project: 'projects' },
});

export const automationRuns = table('automation_runs', {
  columns: { project: 'int', automation: 'text', key: 'text', at: 'bigint', job: 'text?', reason: 'text?' },
  key: ['project', 'automation', 'key'],
  references: { 'project, automation': 'automations' },
  indexes: ['project, automation, at'],
});
