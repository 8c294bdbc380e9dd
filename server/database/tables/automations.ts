import { table } from './table.ts';

export const automations = table('automations', {
  columns: { project: 'int', id: 'text', settings: 'text', created_at: 'bigint', on_since: 'bigint?' },
  key: ['project', 'id'],
  references: { project: 'projects' },
  archive: {
    type: 'automation',
    order: 't.created_at, t.id',
    fields: 'id, settings:json, createdAt',
  },
});

export const automationRuns = table('automation_runs', {
  columns: { project: 'int', automation: 'text', key: 'text', at: 'bigint', job: 'text?', reason: 'text?' },
  key: ['project', 'automation', 'key'],
  references: { 'project, automation': 'automations' },
  indexes: ['project, automation, at'],
  archive: {
    type: 'automationRun',
    order: 't.automation, t.key',
    fields: 'automation, key, at, job, reason',
  },
});
